import { Duration } from "effect"
import type { Centavos } from "../kernel/Money.ts"
import { sum } from "../kernel/Money.ts"
import type { PspOutcome } from "../ports/Psp.ts"

/**
 * Whether what a PSP holds is enough for a payout.
 *
 * - `covered`: it is, and so much of it is that payout's from now on;
 * - `short`: it is not;
 * - `untold`: the PSP does not say what it holds. It refuses by itself what it cannot pay;
 * - `unasked`: it was not asked, as it is left alone for now, or was let go this moment.
 */
export type Cover = "covered" | "short" | "untold" | "unasked"

/** How long what a PSP told of its balance is gone by. */
const fundsLimits = {
  /** While it covers what is asked for, or could not be learnt: a flood of payouts asks for it once in this time. */
  covering: Duration.seconds(5),
  /** While it does not: money may have come in. */
  short: Duration.seconds(1),
  /** A payout that was not answered may take its money so much later. */
  unanswered: Duration.minutes(1)
} as const

/** What a payout needs. */
export interface Needed {
  readonly reference: string
  readonly amount: Centavos
}

interface Told {
  readonly at: number
  /** Undefined where it was not told. */
  readonly available: Centavos | undefined
}

/** Money that is a payout's; what the PSP told before `until` may not show yet that it is gone. */
interface Taken {
  readonly amount: Centavos
  readonly until: number
}

/**
 * What one PSP holds, as far as this process knows: what it told last, without what was promised to payouts since. Times are
 * those of the business, in milliseconds.
 */
export class PayoutFunds {
  #told: Told | undefined = undefined
  readonly #taken = new Map<string, Taken>()

  /** Undefined where the PSP has to be asked first. */
  cover(needed: Needed, now: number): Cover | undefined {
    const told = this.#told
    if (told === undefined || !isWithin(fundsLimits.covering, told.at, now)) return undefined
    const cover = this.judge(needed, now)
    return cover === "short" && !isWithin(fundsLimits.short, told.at, now) ? undefined : cover
  }

  /** By what was told last, however long ago. */
  judge({ amount, reference }: Needed, now: number): Cover {
    const available = this.#told?.available
    if (available === undefined) return "untold"
    const others = [...this.#taken].flatMap(([name, taken]) =>
      name === reference ? [] : [taken.amount]
    )
    if (amount > available - sum(others)) return "short"
    this.#taken.set(reference, { amount, until: now + Duration.toMillis(fundsLimits.unanswered) })
    return "covered"
  }

  /**
   * What the PSP told, asked at `askedAt` and answered at `at`: what was taken before it was asked is not in it any more. However
   * long it took, its answer counts from then on, or whoever waited for it would have to ask again.
   */
  tell(available: Centavos | undefined, askedAt: number, at: number = askedAt): void {
    this.#told = { at, available }
    // Beyond all that may be under way is a time of a clock that was ahead.
    const last = at + Duration.toMillis(fundsLimits.unanswered)
    for (const [reference, { until }] of this.#taken)
      if (until < askedAt || until > last) this.#taken.delete(reference)
  }

  /** Whether it was told, or found untold, since. */
  isToldSince(since: number): boolean {
    return this.#told !== undefined && this.#told.at >= since
  }

  /** Whether so much of it is this payout's. */
  isTakenBy(reference: string): boolean {
    return this.#taken.has(reference)
  }

  /** What became of a payout that was covered: where the PSP certainly did nothing, its money is there for others. */
  sent(reference: string, outcome: PspOutcome<unknown> | undefined, now: number): void {
    const taken = this.#taken.get(reference)
    if (outcome?._tag === "NotNow" && outcome.needsMoney === true) this.#told = undefined
    if (taken === undefined || outcome?._tag === "Unknown") return
    if (outcome?._tag === "Done") this.#taken.set(reference, { ...taken, until: now })
    else this.#taken.delete(reference)
  }
}

/** Time that went back tells nothing. */
const isWithin = (duration: Duration.Duration, since: number, now: number): boolean =>
  now >= since && now < since + Duration.toMillis(duration)
