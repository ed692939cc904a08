import type { Centavos, PspOutcome } from "@pagora/core"
import { PspOutcome as Outcome } from "@pagora/core"
import { Duration } from "effect"
import { aWhile } from "./BankAgenda.ts"
import type { LieName } from "./BankUntruths.ts"
import type { BankVault } from "./BankVault.ts"

/** What a liar has in hand. */
interface LieContext<A> {
  /** Does what was asked, found not before an instant where one is given, and answers the truth. */
  readonly honest: (from?: number) => PspOutcome<A>
  /** Another reference that the lie is about as well. */
  readonly touch: (reference: string) => void
}

/** Tells what is not so; the truth itself where there is nothing to lie about. */
export interface Lie<A> {
  readonly name: LieName
  readonly tell: (context: LieContext<A>) => PspOutcome<A>
}

/** A lie about what is under the reference, where anything is: what is told instead, or nothing where the truth is. */
export const about =
  <Value extends object>(
    name: LieName,
    change: (value: Value, touch: (reference: string) => void) => Value | undefined
  ) =>
  <A extends Value | undefined>(): Lie<A> => ({
    name,
    tell: ({ honest, touch }) => {
      const truth = honest()
      if (truth._tag !== "Done" || truth.value === undefined) return truth
      const told = change(truth.value as Value, touch)
      return told === undefined ? truth : Outcome.done(told as A)
    }
  })

export const notThere = <A>(): Lie<A | undefined> => ({
  name: "not there",
  tell: ({ honest }) => {
    const truth = honest()
    return truth._tag === "Done" && truth.value !== undefined ? Outcome.done(undefined) : truth
  }
})

export const denied = <A>(): Lie<A> => ({
  name: "refused, and was taken",
  tell: ({ honest }) => {
    const truth = honest()
    return truth._tag === "Done" ? Outcome.rejected("refused", "The bank does not take it.") : truth
  }
})

export const anotherAmount = <A extends { readonly amount: Centavos }>(value: A): A => ({
  ...value,
  amount: off(value.amount)
})

/** Nearly the same amount. */
export const off = (amount: Centavos): Centavos =>
  (amount > 1n ? amount - 1n : amount + 1n) as Centavos

/** Breaking the promise of how long "not found" can change. */
export const lateLies = (vault: BankVault) => {
  const { agenda, capabilities, chance, world } = vault
  const minute = 60_000
  const final = Duration.toMillis(capabilities.notFoundIsFinalAfter)
  const tooLate = (): number => final + aWhile(chance, minute, 360 * minute)

  return <A>(what: string): ReadonlyArray<Lie<A>> => [
    {
      name: "arrives too late",
      tell: ({ honest }) => {
        agenda.later(tooLate(), `${what} arrives too late`, () => void honest())
        return Outcome.unknown("The answer was lost on its way.")
      }
    },
    {
      name: "hidden too long",
      tell: ({ honest }) => {
        honest(world.now() + tooLate())
        return Outcome.unknown("The answer was lost on its way.")
      }
    }
  ]
}

export type LateLies = ReturnType<typeof lateLies>
