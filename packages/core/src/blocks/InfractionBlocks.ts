import { Context, Effect, Layer } from "effect"
import { ChargeKind } from "../charges/Charge.ts"
import type { BlockId, ChargeId, PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import type { PspInfraction } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { decideAgain } from "../storage/DecideAgain.ts"
import { Storage } from "../storage/Storage.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type * as Kind from "../units/Kind.ts"
import type { DuplicateKey, Refused, StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import type { NewUnit } from "../units/Unit.ts"
import type { Block } from "./Block.ts"
import { borneFor, isOpen } from "./Block.ts"
import { blockApproved } from "./BlockEvents.ts"
import type { BlockServices } from "./BlockOpener.ts"
import { infractionKey, opening, published } from "./BlockOpener.ts"
import { Blocks } from "./Blocks.ts"
import { BlockWriter } from "./BlockWriter.ts"

/** How long the words of a report may be, as those of any other block. */
const reasonMax = 255

/**
 * The blocks that reports of fraud open by themselves (decision 0110): one for each infraction, for as long as it is
 * undecided, so that the money is there when the PSP gives it back.
 */
export class InfractionBlocks extends Context.Service<
  InfractionBlocks,
  {
    readonly find: (
      psp: PspCredentialId,
      infraction: string
    ) => Effect.Effect<Block | undefined, StorageError>
    /** The block of the infraction, opened now unless it was before; undefined where nothing is left to be blocked. */
    readonly open: (
      charge: ChargeId,
      infraction: PspInfraction
    ) => Effect.Effect<Block | undefined, StorageError>
    /** Its defence was handed in, at the PSP itself or by us. */
    readonly defended: (block: Block) => Effect.Effect<void, StorageError>
    /** The infraction came to nothing: the money is the merchant's again. */
    readonly release: (block: Block, reason: string) => Effect.Effect<void, StorageError>
    /** The open block that the last infraction about a payment has opened. */
    readonly openOf: (
      charge: ChargeId
    ) => Effect.Effect<Kind.Versioned<Block> | undefined, StorageError>
    /**
     * Commits a unit by which the block's wallet bears what the PSP has given back, and ends the block in it. Refused like
     * any spending where the wallet has too little beside its other blocks.
     */
    readonly bear: (
      block: Kind.Versioned<Block>,
      returned: Centavos,
      unit: NewUnit
    ) => Effect.Effect<void, Refused | StorageError>
  }
>()("@pagora/core/blocks/InfractionBlocks") {
  static readonly layer: Layer.Layer<
    InfractionBlocks,
    never,
    Blocks | Storage | BlockWriter | PspDirectory | Ids | ServiceTime
  > = Layer.effect(
    InfractionBlocks,
    Effect.gen(function* () {
      const services: BlockServices = {
        storage: yield* Storage,
        writer: yield* BlockWriter,
        directory: yield* PspDirectory,
        ids: yield* Ids,
        time: yield* ServiceTime
      }
      const blocks = yield* Blocks
      const { find, openOf } = finding(services)
      return InfractionBlocks.of({
        find: (psp, infraction) => Effect.map(find(psp, infraction), (found) => found?.value),
        open: onReport(services, find),
        // Whoever was faster, a person or another look, has decided it.
        defended: ({ id }) =>
          blocks.defend(id).pipe(
            Effect.catchTag(["BlockNotFound", "BlockNotOpen"], () => Effect.void),
            Effect.catchTag("IdempotencyKeyTaken", Effect.die),
            Effect.asVoid
          ),
        release: ({ id }, reason) =>
          blocks.resolve(id, { outcome: "rejected", reason }).pipe(
            Effect.catchTag(["BlockNotFound", "BlockNotOpen"], () => Effect.void),
            Effect.catchTag(["NotThatMuch", "IdempotencyKeyTaken"], Effect.die),
            Effect.asVoid
          ),
        openOf,
        bear: bearing(services)
      })
    })
  )
}

type Find = (
  psp: PspCredentialId,
  infraction: string
) => Effect.Effect<Kind.Versioned<Block> | undefined, StorageError>

const finding = ({ storage, writer }: BlockServices) => {
  const find: Find = Effect.fnUntraced(function* (psp, infraction) {
    const holder = yield* storage.resolve({ _tag: "Key", ...infractionKey(psp, infraction) })
    return holder === undefined ? undefined : yield* writer.find(holder as BlockId)
  })
  const openOf = Effect.fnUntraced(function* (charge: ChargeId) {
    const id = (yield* storage.find(ChargeKind, charge))?.value.infractionBlock
    const found = id === undefined ? undefined : yield* writer.find(id)
    return found !== undefined && isOpen(found.value) ? found : undefined
  })
  return { find, openOf }
}

const onReport = (services: BlockServices, find: Find) => {
  const { storage } = services
  const open = opening(services)

  return Effect.fn("InfractionBlocks.open")(
    function* (id: ChargeId, { amount, answerUntil, id: infraction, reason }: PspInfraction) {
      const charge = yield* storage.find(ChargeKind, id)
      if (charge === undefined) return undefined
      const known = yield* find(charge.value.pspCredentialId, infraction)
      if (known !== undefined) return known.value
      return yield* open(charge, {
        blockType: "med",
        amount,
        infraction,
        referenceNumber: infraction,
        ...present({ answerUntil, reason: reason?.slice(0, reasonMax) })
      })
    },
    (effect) =>
      decideAgain(effect).pipe(
        Effect.catchTag(["NotAPayment", "NotThatMuch"], () => Effect.succeed(undefined)),
        Effect.catchTag("IdempotencyKeyTaken", Effect.die)
      )
  )
}

const bearing = (services: BlockServices) =>
  Effect.fnUntraced(function* (current: Kind.Versioned<Block>, returned: Centavos, unit: NewUnit) {
    const block = borneFor(current.value, returned, unit.at)
    const publication = yield* published(services, blockApproved, block, unit.at)
    yield* services.writer
      .write(current, { ...unit, ...publication, block })
      .pipe(Effect.catchIf(isEnded, () => new StaleVersion({ id: block.id })))
    yield* Effect.logInfo("A balance block has borne what its PSP gave back.").pipe(
      Effect.annotateLogs({ block: block.id })
    )
  })

/** Somebody else has approved it meanwhile, whose event stands. */
const isEnded = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey" && error.space === "event"
