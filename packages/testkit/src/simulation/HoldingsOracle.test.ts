import { assert, describe, it } from "@effect/vitest"
import type { Centavos, StoredRow } from "@pagora/core"
import { PspCredentialId } from "@pagora/core"
import type { Bank } from "./banks/Bank.ts"
import type { Books, StoredOperation } from "./Books.ts"
import { judgeByHoldings } from "./HoldingsOracle.ts"

const psp = PspCredentialId.make("00000000-0000-7000-8000-000000000001")

const stored = (
  kind: string,
  status: string,
  document: StoredOperation["document"] = {}
): StoredOperation => ({
  row: { id: psp, kind, status, amount: 100n as Centavos } as Partial<StoredRow> as StoredRow,
  document: { pspCredentialId: psp, ...document },
  booked: [],
  isInReview: false
})

const judge = (holds: bigint, found: string, operations: Books["operations"] = []) => {
  const bank = { holdings: { holds: () => holds, close: () => undefined } } as Partial<Bank> as Bank
  const books: Books = {
    operations,
    clearing: new Map([[psp, -1_000n]]),
    parked: new Set(),
    contradicted: new Map(),
    audit: []
  }
  return judgeByHoldings(
    books,
    new Map([[psp, { at: "", unexplained: found }]]),
    new Map([[psp, bank]])
  )
}

describe("the oracle of balances", () => {
  it("has nothing to say where what was found is what there is more, or less", () => {
    assert.isEmpty(judge(1_000n, "0"))
    assert.isEmpty(judge(1_007n, "7"))
    assert.isEmpty(judge(993n, "-7"))
  })

  it("finds a difference that was not told, and one that is none", () => {
    assert.deepStrictEqual(judge(993n, "0"), [`balances: 0 is told of ${psp}, and it is -7`])
    assert.deepStrictEqual(judge(1_000n, "7"), [`balances: 7 is told of ${psp}, and it is 0`])
  })

  it("lets what is under way explain that there is less, and nothing else", () => {
    const sent = stored("withdrawal", "processing", { sentAt: "2026-11-24", feeAmount: "10" })
    assert.isEmpty(judge(910n, "0", [sent]))
    assert.isEmpty(judge(900n, "-10", [sent]))
    assert.isEmpty(judge(900n, "0", [stored("return", "requested")]))
    assert.isNotEmpty(judge(900n, "0", [stored("withdrawal", "processing")]))
    assert.isNotEmpty(judge(900n, "0", [stored("return", "confirmed")]))
  })
})
