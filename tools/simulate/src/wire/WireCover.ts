import type { NewPspPayout, PspBalance, PspOutcome, PspShape } from "@pagora/core"
import { Effect, Exit } from "effect"

/** What a process was told of a balance, and what it has sent since. */
interface Told {
  /** Undefined: nothing that it could go by. */
  readonly available: bigint | undefined
  readonly sent: Map<string, bigint>
}

/** A payout may have been judged by an answer before the last: so many of them count. */
const answersMax = 4

/** Watches that payouts leave only where what was told of the balance covers them. */
export interface CoverWatch {
  /** The same PSP, for one process. */
  readonly watch: (psp: PspShape) => PspShape
  readonly complaints: ReadonlyArray<string>
}

export const makeCoverWatch = (): CoverWatch => {
  const complaints: Array<string> = []
  /** What left once may go out again whatever there is. */
  const known = new Set<string>()

  const judge = (told: ReadonlyArray<Told>, { amount, reference }: NewPspPayout): void => {
    const [last] = told.toReversed()
    if (last === undefined)
      complaints.push(`payout ${reference} is sent, and nobody has asked what there is for it`)
    else if (told.every((one) => !isEnough(one, amount)))
      complaints.push(
        `payout ${reference} over ${amount} is sent, and ${last.available} was told, of which ${sumOf(last)} is sent`
      )
  }

  return {
    complaints,
    watch: (psp) => {
      const { balance } = psp
      if (balance === undefined) return psp
      let told: ReadonlyArray<Told> = []
      const hears = (exit: Exit.Exit<PspOutcome<PspBalance>>): void => {
        const available = availableIn(exit)
        told = [...told, { available, sent: new Map<string, bigint>() }].slice(-answersMax)
      }
      const leaves = (asked: NewPspPayout): void => {
        const { amount, isRepeat = false, reference } = asked
        // What left before may be what has taken its money, so that a balance of since is without it.
        if (isRepeat || known.has(reference)) return
        judge(told, asked)
        known.add(reference)
        for (const { sent } of told) sent.set(reference, amount)
      }
      const ended = (reference: string, exit: Exit.Exit<PspOutcome<unknown>>): void => {
        const outcome = Exit.isSuccess(exit) ? exit.value._tag : "Unknown"
        // Where the bank certainly did nothing, its money is there for others.
        if (outcome === "Done" || outcome === "Unknown") return
        for (const { sent } of told) sent.delete(reference)
      }
      return {
        ...psp,
        balance: () => Effect.onExit(balance(), (exit) => Effect.sync(() => hears(exit))),
        sendPayout: (asked) =>
          Effect.suspend(() => {
            leaves(asked)
            return Effect.onExit(psp.sendPayout(asked), (exit) =>
              Effect.sync(() => ended(asked.reference, exit))
            )
          })
      }
    }
  }
}

const sumOf = ({ sent }: Told): bigint => [...sent.values()].reduce((sum, one) => sum + one, 0n)

const isEnough = (told: Told, amount: bigint): boolean =>
  told.available === undefined || sumOf(told) + amount <= told.available

const availableIn = (exit: Exit.Exit<PspOutcome<PspBalance>>): bigint | undefined =>
  Exit.isSuccess(exit) && exit.value._tag === "Done" ? exit.value.value.available : undefined
