import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { codeOf, world, Written } from "../world/ServiceWorld.test-data.ts"

/** Sends the amount exactly as it is written here. */
const charging = (source: string) =>
  Effect.gen(function* () {
    const { audit, shop } = yield* journey()
    const before = (yield* Written).units.length
    const answer = yield* shop.call("POST", "/pix", { body: `{"amount":${source}}` })
    const written = (yield* Written).units.length - before
    yield* audit
    return { answer, written, shop }
  })

/** As it is written, and what every answer shows. */
const taken: ReadonlyArray<readonly [source: string, amount: number]> = [
  ["0.01", 0.01],
  ["0.1", 0.1],
  ["0.10", 0.1],
  ["1", 1],
  ["1.0", 1],
  ["1.00", 1],
  ["10.5", 10.5],
  ["10.50", 10.5],
  ["19.99", 19.99],
  ["0.29", 0.29],
  ["1.15", 1.15],
  ["4.35", 4.35],
  ["8.41", 8.41],
  ["64.10", 64.1],
  ["1234567.89", 1_234_567.89],
  ["9999999999", 9_999_999_999],
  ["9999999999.99", 9_999_999_999.99],
  [" 10 ", 10]
]

const refused: ReadonlyArray<string> = [
  "0",
  "0.0",
  "0.00",
  "-0",
  "-0.0",
  "-0.01",
  "-10",
  "10000000000",
  "10000000000.00",
  "9999999999.999",
  "9e15",
  "9007199254740993",
  "1e1",
  "1E1",
  "1e+1",
  "10e-1",
  "1E-7",
  "1e21",
  "1e400",
  "0.001",
  "0.009",
  "10.005",
  "10.000",
  "10.050000000000000001",
  "0.1000000000000000055511151231257827",
  "99999999999999999999999999999999999999",
  '"10"',
  '"10.00"',
  '""',
  "null",
  "true",
  "[]",
  "[10]",
  "{}",
  '{"value":10}'
]

/** What JSON has no word for: the document is refused before anybody looks at its fields. */
const malformed: ReadonlyArray<string> = [
  "NaN",
  "Infinity",
  "-Infinity",
  "01",
  "00",
  "-01",
  ".5",
  "5.",
  "+1",
  "1_000",
  "1,5",
  "1,000.00",
  "0x10",
  "0b1",
  "1n",
  "١٠",
  "1 0",
  "1.2.3",
  "--1",
  "1e",
  "undefined",
  ""
]

describe("the amount of a charge", () => {
  it.effect.each(taken)("%s is taken to the centavo", ([source, amount]) =>
    Effect.gen(function* () {
      const { answer, shop } = yield* charging(source)
      assert.strictEqual(answer.status, 201, answer.text)
      assert.strictEqual(answer.json.amount, amount)
      const found = yield* shop.call("GET", `/transactions/${answer.json.id}`)
      assert.strictEqual(found.json.amount, amount)
      // The code that the payer scans says the same, with two decimals.
      const inCode = `54${String(amount.toFixed(2).length).padStart(2, "0")}${amount.toFixed(2)}`
      assert.include(answer.json.pixCopyPaste, inCode)
    }).pipe(Effect.provide(world))
  )

  it.effect.each(refused)("%s is refused, and nothing is written", (source) =>
    Effect.gen(function* () {
      const { answer, written } = yield* charging(source)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      assert.match(String(answer.json.message), /^amount: /)
      assert.strictEqual(written, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect.each(malformed)("%s is not JSON, and nothing is written", (source) =>
    Effect.gen(function* () {
      const { answer, written } = yield* charging(source)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "MALFORMED_JSON")
      assert.strictEqual(written, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("of a charge that is paid arrives in the balance without a rounding", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const amounts = [0.01, 0.1, 0.2, 0.29, 1.15, 4.35, 8.41, 64.1, 19.99, 9_999_999_999.99]
      for (const amount of amounts) {
        yield* story.pay(yield* story.charge({ amount }))
      }
      const { available } = yield* story.figures
      assert.strictEqual(available, 1_000_000_009_859)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
