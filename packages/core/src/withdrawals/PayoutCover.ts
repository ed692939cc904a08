import { DateTime, Duration, Effect, Semaphore } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { PspShape } from "../ports/Psp.ts"
import { PspOutcome } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import { wasNotAsked } from "../psp-calls/PspCircuit.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Cover, Needed } from "./PayoutFunds.ts"
import { PayoutFunds } from "./PayoutFunds.ts"

/** Tells whether PSPs hold enough for payouts, and keeps account of what this process has promised to them. */
export interface PayoutCover {
  readonly take: (
    id: PspCredentialId,
    psp: Pick<PspShape, "balance">,
    needed: Needed
  ) => Effect.Effect<Cover>
  /** What became of one that was sent; undefined: it did not leave. */
  readonly sent: (
    id: PspCredentialId,
    reference: string,
    outcome: PspOutcome<unknown> | undefined
  ) => Effect.Effect<void>
}

type Asked = ReturnType<NonNullable<PspShape["balance"]>>

/** A balance is advice: payouts do not wait longer for it, and the PSP refuses by itself what it cannot pay. */
const heardWithin = Duration.seconds(5)
const untold = PspOutcome.unknown("no answer in time")

/** How often the same is told of a PSP that holds too little, as long as it does. */
const tellAgain = Duration.minutes(10)

/** What an operator is told to do, by whether the PSP's own balance says that it holds too little. */
const shortages = {
  short: "A PSP holds too little for a payout, which waits: bring money to the account there.",
  contradicted:
    "A PSP refuses a payout for want of money, though the balance that it tells covers it: ask it what it keeps back, or give the payout up. It is sent again less and less often."
} as const
type Shortage = keyof typeof shortages

interface OfPsp {
  readonly funds: PayoutFunds
  /** Whoever finds nothing that counts asks, and the others wait for what he hears. */
  readonly turn: Semaphore.Semaphore
  /** When it was told last of each kind. */
  readonly toldAt: Map<Shortage, number>
}

/**
 * Each process goes by what it was told and has sent itself. Several may be covered by the same money at once, as many
 * payouts as may be under way (`payoutsAtOnce`); the PSP refuses what it cannot pay, and that waits as well (decision 0106).
 */
export const makePayoutCover = (time: ServiceTime["Service"]): PayoutCover => {
  const now = Effect.map(time.now, DateTime.toEpochMillis)
  const all = new Map<PspCredentialId, OfPsp>()
  const at = (id: PspCredentialId): OfPsp => {
    const known = all.get(id)
    if (known !== undefined) return known
    const made = { funds: new PayoutFunds(), turn: Semaphore.makeUnsafe(1), toldAt: new Map() }
    all.set(id, made)
    return made
  }

  /** Not by each payout that waits: they stand in the operator's line. */
  const tell = Effect.fnUntraced(function* (id: PspCredentialId, of: OfPsp, shortage: Shortage) {
    const at = yield* now
    const told = of.toldAt.get(shortage) ?? -Infinity
    if (at >= told && at < told + Duration.toMillis(tellAgain)) return
    of.toldAt.set(shortage, at)
    yield* Effect.logError(shortages[shortage]).pipe(Effect.annotateLogs({ psp: id }))
  })

  const asked = Effect.fnUntraced(function* (
    { funds }: OfPsp,
    needed: Needed,
    { ask, since }: { readonly ask: Asked; readonly since: number }
  ): Effect.fn.Return<Cover> {
    // What somebody else has heard meanwhile counts for all who waited, or a slow PSP would be asked by one after the other.
    if (funds.isToldSince(since)) return funds.judge(needed, yield* now)
    const askedAt = yield* now
    const outcome = yield* Effect.timeoutOrElse(callPsp("balance", ask), {
      duration: heardWithin,
      orElse: () => Effect.succeed(untold)
    })
    // Nothing was learnt, and nothing is kept: by the time a payout leaves the PSP may answer again.
    if (wasNotAsked(outcome)) return "unasked"
    const available = outcome._tag === "Done" ? outcome.value.available : undefined
    funds.tell(available, askedAt, yield* now)
    return funds.judge(needed, yield* now)
  })

  return {
    take: Effect.fnUntraced(function* (id, psp, needed) {
      const balance = psp.balance?.()
      if (balance === undefined) return "untold"
      const of = at(id)
      const since = yield* now
      const known = of.funds.cover(needed, since)
      const cover = known ?? (yield* of.turn.withPermit(asked(of, needed, { ask: balance, since })))
      if (cover === "short") yield* tell(id, of, "short")
      return cover
    }),
    sent: Effect.fnUntraced(function* (id, reference, outcome) {
      const of = at(id)
      const shortage = of.funds.isTakenBy(reference) ? "contradicted" : "short"
      of.funds.sent(reference, outcome, yield* now)
      if (outcome?._tag === "NotNow" && outcome.needsMoney === true) yield* tell(id, of, shortage)
    })
  }
}
