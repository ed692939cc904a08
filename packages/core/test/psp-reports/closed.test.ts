import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import type { WalletId } from "../../src/kernel/Ids.ts"
import { ReportWorker } from "../../src/psp-reports/ReportWorker.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { askBlock, operator, operatorBlocks, returns } from "../blocks/BalanceBlocks.test-data.ts"
import {
  as,
  changeSubAccount,
  openSubAccount,
  patchSubAccount
} from "../sub-accounts/SubAccountWorld.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"
import { brl, decideReturn, openReturns, withPayer } from "./Infractions.test-data.ts"

/**
 * A sub-account whose payment of 10.00 is blocked over a part that is approved, and taken, and not sent yet. It has nothing
 * else, so that it can be closed.
 */
const emptyBranch = Effect.fnUntraced(function* (part: number) {
  yield* Effect.flatMap(ReportWorker, ({ begin }) => begin)
  const story = yield* journey({ subAccountAccess: true })
  yield* story.fund(50)
  yield* openSubAccount(story, "filial")
  const branch = as(story, "filial")
  const charge = yield* branch.charge()
  const [endToEndId = ""] = yield* story.payAtBank(charge)
  yield* story.drain
  const asked = yield* askBlock(story, charge, { amount: part })
  yield* story.faults({ kind: "notNow", operation: "refund" })
  const id = String(asked.json.id)
  const approved = yield* operator("POST", `/balance-blocks/${id}/resolve`, { outcome: "approved" })
  assert.strictEqual(approved.status, 200, approved.text)
  yield* story.drain
  if (part < 10) {
    const body = { from: "filial", to: "principal", amount: 10 - part }
    assert.strictEqual(
      (yield* story.shop.call("POST", "/internal-transfers", { body })).status,
      201
    )
  }
  const sandbox = yield* SandboxPsp
  return { endToEndId, sandbox, story, before: yield* story.figures }
})

const closedBranch = Effect.fnUntraced(function* (part: number) {
  const shop = yield* emptyBranch(part)
  yield* changeSubAccount(shop.story, "filial", { status: "closed" })
  return shop
})

/** An account with nothing but a piece of an approved block that was not sent yet, which is closed as a whole. */
const closedAccount = Effect.fnUntraced(function* (part: number) {
  yield* Effect.flatMap(ReportWorker, ({ begin }) => begin)
  const story = yield* journey()
  const charge = yield* story.charge()
  const [endToEndId = ""] = yield* story.payAtBank(charge)
  yield* story.drain
  const asked = yield* askBlock(story, charge, { amount: part })
  yield* story.faults({ kind: "notNow", operation: "refund" })
  const approved = yield* operator("POST", `/balance-blocks/${String(asked.json.id)}/resolve`, {
    outcome: "approved"
  })
  assert.strictEqual(approved.status, 200, approved.text)
  yield* story.drain
  if (part < 10) {
    const body = { amount: part - 10, reason: "settled by hand" }
    const taken = yield* operator("POST", `/accounts/${story.shop.id}/adjustments`, body)
    assert.strictEqual(taken.status, 201, taken.text)
  }
  const closed = yield* operator("PATCH", `/accounts/${story.shop.id}`, { status: "closed" })
  assert.strictEqual(closed.status, 200, closed.text)
  return { endToEndId, sandbox: yield* SandboxPsp, story }
})

const walletOf = (story: Effect.Success<ReturnType<typeof journey>>) =>
  Effect.map(
    Effect.flatMap(Storage, (storage) => storage.wallet(story.shop.id as WalletId)),
    (wallet): ReadonlyArray<bigint | undefined> => [wallet?.available, wallet?.held, wallet?.lien]
  )

describe("a return of the PSP over a block of an account that was closed as a whole", () => {
  it.effect.each([4, 10])("is borne by what was not sent: %d of 10", (part) =>
    Effect.gen(function* () {
      const { endToEndId, sandbox, story } = yield* closedAccount(10)
      yield* sandbox.returnPayment(endToEndId, brl(part))
      yield* story.drain
      assert.deepStrictEqual(yield* openReturns(story), [])
      const rest = BigInt(1_000 - part * 100)
      assert.deepStrictEqual(yield* walletOf(story), [rest, 0n, rest])
      yield* story.audit
      yield* story.faults()
      yield* story.advance("3 hours")
      assert.strictEqual(yield* withPayer(endToEndId), 1_000)
      assert.deepStrictEqual(yield* walletOf(story), [0n, 0n, 0n])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("and that the operator bears leaves there what was taken, which he takes out", () =>
    Effect.gen(function* () {
      const { endToEndId, sandbox, story } = yield* closedAccount(6)
      yield* sandbox.returnPayment(endToEndId)
      yield* story.drain
      yield* story.audit
      assert.strictEqual((yield* decideReturn(story, "absorbed")).status, 200)
      yield* story.faults()
      yield* story.advance("2 days")
      assert.strictEqual(yield* withPayer(endToEndId), 1_000)
      assert.deepStrictEqual(yield* walletOf(story), [600n, 0n, 0n])
      yield* story.audit
      const out = yield* operator("POST", `/accounts/${story.shop.id}/adjustments`, {
        amount: -6,
        reason: "paid out by hand"
      })
      assert.strictEqual(out.status, 201, out.text)
      assert.deepStrictEqual(yield* walletOf(story), [0n, 0n, 0n])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a return of the PSP over a block of a sub-account that was closed meanwhile", () => {
  it.effect.each([4, 10])(
    "is borne by the main wallet, to which what was not sent comes back: %d of 10",
    (part) =>
      Effect.gen(function* () {
        const { before, endToEndId, sandbox, story } = yield* closedBranch(10)
        yield* sandbox.returnPayment(endToEndId, brl(part))
        yield* story.drain
        assert.deepStrictEqual(yield* openReturns(story), [])
        assert.strictEqual((yield* story.figures).total, before.total + 1_000 - part * 100)
        yield* story.audit
        yield* story.faults()
        yield* story.advance("3 hours")
        assert.strictEqual(yield* withPayer(endToEndId), 1_000)
        assert.deepStrictEqual(yield* story.figures, before)
        const [block] = yield* operatorBlocks(story)
        assert.deepInclude(block, { returnedAmount: 10, owedAmount: 0, subAccount: null })
        const pieces = (yield* returns(story)).map(({ amount, status }) => [status, amount])
        const rest = part === 10 ? [] : [["processing", 600n]]
        assert.deepStrictEqual(pieces, [["failed", 1_000n], ...rest])
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect.each(["charged", "absorbed"] as const)(
    "that claimed less of it is borne once where a person says %s",
    (outcome) =>
      Effect.gen(function* () {
        const { before, endToEndId, sandbox, story } = yield* closedBranch(6)
        yield* sandbox.returnPayment(endToEndId)
        yield* story.drain
        yield* story.audit
        assert.strictEqual((yield* decideReturn(story, outcome)).status, 200)
        yield* story.faults()
        yield* story.advance("2 days")
        assert.strictEqual(yield* withPayer(endToEndId), 1_000)
        // The block had taken 6.00 of the payment before.
        const borne = outcome === "charged" ? 1_000 : 0
        assert.strictEqual((yield* story.figures).total, before.total + 600 - borne)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("is borne by a wallet that is open, whichever of the two comes first", () =>
    Effect.gen(function* () {
      const answers = new Set<number>()
      for (let times = 0; times < 20; times++) {
        const { before, endToEndId, sandbox, story } = yield* emptyBranch(10)
        yield* sandbox.returnPayment(endToEndId, brl(4))
        // Each run closes it a moment later than the one before.
        const close = Effect.andThen(
          Effect.repeat(Effect.yieldNow, { times }),
          patchSubAccount(story, "filial", { status: "closed" })
        )
        const [closing] = yield* Effect.all([close, story.drain], { concurrency: "unbounded" })
        answers.add(closing.status)
        yield* story.audit
        yield* story.faults()
        yield* story.advance("3 hours")
        assert.strictEqual(yield* withPayer(endToEndId), 1_000)
        assert.deepStrictEqual(yield* story.figures, before)
        yield* story.audit
      }
      assert.deepStrictEqual([...answers].toSorted(), [200, 409])
    }).pipe(Effect.provide(world))
  )
})
