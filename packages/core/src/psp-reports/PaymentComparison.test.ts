import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import { PspCredentialId } from "../kernel/Ids.ts"
import { nextComparison, nextPeriod, PaymentComparison } from "./PaymentComparison.ts"

const psp = PspCredentialId.make("01a20da4-0000-7000-8000-000000000001")
const at = (time: string) => DateTime.makeUnsafe(`2026-11-${time}:00.000Z`)
const through = (time: string) => new PaymentComparison({ id: psp, through: at(time) })
const noon = at("21T12:00")

describe("the payments that are compared next", () => {
  it.each([
    ["of a day, where there were none before", undefined, "20T11:00", "21T11:55"],
    ["since an hour before the last ones, to five minutes ago", "21T11:00", "21T10:00", "21T11:55"],
    ["of a day at most, where more are missing", "18T12:00", "18T11:00", "19T12:00"],
    ["none that were not paid yet when they were compared", "21T11:58", "21T10:58", "21T11:58"]
  ])("are those %s", (_, before, from, to) => {
    const next = nextPeriod(before === undefined ? undefined : through(before), noon)
    assert.deepStrictEqual(next, { from: at(from), to: at(to) })
  })

  it("are compared in an hour, or at once where they are a period behind", () => {
    const to = at("21T11:55")
    assert.deepStrictEqual(nextComparison({ from: to, to }, noon), at("21T13:00"))
    const behind = at("21T10:59")
    assert.deepStrictEqual(nextComparison({ from: behind, to: behind }, noon), noon)
  })
})
