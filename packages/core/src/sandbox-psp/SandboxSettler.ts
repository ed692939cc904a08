import { DateTime, Duration, Effect, Schema } from "effect"
import type { Centavos } from "../kernel/Money.ts"
import * as Kind from "../units/Kind.ts"
import type { PspPayout, PspRefund } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { SandboxAccount } from "./SandboxAccount.ts"
import { forEachListed } from "./SandboxBooks.ts"
import { giveBack, SandboxChargeKind } from "./SandboxCharge.ts"
import type { SandboxCharges } from "./SandboxCharges.ts"
import { endToEndKey, newEndToEndId, newReturnId, returnIdKey } from "./SandboxNetwork.ts"
import type { SandboxNotices } from "./SandboxNotices.ts"
import type { SandboxPayout, SandboxPayoutOutcome } from "./SandboxPayout.ts"
import * as Payout from "./SandboxPayout.ts"
import type { SandboxPayouts } from "./SandboxPayouts.ts"
import * as Payouts from "./SandboxPayouts.ts"
import type { SandboxRefund, SandboxRefundOutcome } from "./SandboxRefund.ts"
import * as Refund from "./SandboxRefund.ts"
import type { SandboxRefunds } from "./SandboxRefunds.ts"
import * as Refunds from "./SandboxRefunds.ts"

/** The simulated PSP has no payout under this reference. */
export class SandboxPayoutNotFound extends Schema.TaggedError<SandboxPayoutNotFound>()(
  "SandboxPayoutNotFound",
  { reference: Schema.String }
) {}

/** The simulated PSP has no return under this reference. */
export class SandboxRefundNotFound extends Schema.TaggedError<SandboxRefundNotFound>()(
  "SandboxRefundNotFound",
  { reference: Schema.String }
) {}

/** What has this status cannot come to this end any more. */
export class SandboxCannotSettle extends Schema.TaggedError<SandboxCannotSettle>()(
  "SandboxCannotSettle",
  {
    what: Schema.Literals(["payout", "refund"]),
    status: Schema.String,
    outcome: Schema.String
  }
) {
  override get message(): string {
    return `The ${this.what} is ${this.status} at the PSP and can no longer be settled as ${this.outcome}.`
  }
}

/** What makes payouts and returns end: hands, or time. */
export interface SandboxSettler {
  /** Ends a payout like this and tells of it; what has ended so already stays as it is. */
  readonly settlePayout: (
    reference: string,
    outcome: SandboxPayoutOutcome
  ) => Effect.Effect<PspPayout, SandboxPayoutNotFound | SandboxCannotSettle | StorageError>
  /** Likewise a return. */
  readonly settleRefund: (
    reference: string,
    outcome: SandboxRefundOutcome
  ) => Effect.Effect<PspRefund, SandboxRefundNotFound | SandboxCannotSettle | StorageError>
  /** Ends well whatever ends by itself and has been under way for long enough; answers how much that was. */
  readonly settleDue: Effect.Effect<number, StorageError>
  /**
   * The same, of what a few of these looks saw under way, or is four times as old: a machine that is so busy that looks come
   * late is as late with the request that says how it ends, and whoever asks for that at once is to be faster.
   */
  readonly settleSeen: Effect.Effect<number, StorageError>
}

/** How long payouts and returns take where nobody settles them by hand. */
const settleAfterDefault = "1 second"

/** Looks of `settleSeen`. Four of them, a quarter of a second apart, are no longer than it takes anyway. */
const looksMin = 4

/** How many are settled side by side. */
const atOnce = 16

export const makeSettler = Effect.fnUntraced(function* (options: {
  readonly charges: SandboxCharges
  readonly payouts: SandboxPayouts
  readonly refunds: SandboxRefunds
  readonly notices: SandboxNotices
  readonly account: SandboxAccount
  readonly settleAfter: Duration.Input | "manual"
}): Effect.fn.Return<SandboxSettler, never, Storage | ServiceTime> {
  const { account, notices, payouts, refunds, settleAfter } = options
  const time = yield* ServiceTime
  const isManual = settleAfter === "manual"
  const patience = Duration.fromInputUnsafe(isManual ? settleAfterDefault : settleAfter)
  const settlePayout = makeSettlePayout(payouts, notices, account)
  const settleRefund = makeSettleRefund(options.charges, refunds, notices, account)

  // By business time, which goes as the real one does and sometimes jumps ahead: nobody has to remember a deadline.
  const settle = Effect.fnUntraced(
    function* (looksAt: (reference: string) => number) {
      const now = yield* time.now
      let settled = 0
      const isDue = ({ value }: { readonly value: SandboxPayout | SandboxRefund }) => {
        const times = looksAt(value.reference) >= looksMin ? 1 : looksMin
        const born = DateTime.subtractDuration(now, Duration.times(patience, times))
        return DateTime.isLessThanOrEqualTo(value.createdAt, born)
      }
      const each = <E>(due: ReadonlyArray<Effect.Effect<unknown, E>>) => {
        settled += due.length
        return Effect.all(due, { concurrency: atOnce, discard: true })
      }
      // Whoever has settled it otherwise in the meantime was faster, and that is how it ended.
      const payout = ({ value }: { readonly value: SandboxPayout }) =>
        settlePayout(value.reference, { _tag: "completed" }).pipe(
          Effect.catchTag("SandboxCannotSettle", () => Effect.void)
        )
      const refund = ({ value }: { readonly value: SandboxRefund }) =>
        settleRefund(value.reference, "confirmed").pipe(
          Effect.catchTag("SandboxCannotSettle", () => Effect.void)
        )
      for (const status of isManual ? ["automatic"] : ["automatic", "processing"]) {
        yield* forEachListed(refunds, status, (page) => each(page.filter(isDue).map(refund)))
      }
      if (!isManual) {
        yield* forEachListed(payouts, "processing", (page) => each(page.filter(isDue).map(payout)))
      }
      return settled
      // What was listed is in the book and stays there.
    },
    Effect.catchTag(["SandboxPayoutNotFound", "SandboxRefundNotFound"], Effect.die)
  )

  let seen: ReadonlyMap<string, number> = new Map()
  const settleSeen = Effect.suspend(() => {
    const before = seen
    const looks = new Map<string, number>()
    seen = looks
    return settle((reference) => {
      const look = (before.get(reference) ?? 0) + 1
      looks.set(reference, look)
      return look
    })
  })

  return { settlePayout, settleRefund, settleDue: settle(() => looksMin), settleSeen }
})

const makeSettlePayout = (
  payouts: SandboxPayouts,
  notices: SandboxNotices,
  account: SandboxAccount
): SandboxSettler["settlePayout"] => {
  const step = (outcome: SandboxPayoutOutcome) =>
    Effect.fnUntraced(function* (payout: SandboxPayout, now: DateTime.Utc) {
      const next = Payout.stepTowards(payout, outcome._tag)
      if (next === undefined) {
        const { status } = payout
        return yield* new SandboxCannotSettle({ what: "payout", status, outcome: outcome._tag })
      }
      if (next === "nothing") return { entry: payout }
      const reason = outcome._tag === "completed" ? undefined : outcome.reason
      if (next === "reject") return { entry: Payout.reject(payout, reason, now) }
      if (next === "complete") {
        const endToEndId = yield* newEndToEndId(now)
        return {
          entry: Payout.complete(payout, endToEndId, now),
          keys: [endToEndKey(endToEndId)]
        }
      }
      const returnId = yield* newReturnId(now)
      return {
        entry: Payout.reverse(payout, { returnId, at: now, code: reason ?? returnCode }),
        keys: [returnIdKey(returnId)]
      }
    })

  return Effect.fn("SandboxPsp.settlePayout")(function* (reference, outcome) {
    for (;;) {
      const before = yield* payouts.find(reference)
      if (before === undefined) return yield* new SandboxPayoutNotFound({ reference })
      const after = yield* payouts.change(reference, step(outcome), before)
      if (after === undefined) return yield* new SandboxPayoutNotFound({ reference })
      if (after.version !== before.version) {
        const { amount, status } = after.value
        if (status === "rejected" || status === "reversed")
          yield* account.moved(`back ${reference}`, amount)
        yield* notices.notify([Payouts.noticeOf(payouts, after.value)])
      }
      if (Payout.stepTowards(after.value, outcome._tag) === "nothing") {
        return Payout.toPspPayout(after.value)
      }
    }
  })
}

const makeSettleRefund = (
  charges: SandboxCharges,
  refunds: SandboxRefunds,
  notices: SandboxNotices,
  account: SandboxAccount
): SandboxSettler["settleRefund"] => {
  const step = (outcome: SandboxRefundOutcome) =>
    Effect.fnUntraced(function* (refund: SandboxRefund, now: DateTime.Utc) {
      const next = Refund.stepTowards(refund, outcome)
      if (next === undefined) {
        return yield* new SandboxCannotSettle({ what: "refund", status: refund.status, outcome })
      }
      if (next === "nothing") return { entry: refund }
      if (next === "confirm") {
        const returnId = yield* newReturnId(now)
        return { entry: Refund.confirm(refund, returnId, now), keys: [returnIdKey(returnId)] }
      }
      // The payment can go back again.
      const { amount, charge, endToEndId, reference } = refund
      const paid = yield* charges.find(charge)
      if (paid === undefined) return yield* Effect.die(`the charge ${charge} is not in the book`)
      const kept = giveBack(paid.value, {
        endToEndId,
        amount: -amount as Centavos,
        reference
      })
      return {
        entry: Refund.reject(refund, now),
        updates: [Kind.update(SandboxChargeKind, paid, kept)]
      }
    })

  return Effect.fn("SandboxPsp.settleRefund")(function* (reference, outcome) {
    const before = yield* refunds.find(reference)
    if (before === undefined) return yield* new SandboxRefundNotFound({ reference })
    const after = yield* refunds.change(reference, step(outcome), before)
    if (after === undefined) return yield* new SandboxRefundNotFound({ reference })
    if (after.version !== before.version) {
      const { amount, status } = after.value
      if (status === "rejected") yield* account.moved(`back ${reference}`, amount)
      yield* notices.notify([Refunds.noticeOf(refunds, after.value)])
    }
    return Refund.toPspRefund(after.value)
  })
}

/** Returned at the wish of the one who had received it (BACEN Pix, reason of a return). */
const returnCode = "MD06"
