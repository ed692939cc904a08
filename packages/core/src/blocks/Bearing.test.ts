import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { Centavos } from "../kernel/Money.ts"
import { bearsByDecision, bearsByItself, lowered, shares, takenBack } from "./Bearing.ts"
import { Block, gone, owed } from "./Block.ts"

const idOf = (name: string) => `019a2b3c-0000-7000-8000-00000000000${name}` as never
const brl = (amount: number) => Centavos.make(BigInt(amount * 100))
const noon = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")

const blockOf = (name: string, amount: number, fields: Partial<Block> = {}): Block =>
  new Block({
    id: idOf(name),
    account: idOf("a"),
    wallet: idOf("a"),
    charge: idOf("c"),
    pspCredentialId: idOf("e"),
    status: "awaiting_response",
    blockType: "med",
    amount: brl(amount),
    e2eId: "E1",
    createdAt: noon,
    updatedAt: noon,
    ...fields
  })

const reported = (name: string, amount: number, fields: Partial<Block> = {}) =>
  blockOf(name, amount, { infraction: `i${name}`, ...fields })

/** Which blocks bear a return, and how much each, in words. */
const said = (
  blocks: ReadonlyArray<Block>,
  amount: number,
  isAccepted?: (block: Block) => boolean
) =>
  shares(blocks, brl(amount), isAccepted).map(
    ({ block: { id }, part }) => `${id.slice(-1)} ${part}`
  )

describe("a return of the PSP is borne", () => {
  const two = [reported("2", 6), reported("1", 4)]

  it("by the oldest first, and by the next what that does not claim", () => {
    assert.deepStrictEqual(said(two, 3), ["1 300"])
    assert.deepStrictEqual(said(two, 4), ["1 400"])
    assert.deepStrictEqual(said(two, 9), ["1 400", "2 500"])
    assert.deepStrictEqual(said(two, 12), ["1 400", "2 600"])
    assert.deepStrictEqual(said(two, 0), [])
  })

  it("before them by what is accepted, and by what was approved before that", () => {
    const isAccepted = ({ id }: Block) => id === idOf("2")
    assert.deepStrictEqual(said(two, 7, isAccepted), ["2 600", "1 100"])
    const approved = blockOf("3", 5, { status: "approved", returned: brl(3) })
    assert.deepStrictEqual(said([...two, approved], 9, isAccepted), ["3 200", "2 600", "1 100"])
  })

  it("after all reports by what a person has opened", () => {
    const byHand = blockOf("0", 5)
    assert.deepStrictEqual(said([byHand, ...two], 12), ["1 400", "2 600", "0 200"])
  })

  it("by blocks of one wallet only", () => {
    const other = reported("3", 6, { wallet: idOf("b") })
    assert.deepStrictEqual(said([...two, other], 12), ["1 400", "2 600"])
  })

  it("by itself where it was reported or approved, and of MED blocks where a person says so", () => {
    const kinds = {
      reported: reported("1", 4),
      byHand: blockOf("1", 4),
      court: blockOf("1", 4, { blockType: "judicial" }),
      collecting: blockOf("1", 4, { blockType: "judicial", status: "approved" }),
      collected: blockOf("1", 4, { status: "approved", returned: brl(4) }),
      rejected: reported("1", 4, { status: "rejected" })
    }
    const those = (bears: (block: Block) => boolean) =>
      Object.entries(kinds).flatMap(([name, block]) => (bears(block) ? name : []))
    assert.deepStrictEqual(those(bearsByItself), ["reported", "collecting"])
    assert.deepStrictEqual(those(bearsByDecision), ["reported", "byHand", "collecting"])
  })
})

describe("a block that bears a part", () => {
  it("claims the rest, and ends with the last part as what the payer has", () => {
    const open = lowered({ block: reported("1", 10), part: brl(4) }, "wallet", noon)
    assert.deepInclude(open, { status: "awaiting_response", returnedByPsp: brl(4) })
    assert.strictEqual(owed(open), brl(6))
    const end = lowered({ block: open, part: brl(6) }, "wallet", noon)
    assert.deepInclude(end, { status: "approved", resolvedAt: noon })
    assert.notProperty(end, "released")
    assert.deepStrictEqual([owed(end), gone(end)], [brl(0), brl(10)])
  })

  it("is rejected where the operator has borne all of it, and approved over the rest otherwise", () => {
    const all = lowered({ block: reported("1", 10), part: brl(10) }, "operator", noon)
    assert.deepInclude(all, { status: "rejected", resolvedAt: noon })
    const part = lowered({ block: reported("1", 10), part: brl(4) }, "operator", noon)
    assert.strictEqual(part.status, "awaiting_response")
    const rest = lowered({ block: part, part: brl(6) }, "wallet", noon)
    assert.deepInclude(rest, { status: "approved", released: brl(4) })
    assert.deepStrictEqual([owed(rest), gone(rest)], [brl(0), brl(6)])
  })

  it("claims again what was taken and not sent", () => {
    const approved = blockOf("1", 10, { status: "approved", returned: brl(10), pieces: 1 })
    const again = takenBack(approved, brl(10), noon)
    assert.deepStrictEqual([owed(again), gone(again)], [brl(10), brl(0)])
    const borne = lowered({ block: again, part: brl(4) }, "wallet", noon)
    assert.strictEqual(borne.status, "approved")
    assert.deepStrictEqual([owed(borne), gone(borne)], [brl(6), brl(4)])
  })
})
