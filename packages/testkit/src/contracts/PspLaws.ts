import { assert } from "@effect/vitest"
import { DateTime, Effect, Option, Random, Schedule } from "effect"
import type { PspCharge, PspFinding, PspOutcome } from "@pagora/core"
import { Money } from "@pagora/core"
import type { PspAbilities } from "./PspUnderTest.ts"
import { PspUnderTest } from "./PspUnderTest.ts"

/** What must hold of every PSP that can do what the law needs. */
export interface Law {
  /** Reads as a sentence, for it is the name of the test. */
  readonly title: string
  readonly needs: ReadonlyArray<keyof PspAbilities>
  readonly proof: Effect.Effect<void, unknown, PspUnderTest>
}

/** A reference that was never used. */
export const newReference: Effect.Effect<string> = Effect.map(
  Effect.replicateEffect(Random.nextIntBetween(0, 16, { halfOpen: true }), 32),
  (digits) => digits.map((digit) => digit.toString(16)).join("")
)

/** 12.34 */
export const amount = Money.Centavos.make(1234n)

/** A charge of 12.34 for an hour, made at the PSP. */
export const aCharge: Effect.Effect<PspCharge, never, PspUnderTest> = Effect.gen(function* () {
  const { psp } = yield* PspUnderTest
  const reference = yield* newReference
  return doneValue(yield* psp.createCharge({ reference, amount, expiresInSeconds: 3600 }))
})

/** The charge as the PSP has it now; it must be there. */
export const found = Effect.fnUntraced(function* (reference: string) {
  const { psp } = yield* PspUnderTest
  const charge = doneValue(yield* psp.findCharge(reference))
  return charge ?? assert.fail(`The PSP does not find the charge ${reference}.`)
})

export const doneValue = <A>(outcome: PspOutcome<A>): A =>
  outcome._tag === "Done" ? outcome.value : assert.fail(`Done was expected, not ${shown(outcome)}.`)

/** `Done` would mean that the PSP did what nobody can do. */
export const assertNotDone = (outcome: PspOutcome<unknown>, what: string): void =>
  assert.notStrictEqual(outcome._tag, "Done", `The PSP answered Done to ${what}.`)

/** What a charge asks for, which never changes. */
export const termsOf = (charge: PspCharge) => ({
  reference: charge.reference,
  pspPaymentId: charge.pspPaymentId,
  amount: charge.amount,
  pixCopyPaste: charge.pixCopyPaste,
  createdAt: DateTime.formatIso(charge.createdAt),
  expiresAt: DateTime.formatIso(charge.expiresAt)
})

/** Looks until there is something to see, as long as it may take. */
export const eventually = Effect.fnUntraced(function* <A, E, R>(
  look: Effect.Effect<A | undefined, E, R>,
  what: string
): Effect.fn.Return<A, E, R | PspUnderTest> {
  const { patience = "5 seconds" } = yield* PspUnderTest
  const seen = yield* look.pipe(
    Effect.repeat({ while: (seen) => seen === undefined, schedule: Schedule.spaced("100 millis") }),
    Effect.timeoutOption(patience),
    Effect.map(Option.getOrUndefined)
  )
  return seen ?? assert.fail(`It did not show in time: ${what}.`)
})

/** From before the first of them to after the last. */
export const periodOf = (payments: ReadonlyArray<{ readonly paidAt: DateTime.Utc }>) => {
  const times = payments.map(({ paidAt }) => paidAt)
  const [first, ...more] = times
  if (first === undefined) return assert.fail("There are no payments.")
  const from = more.reduce((one, other) => DateTime.min(one, other), first)
  const to = more.reduce((one, other) => DateTime.max(one, other), first)
  return { from: DateTime.subtract(from, { seconds: 2 }), to: DateTime.add(to, { seconds: 2 }) }
}

/** Each finding has a name for programs, and words for people. */
export const assertWorded = (findings: ReadonlyArray<PspFinding>): void => {
  assert.isNotEmpty(findings)
  for (const { message, name } of findings) {
    assert.match(name, /^[a-z][a-z-]*$/)
    assert.notStrictEqual(message, "")
  }
}

/** The end-to-end id of a payment that was never made. */
export const neverPaid = "E99999999202601011200abcdefghijk"

/** What no payment can have. */
export const impossibleAmounts = [0n, -1n, 10n ** 30n].map((centavos) =>
  Money.Centavos.make(centavos)
)

/** What no txid can be. */
export const strangeReferences = [
  "",
  "a",
  "0123456789012345678901234",
  "012345678901234567890123456789012345",
  "../../../../../../../../etc/passwd",
  "01234567890123456789012345?a=b#c",
  "' OR '1'='1' -- 0123456789012345",
  "çãéíóúçãéíóúçãéíóúçãéíóúçãéíóú",
  "0123456789\u00000123456789012345",
  "01234567890123456789012345\n"
]

const shown = (outcome: PspOutcome<unknown>): string =>
  outcome._tag === "Rejected"
    ? `Rejected (${outcome.code}: ${outcome.message})`
    : outcome._tag === "Done"
      ? "Done"
      : `${outcome._tag} (${outcome.detail})`
