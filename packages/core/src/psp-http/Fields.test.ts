import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { fieldsOf, Misfit } from "./Fields.ts"

const answer = fieldsOf({
  charge: { value: 1_234, text: "12.34", at: "2026-01-02T03:04:05Z", status: "PAID", paid: true },
  times: {
    there: "2026-01-02T00:04:05.5-03:00",
    nowhere: "2026-01-02T03:04:05",
    day: "2026-01-02"
  },
  word: "constructor",
  list: [{ value: 1 }, { value: -1 }, "no object"]
})
const placeOf = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    if (error instanceof Misfit) return error.place
  }
  return assert.fail("It fits.")
}

describe("the fields of an answer", () => {
  it("are values of the port", () => {
    assert.strictEqual(answer.centavos("charge.value"), 1_234n)
    assert.strictEqual(answer.reais("charge.text"), 1_234n)
    assert.strictEqual(DateTime.formatIso(answer.time("charge.at")), "2026-01-02T03:04:05.000Z")
    const there = DateTime.formatIso(answer.time("times.there"))
    assert.strictEqual(there, "2026-01-02T03:04:05.500Z")
    assert.strictEqual(answer.word("charge.status", { PAID: "paid" }), "paid")
    assert.strictEqual(answer.word("charge.status", { OPEN: "active" }, "other"), "other")
    assert.isTrue(answer.isTrue("charge.paid"))
    assert.strictEqual(answer.at("charge").int("value"), 1_234)
  })

  it("may be left out where that is said", () => {
    assert.isUndefined(answer.textIf("charge.gone"))
    assert.isUndefined(answer.textIf("charge.gone", "gone"))
    assert.strictEqual(answer.textIf("charge.gone", "charge.text", "word"), "12.34")
    assert.isUndefined(answer.timeIf("gone.at"))
    assert.isUndefined(answer.centavosIf("charge.gone"))
    assert.isFalse(answer.isTrue("gone"))
    assert.isFalse(answer.has("charge.gone"))
    assert.deepStrictEqual(answer.list("gone"), [])
  })

  it.each([
    ["charge.gone", () => answer.text("charge.gone")],
    ["charge.value", () => answer.textIf("charge.value")],
    ["charge.value", () => answer.textIf("charge.value", "charge.text")],
    ["charge.status", () => answer.word("charge.status", { OPEN: "active" })],
    ["times.nowhere", () => answer.time("times.nowhere")],
    ["times.day", () => answer.timeIf("times.day")],
    ["word", () => answer.word("word", { OPEN: "active" })],
    ["charge.text", () => answer.centavos("charge.text")],
    ["charge.text.below", () => answer.textIf("charge.text.below")],
    ["list.1.value", () => answer.list("list")[1]?.centavos("value")],
    ["list.2.value", () => answer.list("list")[2]?.int("value")],
    ["charge", () => answer.list("charge")],
    ["any", () => fieldsOf(undefined).textIf("any")]
  ])("that do not fit say where they stand: %s", (place, read) => {
    assert.strictEqual(placeOf(read), place)
  })
})
