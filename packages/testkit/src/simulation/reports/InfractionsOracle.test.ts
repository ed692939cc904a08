import { assert, describe, it } from "@effect/vitest"
import type { Centavos, StoredRow } from "@pagora/core"
import type { Bank, BankInfraction, BankReports } from "../banks/Bank.ts"
import type { Books, StoredOperation } from "../Books.ts"
import { judgeByReports } from "./InfractionsOracle.ts"

const charge = "11111111-0000-7000-8000-000000000000"
const payment = "E1"

const stored = (
  kind: string,
  status: string,
  document: StoredOperation["document"] = {}
): StoredOperation => ({
  row: { id: kind, kind, status, amount: 100n as Centavos } as Partial<StoredRow> as StoredRow,
  document: { charge, source: charge, e2eId: payment, ...document },
  booked: [],
  isInReview: false
})

const hour = 3_600_000
const infraction: BankInfraction = {
  id: "fraud",
  endToEndId: payment,
  amount: 100n,
  reportedAt: 0,
  decidedAt: 5 * hour,
  isAccepted: false
}

const judge = (
  operations: Books["operations"],
  about: Partial<BankInfraction> = {},
  { approved = [], told = [] }: Readonly<Record<"approved" | "told", ReadonlyArray<string>>> = {
    approved: [],
    told: []
  }
) => {
  const reports: BankReports = {
    about: () => undefined,
    wakesAt: () => undefined,
    infractions: () => [{ ...infraction, ...about }]
  }
  const book = { movements: [] } as Partial<Bank["book"]> as Bank["book"]
  const bank = { book, reports } as Partial<Bank> as Bank
  const books: Books = {
    operations,
    clearing: new Map(),
    parked: new Set(),
    contradicted: new Map([[charge.replaceAll("-", ""), new Set(told)]]),
    audit: []
  }
  return judgeByReports(books, [bank], { approved: new Set(approved), calmAt: hour }).join()
}

const block = (status: string, document: StoredOperation["document"] = {}) =>
  stored("balance_block", status, { infraction: "fraud", ...document })

describe("the oracle of reports", () => {
  it("has nothing to say where a report had its block, and the block has ended", () => {
    assert.strictEqual(judge([block("rejected")]), "")
    assert.strictEqual(judge([block("awaiting_response")], { decidedAt: undefined }), "")
  })

  it("finds a report that claimed nothing, where it was there to be seen", () => {
    assert.match(judge([]), /^reports: infraction fraud was open for long, and has no block$/)
    assert.strictEqual(judge([], { decidedAt: 2 * hour }), "")
    assert.strictEqual(judge([stored("return", "confirmed")]), "")
  })

  it("finds a block that is left of a report that is over, but where a person has it", () => {
    const isLeft = /was decided, and block balance_block is awaiting_response$/
    const told = { approved: [], told: ["infraction_reported"] }
    assert.match(judge([block("awaiting_response")], {}, told), isLeft)
    assert.match(judge([block("awaiting_response")], { isAccepted: true }), isLeft)
    assert.strictEqual(judge([block("awaiting_response")], { isAccepted: true }, told), "")
    const inPart = block("awaiting_response", { returnedByPsp: "40" })
    assert.match(judge([inPart], { isAccepted: true }, told), isLeft)
  })

  it("finds what was borne beyond what was claimed, and what is claimed beyond that", () => {
    const byWord = stored("psp_return", "charged", { resolution: {} })
    const byPerson = stored("psp_return", "charged", { resolution: { by: "ana" } })
    const lower = (centavos: string) => block("approved", { returnedByPsp: centavos })
    assert.strictEqual(judge([byWord, lower("100")]), "")
    assert.strictEqual(judge([byPerson, lower("60")]), "")
    assert.match(judge([byWord, lower("60")]), /100 were borne, 100 of them by claims/)
    assert.match(judge([byPerson, lower("101")]), /which are lower by 101$/)
  })

  const at = (one: StoredOperation, hours: number): StoredOperation => {
    const digits = (hours * hour).toString(16).padStart(12, "0")
    const id = `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
    return { ...one, row: { ...one.row, id: id as StoredRow["id"] } }
  }
  const decided = new Date(6 * hour).toISOString()
  const open = stored("psp_return", "absorbed", { resolution: { by: "ana", at: decided } })

  it("finds an approval beside what the bank has given back, before anybody has said who bears that", () => {
    const approvedAt = (hours: number, returned = "100") =>
      block("approved", { returned, resolvedAt: new Date(hours * hour).toISOString() })
    const told = { approved: ["balance_block"], told: [] }
    assert.match(
      judge([at(open, 4), approvedAt(5)], {}, told),
      /^reports: block balance_block was approved while .* waited for a person$/
    )
    for (const fine of [approvedAt(3), approvedAt(7), approvedAt(5, "0")])
      assert.strictEqual(judge([at(open, 4), fine], {}, told), "")
  })

  it("finds a refund of what the bank has given back, before anybody has said who bears that", () => {
    const refund = stored("return", "confirmed", { purpose: "refund" })
    const about = { decidedAt: undefined }
    const block = stored("balance_block", "rejected", { infraction: "fraud" })
    assert.match(
      judge([block, at(open, 4), at(refund, 5)], about),
      /was accepted while .* waited for a person$/
    )
    assert.strictEqual(judge([block, at(open, 4), at(refund, 7)], about), "")
    assert.strictEqual(judge([block, at(open, 4), at(refund, 3)], about), "")
  })

  it("finds what was sent of a block that nobody has approved", () => {
    const sent = block("approved", { returned: "100" })
    assert.match(judge([sent]), /was sent back, and nobody has approved it$/)
    assert.strictEqual(judge([sent], {}, { approved: ["balance_block"], told: [] }), "")
  })
})
