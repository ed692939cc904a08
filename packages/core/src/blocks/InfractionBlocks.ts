import { Context, Effect, Layer } from "effect"
import type { Charge } from "../charges/Charge.ts"
import { ChargeKind } from "../charges/Charge.ts"
import type { BlockId, ChargeId, PspCredentialId } from "../kernel/Ids.ts"
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
import { isCollecting, isOpen } from "./Block.ts"
import { endOf } from "./BlockEvents.ts"
import type { BlockServices } from "./BlockOpener.ts"
import { infractionKey, opening, published } from "./BlockOpener.ts"
import { Blocks } from "./Blocks.ts"
import type { Change, Claims } from "./BlockWriter.ts"
import { BlockWriter } from "./BlockWriter.ts"
import { nextLook } from "./Chargeback.ts"

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
    /** The infraction came to nothing: the money is the merchant's again. Beside a return that waits for a person it stays. */
    readonly release: (
      block: Block,
      reason: string
    ) => Effect.Effect<void, StaleVersion | StorageError>
    /** The blocks that claim money of a payment, with the charge that names them. */
    readonly claimsOn: (charge: ChargeId) => Effect.Effect<Claims | undefined, StorageError>
    /**
     * Commits a unit in which what the PSP gave back changes the blocks on its payment, with what tells of those that end by
     * it. Refused like any spending where the wallet has too little beside its other blocks.
     */
    readonly settle: (
      charge: Kind.Versioned<Charge>,
      changes: ReadonlyArray<Change>,
      unit: Parameters<BlockWriter["Service"]["writeAll"]>[2]
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
      const find = finding(services)
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
          blocks.resolve(id, { outcome: "rejected", reason, isReports: true }).pipe(
            Effect.catchTag(["BlockNotFound", "BlockNotOpen"], () => Effect.void),
            Effect.catchTag(["NotThatMuch", "LessThanGone", "IdempotencyKeyTaken"], Effect.die),
            // It came after the look: look again.
            Effect.catchTag("ReturnUndecided", () => new StaleVersion({ id })),
            Effect.asVoid
          ),
        claimsOn: services.writer.claimsOn,
        settle: settling(services)
      })
    })
  )
}

type Find = (
  psp: PspCredentialId,
  infraction: string
) => Effect.Effect<Kind.Versioned<Block> | undefined, StorageError>

const finding = ({ storage, writer }: BlockServices): Find =>
  Effect.fnUntraced(function* (psp, infraction) {
    const holder = yield* storage.resolve({ _tag: "Key", ...infractionKey(psp, infraction) })
    return holder === undefined ? undefined : yield* writer.find(holder as BlockId)
  })

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

const settling = (services: BlockServices): InfractionBlocks["Service"]["settle"] =>
  Effect.fnUntraced(function* (charge, changes, unit) {
    const events: Array<NonNullable<NewUnit["events"]>[number]> = []
    const jobs = [...(unit.jobs ?? [])]
    for (const { block, from } of changes) {
      if (isOpen(from.value) && !isOpen(block))
        events.push(...(yield* published(services, endOf(block), block, unit.at)).events)
      // What is owed again, because a piece came back, is collected again.
      const due = isCollecting(block) ? nextLook(block, unit.at) : undefined
      if (due !== undefined)
        jobs.push({ _tag: "Schedule", queue: "block", id: block.id, group: block.account, due })
    }
    yield* services.writer
      .writeAll(charge, changes, { ...unit, events, jobs })
      .pipe(Effect.catchIf(isEnded, () => new StaleVersion({ id: charge.value.id })))
    if (changes.length > 0)
      yield* Effect.logInfo("Balance blocks claim less after a return of their PSP.").pipe(
        Effect.annotateLogs({ blocks: changes.map(({ block }) => block.id) })
      )
  })

/** Somebody else has approved it meanwhile, whose event stands. */
const isEnded = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey" && error.space === "event"
