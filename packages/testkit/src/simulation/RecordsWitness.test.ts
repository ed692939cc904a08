import type { Unit, UnitId, WriteId } from "@pagora/core"
import { MergedUnit } from "@pagora/core"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { newId, rowOf } from "../contracts/StorageLaws.ts"
import { DoorWitness } from "./DoorWitness.ts"

const at = DateTime.makeUnsafe("2026-11-24T13:00:00Z")
const subject = newId()

/** That what a PSP says of a return is to be on record by a name. */
const recorded = (name: string, said: object): Unit => {
  const document = JSON.stringify({ subject, evidence: JSON.stringify(said) })
  const row = rowOf({ table: "registry", kind: "discrepancy", document })
  const keys = [{ space: "discrepancy", key: name, holder: row.id }]
  return { id: newId<UnitId>(), at, inserts: [row], keys }
}

/** What the witness says where the second of two records is taken for the first. */
const turnedAway = (first: Unit, second: Unit): ReadonlyArray<string> => {
  const witness = new DoorWitness(() => DateTime.toEpochMillis(at))
  const write = (unit: Unit) => [MergedUnit.merge([unit], newId<WriteId>())]
  witness.saw("write", write(first), null)
  witness.saw("write", write(second), { expectation: "DuplicateKey" })
  return witness.violations
}

const one = { reference: "R1", status: "confirmed", amount: "100", settledAt: "13:00" }

describe("the witness of contradictions", () => {
  it("says that another one was taken for that which is on record", () => {
    const [found, ...more] = turnedAway(
      recorded("of a return", one),
      recorded("of a return", { ...one, reference: "R2" })
    )
    assert.match(found ?? "", /"R1".* is on record, and .*"R2".* was taken for the same$/)
    assert.isEmpty(more)
  })

  it("says nothing of a repeat in other words, nor of what has a name of its own", () => {
    const again = { ...one, settledAt: "13:05", rejection: { code: "later" } }
    const other = { ...one, reference: "R2" }
    assert.isEmpty(turnedAway(recorded("one", one), recorded("one", again)))
    assert.isEmpty(turnedAway(recorded("one", one), recorded("other", other)))
  })
})
