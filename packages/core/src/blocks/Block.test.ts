import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Result, Schema } from "effect"
import { Charge } from "../charges/Charge.ts"
import type { BlockId, LedgerTxId, ReturnId } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import { Return } from "../returns/Return.ts"
import type { Block, BlockStatus } from "./Block.ts"
import {
  BlockKind,
  counted,
  covered,
  defend,
  newBlock,
  owed,
  resolve,
  taken,
  waived
} from "./Block.ts"
import { chargeBack, collectFor, isTimeUp, nextLook } from "./Chargeback.ts"

const idOf = (digit: string) => `019a2b3c-0000-7000-8000-00000000000${digit}` as never
const brl = (amount: bigint) => Centavos.make(amount)
const noon = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")

const chargeOf = (fields: Partial<Charge> = {}): Charge =>
  new Charge({
    id: idOf("1"),
    account: idOf("a"),
    wallet: idOf("a"),
    status: "completed",
    amount: brl(1_000n),
    pspCredentialId: idOf("e"),
    expiresAt: noon,
    createdAt: noon,
    updatedAt: noon,
    e2eId: "E9999999920261121120012345678901",
    ...fields
  })

const refundOf = (status: Return["status"]): Return =>
  new Return({
    id: idOf("2"),
    account: idOf("a"),
    wallet: idOf("a"),
    purpose: "refund",
    source: idOf("1"),
    status,
    amount: brl(1_000n),
    pspCredentialId: idOf("e"),
    endToEndId: "E9999999920261121120012345678901",
    createdAt: noon,
    updatedAt: noon
  })

const opened = (charge: Charge, amount?: bigint, refund?: Return) =>
  newBlock(
    { charge, refund, subAccount: undefined },
    { blockType: "med", ...(amount === undefined ? {} : { amount: brl(amount) }) },
    idOf("b") as BlockId,
    noon
  )

const blockOf = (amount?: bigint): Block => Result.getOrThrow(opened(chargeOf(), amount)).block

const after: Readonly<Record<BlockStatus, Block>> = {
  awaiting_response: blockOf(),
  defended: Result.getOrThrow(defend(blockOf(), noon)),
  approved: Result.getOrThrow(resolve(blockOf(), { outcome: "approved" }, noon)),
  rejected: Result.getOrThrow(resolve(blockOf(), { outcome: "rejected" }, noon))
}

describe("a block moves", () => {
  const moves = {
    defended: (block: Block) => defend(block, noon),
    approved: (block: Block) => resolve(block, { outcome: "approved", reason: "lost" }, noon),
    rejected: (block: Block) => resolve(block, { outcome: "rejected", reason: "won" }, noon)
  }
  const allowed: Readonly<Record<BlockStatus, ReadonlyArray<keyof typeof moves>>> = {
    awaiting_response: ["defended", "approved", "rejected"],
    defended: ["approved", "rejected"],
    approved: [],
    rejected: []
  }
  for (const [from, targets] of Object.entries(allowed)) {
    for (const [to, move] of Object.entries(moves)) {
      const isAllowed = (targets as ReadonlyArray<string>).includes(to)
      it(`${isAllowed ? "from" : "never from"} ${from} to ${to}`, () => {
        const moved = move(after[from as BlockStatus])
        assert.strictEqual(Result.isSuccess(moved), isAllowed)
        if (Result.isSuccess(moved)) assert.strictEqual(moved.success.status, to)
        else {
          const { failure } = moved
          assert.strictEqual(failure._tag === "BlockNotOpen" ? failure.status : undefined, from)
        }
      })
    }
  }

  it("and keeps the reason of the decision apart from its own", () => {
    const { block } = Result.getOrThrow(
      newBlock(
        { charge: chargeOf(), refund: undefined, subAccount: undefined },
        { blockType: "judicial", reason: "fraud", referenceNumber: "2026/7" },
        idOf("b") as BlockId,
        noon
      )
    )
    const resolved = Result.getOrThrow(
      resolve(block, { outcome: "approved", reason: "proved" }, noon)
    )
    assert.strictEqual(resolved.reason, "fraud")
    assert.strictEqual(resolved.resolutionReason, "proved")
    assert.strictEqual(resolved.referenceNumber, "2026/7")
    assert.deepStrictEqual(resolved.resolvedAt, noon)
  })
})

describe("of a payment can be blocked", () => {
  it("everything, when no amount is told", () => {
    assert.strictEqual(blockOf().amount, 1_000n)
  })

  it("what other blocks leave of it, and not a centavo more", () => {
    const { charge } = Result.getOrThrow(opened(chargeOf(), 400n))
    assert.strictEqual(Result.getOrThrow(opened(charge)).block.amount, 600n)
    assert.isTrue(Result.isSuccess(opened(charge, 600n)))
    const more = opened(charge, 601n)
    assert.isTrue(Result.isFailure(more) && more.failure._tag === "NotThatMuch")
    const { charge: full } = Result.getOrThrow(opened(charge))
    assert.isTrue(Result.isFailure(opened(full)))
  })

  it.each(["requested", "processing", "confirmed"] as const)(
    "nothing while a refund is %s",
    (status) => {
      assert.isTrue(Result.isFailure(opened(chargeOf(), 1n, refundOf(status))))
      assert.isTrue(Result.isFailure(opened(chargeOf(), undefined, refundOf(status))))
    }
  )

  it("what the parts of a refund leave", () => {
    const inParts = chargeOf({ refund: idOf("2"), refundedInParts: brl(300n) })
    assert.strictEqual(Result.getOrThrow(opened(inParts)).block.amount, 700n)
    // The state of the newest says nothing of the others.
    assert.isTrue(Result.isFailure(opened(inParts, 701n, refundOf("failed"))))
  })

  it("everything after a refund that failed", () => {
    assert.isTrue(Result.isSuccess(opened(chargeOf(), undefined, refundOf("failed"))))
  })

  it.each(["creating", "pending", "expired", "cancelled", "failed"] as const)(
    "nothing when the charge is %s",
    (status) => {
      const refused = opened(chargeOf({ status }))
      assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "NotAPayment")
    }
  )

  it("what a rejected block gives free, and nothing that went back", () => {
    const first = Result.getOrThrow(opened(chargeOf(), 400n))
    const rejected = Result.getOrThrow(resolve(first.block, { outcome: "rejected" }, noon))
    const free = counted(first.charge, first.block, rejected)
    assert.strictEqual(free.openBlocks, 0)
    assert.strictEqual(Result.getOrThrow(opened(free)).block.amount, 1_000n)
    const approved = Result.getOrThrow(resolve(first.block, { outcome: "approved" }, noon))
    const piece = taken(approved, brl(300n), noon)
    const collecting = counted(first.charge, first.block, piece)
    assert.strictEqual(collecting.openBlocks, 1)
    assert.strictEqual(collecting.blockedAmount, 100n)
    assert.strictEqual(collecting.chargedBack, 300n)
    const given = counted(collecting, piece, waived(piece, noon))
    assert.strictEqual(given.openBlocks, 0)
    assert.strictEqual(Result.getOrThrow(opened(given)).block.amount, 700n)
  })
})

describe("a block claims", () => {
  it("its amount until it is rejected, or taken, or given up", () => {
    assert.strictEqual(owed(after.awaiting_response), 1_000n)
    assert.strictEqual(owed(after.defended), 1_000n)
    assert.strictEqual(owed(after.approved), 1_000n)
    assert.strictEqual(owed(after.rejected), 0n)
    const piece = taken(after.approved, brl(300n), noon)
    assert.strictEqual(owed(piece), 700n)
    const given = waived(piece, noon)
    assert.strictEqual(owed(given), 0n)
    assert.strictEqual(given.uncollected, 700n)
  })

  it("stands in the column of those that are found as long as it is owed", () => {
    assert.strictEqual(BlockKind.row(after.approved).status, "collecting")
    assert.strictEqual(BlockKind.row(taken(after.approved, brl(1_000n), noon)).status, "approved")
    const row = { ...BlockKind.row(after.approved), version: 1 }
    assert.deepStrictEqual(BlockKind.read(row).value, after.approved)
  })

  const amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2_000n }))
  it.prop(
    "never more than the wallet has beyond what older ones claim, nor more than it is owed",
    [amount, amount],
    ([available, ahead]) => {
      const part = covered(after.approved, { available: brl(available) }, brl(ahead))
      assert.isTrue(part >= 0n && part <= 1_000n)
      assert.isTrue(part === 0n || part + ahead <= available)
      // And all of that.
      assert.isTrue(part === 1_000n || part + ahead >= available)
    }
  )
})

describe("a chargeback", () => {
  it("takes from available into suspense, and returns the same by a reference of its own", () => {
    const ids = { tx: idOf("8") as LedgerTxId, money: idOf("9") as ReturnId }
    const first = chargeBack(after.approved, brl(300n), ids, noon)
    const second = chargeBack(first.block, brl(700n), ids, noon)
    assert.deepStrictEqual(
      [first.tx, second.tx].map(({ leg, postings }) => [
        leg,
        ...postings.map(({ account, amount }) => [account.bucket, amount])
      ]),
      [
        [0, ["available", -300n], ["suspense", 300n]],
        [1, ["available", -700n], ["suspense", 700n]]
      ]
    )
    assert.strictEqual(first.money.amount, 300n)
    assert.strictEqual(first.money.source, after.approved.id)
    assert.strictEqual(owed(second.block), 0n)
  })

  it("is looked for after a minute at first, then ever more seldom, at least hourly, for 90 days", () => {
    const ends = DateTime.addDuration(noon, collectFor)
    let now = noon
    let wait = Duration.zero
    let looks = 0
    for (; !isTimeUp(after.approved, now); looks++) {
      const next = nextLook(after.approved, now) ?? noon
      const passed = DateTime.distance(now, next)
      if (looks === 0) assert.strictEqual(Duration.toMinutes(passed), 1)
      const isLast = DateTime.Equivalence(next, ends)
      assert.isTrue(isLast || Duration.isGreaterThanOrEqualTo(passed, wait))
      assert.isAtMost(Duration.toHours(passed), 1)
      wait = passed
      now = next
    }
    assert.isTrue(DateTime.Equivalence(now, ends))
    // Each can take a piece, and a piece is a leg of two bytes.
    assert.isBelow(looks, 2_200)
    assert.isUndefined(nextLook(waived(after.approved, now), now))
  })
})
