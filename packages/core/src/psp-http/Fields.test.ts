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
    assert.strictEqual(answer.word("charge.status", { paid: "PAID" }), "paid")
    assert.strictEqual(answer.word("charge.status", { active: "OPEN" }, "other"), "other")
    const meanings = { paid: ["SETTLED", "PAID"], active: [] }
    assert.strictEqual(answer.word("charge.status", meanings), "paid")
    assert.isTrue(answer.isTrue("charge.paid"))
    assert.strictEqual(answer.at("charge").int("value"), 1_234)
    assert.strictEqual(answer.list("list").length, 3)
    assert.strictEqual(answer.int("list.1.value"), -1)
  })

  it("may be left out where that is said", () => {
    assert.isUndefined(answer.textIf("charge.gone"))
    assert.isUndefined(answer.textIf("charge.gone", "gone"))
    assert.strictEqual(answer.textIf("charge.gone", "charge.text", "word"), "12.34")
    assert.isUndefined(answer.timeIf("gone.at"))
    assert.isUndefined(answer.centavosIf("charge.gone"))
    assert.isFalse(answer.isTrue("gone"))
    assert.isFalse(answer.has("charge.gone"))
    assert.deepStrictEqual(answer.listIf("gone"), [])
    assert.isUndefined(answer.textIf("list.3.value"))
  })

  it("have words in one of several forms", () => {
    const said = (json: unknown) => fieldsOf(json).words("error", "error.0", "error.0.message")
    for (const error of ["No.", ["No.", "Never."], [{ message: "No." }]])
      assert.strictEqual(said({ error }), "No.")
    for (const json of [{}, { error: "" }, { error: [] }, { error: [{}] }, { error: 1 }, undefined])
      assert.strictEqual(
        placeOf(() => said(json)),
        "error or error.0 or error.0.message"
      )
  })

  it("are those of what was asked about", () => {
    const charge = answer.at("charge").about({ status: "PAID", text: "12.34" })
    assert.strictEqual(charge.int("value"), 1_234)
    assert.strictEqual(
      placeOf(() => answer.at("charge").about({ text: "12.34", status: "OPEN" })),
      "charge.status"
    )
    assert.strictEqual(
      placeOf(() => answer.about({ gone: "1" })),
      "gone"
    )
  })

  it.each([
    ["gone", () => answer.list("gone")],
    ["list.first", () => answer.textIf("list.first")],
    ["charge.gone", () => answer.text("charge.gone")],
    ["charge.value", () => answer.textIf("charge.value")],
    ["charge.value", () => answer.textIf("charge.value", "charge.text")],
    ["charge.status", () => answer.word("charge.status", { active: "OPEN" })],
    ["times.nowhere", () => answer.time("times.nowhere")],
    ["times.day", () => answer.timeIf("times.day")],
    ["word", () => answer.word("word", { active: "OPEN" })],
    ["charge.text", () => answer.centavos("charge.text")],
    ["charge.text.below", () => answer.textIf("charge.text.below")],
    ["list.1.value", () => answer.list("list")[1]?.centavos("value")],
    ["list.2.value", () => answer.listIf("list")[2]?.int("value")],
    ["charge", () => answer.list("charge")],
    ["charge", () => answer.listIf("charge")],
    ["any", () => fieldsOf(undefined).textIf("any")]
  ])("that do not fit say where they stand: %s", (place, read) => {
    assert.strictEqual(placeOf(read), place)
  })
})
