import type { DateTime } from "effect"
import { Effect } from "effect"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import type { Charge } from "../charges/Charge.ts"
import { ChargeKind } from "../charges/Charge.ts"
import { wholeRefundOf } from "../charges/ChargeRefunds.ts"
import type { BlockId, PspCredentialId } from "../kernel/Ids.ts"
import type { Environment, PspDirectory } from "../ports/Psp.ts"
import { ReturnKind } from "../returns/Return.ts"
import { refusedFor, staleWhenEnded } from "../storage/DecideAgain.ts"
import { findNamed } from "../storage/FindNamed.ts"
import type { Storage } from "../storage/Storage.ts"
import type { Ids } from "../time/Ids.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import * as Kind from "../units/Kind.ts"
import type { NewEvent } from "../webhooks/NewEvent.ts"
import { publish } from "../webhooks/Publisher.ts"
import type { Block, NewBlock } from "./Block.ts"
import { BlockKind, newBlock } from "./Block.ts"
import { blockCreated } from "./BlockEvents.ts"
import type { BlockWriter } from "./BlockWriter.ts"

/** What whoever moves blocks works with. */
export interface BlockServices {
  readonly storage: Storage["Service"]
  readonly writer: BlockWriter["Service"]
  readonly directory: PspDirectory["Service"]
  readonly ids: Ids["Service"]
  readonly time: ServiceTime["Service"]
}

/** One infraction opens one block, however often and by whichever process it is seen. */
export const infractionKey = (psp: PspCredentialId, infraction: string) => ({
  space: "infraction",
  key: `${psp}/${infraction}`
})

/** Opens a block on a payment, with its event, in one commit. To be decided again while the payment changes. */
export const opening = (services: BlockServices) => {
  const { ids, storage, time, writer } = services

  return Effect.fnUntraced(function* (
    found: Kind.Versioned<Charge>,
    request: NewBlock,
    key?: IdempotencyKey
  ) {
    const at = yield* time.now
    const refundId = wholeRefundOf(found.value)
    const refund =
      refundId === undefined ? undefined : yield* findNamed(storage, ReturnKind, refundId)
    const { account, pspCredentialId, wallet } = found.value
    const owner = wallet === account ? undefined : yield* findNamed(storage, SubAccountKind, wallet)
    const { block, charge } = yield* Effect.fromResult(
      newBlock(
        { charge: found.value, refund: refund?.value, subAccount: owner?.value },
        request,
        yield* ids.next<BlockId>(),
        at
      )
    )
    const publication = yield* published(services, blockCreated, block, at)
    const { infraction } = block
    yield* writer
      .commit({
        ...publication,
        at,
        expects: [
          ...(owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)]),
          ...(refund === undefined ? [] : [Kind.expectation(ReturnKind, refund)])
        ],
        inserts: [BlockKind.row(block)],
        updates: [Kind.update(ChargeKind, found, charge)],
        keys:
          infraction === undefined
            ? []
            : [{ ...infractionKey(pspCredentialId, infraction), holder: block.id }],
        liens: [{ wallet: block.wallet, delta: block.amount }],
        ...begun(key, block.id, BlockKind.snapshot(block))
      })
      .pipe(keyTaken, staleWhenEnded(charge.id), refusedFor("StaleVersion"))
    yield* Effect.logInfo("A balance block was opened.").pipe(
      Effect.annotateLogs({ block: block.id, charge: charge.id })
    )
    return block
  })
}

/** The event of a block. */
export const published = Effect.fnUntraced(function* (
  { directory, ids }: Pick<BlockServices, "directory" | "ids">,
  eventOf: (block: Block, environment: Environment) => NewEvent,
  block: Block,
  at: DateTime.Utc
) {
  const psp = directory.find(block.pspCredentialId) ?? directory.find(directory.default)
  if (psp === undefined) {
    return yield* Effect.die(new Error(`The PSP of block ${block.id} is gone.`))
  }
  const event = eventOf(block, psp.environment)
  return yield* publish(ids, { account: block.account, event, at })
})
