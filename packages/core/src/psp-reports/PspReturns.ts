import { Context, Effect, Layer, Schema } from "effect"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import { countedAll } from "../blocks/BlockWriter.ts"
import { InfractionBlocks } from "../blocks/InfractionBlocks.ts"
import type { ChargeId, LedgerTxId, PspReturnId, Uuid } from "../kernel/Ids.ts"
import { minus } from "../kernel/Money.ts"
import type { Resolution } from "../reviews/Resolution.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import { findNamed } from "../storage/FindNamed.ts"
import { Storage } from "../storage/Storage.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { InsufficientFunds } from "../units/Refused.ts"
import type { NewUnit } from "../units/Unit.ts"
import type { PspReturn, PspReturnOutcome } from "./PspReturn.ts"
import { borne, ofMainWallet, PspReturnKind, resolve as resolved } from "./PspReturn.ts"
import type { Standing } from "./ReturnTaker.ts"
import { afterDecision } from "./HeldRefunds.ts"
import { decided, lowering, standingOn, underWayOn } from "./ReturnTaker.ts"

export class PspReturnNotFound extends Schema.TaggedError<PspReturnNotFound>()(
  "PspReturnNotFound",
  { id: Schema.String }
) {}

/** Somebody has decided it before. */
export class PspReturnResolved extends Schema.TaggedError<PspReturnResolved>()(
  "PspReturnResolved",
  { status: Schema.String }
) {}

/** A return of ours, of the same payment, may still reach the payer: whether that is paid twice is not known yet. */
export class PspReturnBesideAnother extends Schema.TaggedError<PspReturnBesideAnother>()(
  "PspReturnBesideAnother",
  { id: Schema.String, other: Schema.String }
) {}

/** Who bears it, and why, as a person has decided. */
export interface PspReturnDecision extends Omit<Resolution, "at"> {
  readonly outcome: PspReturnOutcome
}

/** What a person does about money that PSPs gave back by themselves. */
export class PspReturns extends Context.Service<
  PspReturns,
  {
    /**
     * Ends one. Charged: the wallet that the payment was credited to, or the main one where that is closed, bears it, out of what
     * it may spend, and what balance blocks claim of the payment. Absorbed: the operator's own account does. Either way so much less is claimed of the payment, in
     * the same commit, and what was to go back for it and was not sent yet is not sent: refunds that waited go on where what is
     * left covers them, and fail where not.
     */
    readonly resolve: (
      id: Uuid,
      decision: PspReturnDecision,
      key?: IdempotencyKey
    ) => Effect.Effect<
      PspReturn,
      | PspReturnNotFound
      | PspReturnResolved
      | PspReturnBesideAnother
      | InsufficientFunds
      | IdempotencyKeyTaken
      | StorageError
    >
  }
>()("@pagora/core/psp-reports/PspReturns") {
  static readonly layer: Layer.Layer<
    PspReturns,
    never,
    Storage | InfractionBlocks | Ids | ServiceTime
  > = Layer.effect(
    PspReturns,
    Effect.gen(function* () {
      const storage = yield* Storage
      const blocks = yield* InfractionBlocks
      const ids = yield* Ids
      const time = yield* ServiceTime
      const standing = standingOn({ blocks, storage })
      const settle = settling(blocks, ids)

      const attempt = Effect.fnUntraced(function* (
        id: Uuid,
        { outcome, ...words }: PspReturnDecision,
        key: IdempotencyKey | undefined
      ) {
        const current = yield* storage.find(PspReturnKind, id as PspReturnId)
        if (current === undefined) return yield* new PspReturnNotFound({ id })
        const { status, wallet } = current.value
        if (status !== "open") return yield* new PspReturnResolved({ status })
        // What was nobody's was credited to no wallet.
        if (outcome === "charged" && (yield* storage.wallet(wallet)) === undefined)
          return yield* new InsufficientFunds({ wallet, bucket: "spendable" })
        const at = yield* time.now
        const stands = yield* standing(current.value.source as ChargeId, current.value.endToEndId)
        const [other] = stands === undefined ? [] : underWayOn(stands)
        // Whether it was done twice, and what is left for the payer, shows once that has ended.
        if (other !== undefined)
          return yield* new PspReturnBesideAnother({ id, other: other.value.id })
        const { bearing, expects } = yield* bearingOf(storage, current.value, outcome)
        const next = resolved(bearing, outcome, { ...words, at })
        const unit = {
          at,
          expects,
          updates: [Kind.update(PspReturnKind, current, next)],
          ledger: [borne(next, yield* ids.next<LedgerTxId>())],
          jobs: [{ _tag: "Cancel", queue: "review", id: next.id } as const],
          ...begun(key, next.id, PspReturnKind.snapshot(next))
        }
        yield* (stands === undefined ? storage.commit(unit) : settle(stands, next, unit)).pipe(
          keyTaken,
          refusedFor("StaleVersion", "InsufficientFunds")
        )
        yield* Effect.logInfo("A person decided who bears a return of a PSP.").pipe(
          Effect.annotateLogs({ pspReturn: id, outcome })
        )
        return next
      })
      return PspReturns.of({
        resolve: Effect.fn("PspReturns.resolve")((id, decision, key) =>
          decideAgain(attempt(id, decision, key))
        )
      })
    })
  )
}

/** What was claimed for it is not claimed any more, whoever bears it. */
const settling = (blocks: InfractionBlocks["Service"], ids: Ids["Service"]) => {
  const lower = lowering(ids)
  const goOn = afterDecision(ids)

  return Effect.fnUntraced(function* (stands: Standing, money: PspReturn, unit: NewUnit) {
    const isCharged = money.status === "charged"
    const { at } = unit
    const taking = yield* lower(stands, {
      amount: money.amount,
      at,
      bearer: isCharged ? "wallet" : "operator",
      isDecided: true,
      ...(isCharged ? { wallet: money.wallet } : {})
    })
    const unclaimed = isCharged ? minus(money.amount, taking.claimed) : money.amount
    const charge = countedAll(stands.charge.value, taking.changes)
    const refunds = yield* goOn(charge, stands.refunds, { id: money.id, unclaimed, at })
    yield* blocks.settle(stands.charge, taking.changes, {
      ...unit,
      expects: [...(unit.expects ?? []), ...taking.unit.expects],
      updates: [...(unit.updates ?? []), ...taking.unit.updates, ...refunds.unit.updates],
      ledger: [...taking.unit.ledger, ...refunds.unit.ledger, ...(unit.ledger ?? [])],
      jobs: [...taking.unit.jobs, ...refunds.unit.jobs, ...(unit.jobs ?? [])],
      noted: (known) => decided(money.id, unclaimed)(refunds.noted(known))
    })
  })
}

/** The return with the wallet that would bear it, and what must stay so until that is written. */
const bearingOf = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  money: PspReturn,
  outcome: PspReturnOutcome
) {
  const isOfSubAccount = outcome === "charged" && money.subAccount !== undefined
  const owner = isOfSubAccount ? yield* findNamed(storage, SubAccountKind, money.wallet) : undefined
  return {
    bearing: owner?.value.status === "closed" ? ofMainWallet(money) : money,
    expects: owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)]
  }
})
