import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { AccountId } from "../kernel/Ids.ts"
import { counterKey, resetOf } from "./PeriodLimit.ts"

const account = "00000000-0000-7000-8000-000000000001" as AccountId
const at = (iso: string) => DateTime.makeUnsafe(iso)
const keys = (iso: string) => [
  counterKey("charge", account, "daily", at(iso)).split("/").at(-1),
  counterKey("charge", account, "monthly", at(iso)).split("/").at(-1)
]

describe("the periods of limits", () => {
  it("are the days and months of São Paulo", () => {
    assert.deepStrictEqual(keys("2026-12-01T02:59:59.999Z"), ["2026-11-30", "2026-11"])
    assert.deepStrictEqual(keys("2026-12-01T03:00:00.000Z"), ["2026-12-01", "2026-12"])
    assert.deepStrictEqual(keys("2027-01-01T02:00:00.000Z"), ["2026-12-31", "2026-12"])
  })

  it("end when the next one begins there", () => {
    const reset = (period: "daily" | "monthly", iso: string) =>
      DateTime.formatIso(resetOf(period, at(iso)))
    assert.strictEqual(reset("daily", "2026-12-01T02:59:59.999Z"), "2026-12-01T03:00:00.000Z")
    assert.strictEqual(reset("daily", "2026-12-01T03:00:00.000Z"), "2026-12-02T03:00:00.000Z")
    assert.strictEqual(reset("monthly", "2026-12-31T12:00:00.000Z"), "2027-01-01T03:00:00.000Z")
  })

  it("do not meet those of another account, or of what else it does", () => {
    const other = "00000000-0000-7000-8000-000000000002" as AccountId
    const noon = at("2026-11-21T12:00:00.000Z")
    const key = counterKey("charge", account, "daily", noon)
    assert.notStrictEqual(key, counterKey("charge", other, "daily", noon))
    assert.notStrictEqual(key, counterKey("withdrawal", account, "daily", noon))
  })
})
