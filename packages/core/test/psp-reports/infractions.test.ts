import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { done, PspDirectory, PspOutcome } from "../../src/ports/Psp.ts"
import { accountAt } from "../../src/psp-reports/PspReport.ts"
import { ReportWorker } from "../../src/psp-reports/ReportWorker.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { askBlock, listed } from "../blocks/BalanceBlocks.test-data.ts"
import {
  brl,
  line,
  names,
  openReturns,
  paidShop,
  reportedShop,
  statuses
} from "./Infractions.test-data.ts"
import type { Fields } from "../reviews/Reviews.test-data.ts"
import { operate, rowsOf } from "../reviews/Reviews.test-data.ts"
import { as, openSubAccount } from "../sub-accounts/SubAccountWorld.test-data.ts"
import { codeOf, pspThat, world } from "../world/ServiceWorld.test-data.ts"

describe("an infraction that somebody reports", () => {
  it.effect("opens one block, tells its owner, and stands in the operator's line", () =>
    Effect.gen(function* () {
      const { before, charge, endToEndId, infraction, story } = yield* reportedShop
      const [block, ...others] = yield* listed(story)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(block, {
        transactionId: charge.id,
        blockType: "med",
        status: "awaiting_response",
        amount: 10,
        referenceNumber: infraction.id,
        reason: "Golpe do Pix.",
        e2eId: endToEndId
      })
      const { available } = yield* story.figures
      assert.strictEqual(available, before.available - 1_000)
      assert.deepStrictEqual(yield* names(story), ["balance_block_created"])
      const [found, ...more] = yield* rowsOf(`/discrepancies?account=${story.shop.id}`)
      assert.deepStrictEqual(more, [])
      assert.strictEqual(found?.reason, "infraction_reported")
      const evidence = found?.evidence as Fields
      assert.strictEqual(evidence["id"], infraction.id)
      assert.strictEqual(evidence["amount"], "1000")
      assert.deepStrictEqual(found?.booked, { status: "received", amount: "1000", endToEndId })
      // Every look sees it again.
      yield* story.advance("2 hours")
      assert.strictEqual((yield* listed(story)).length, 1)
      assert.deepStrictEqual(yield* names(story), ["balance_block_created"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("of a PSP that lists none ends though the notice of its decision was lost", () =>
    Effect.gen(function* () {
      const before = yield* pspThat({ listInfractions: undefined })
      const { infraction, sandbox, story } = yield* reportedShop
      yield* story.advance("61 minutes")
      yield* story.advance("1 day")
      assert.deepStrictEqual(yield* statuses(story), ["awaiting_response"])
      yield* story.faults({ kind: "forget", operation: "notify" })
      yield* sandbox.decideInfraction(infraction.id, "rejected")
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* statuses(story), ["rejected"])
      yield* pspThat(before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is found by a look at the PSP's list though no notice tells of it", () =>
    Effect.gen(function* () {
      const { endToEndId, sandbox, story } = yield* paidShop
      yield* story.faults({ kind: "forget", operation: "notify" })
      const { id } = yield* sandbox.reportInfraction(endToEndId)
      yield* story.drain
      assert.deepStrictEqual(yield* listed(story), [])
      yield* story.advance("15 minutes")
      assert.deepStrictEqual(yield* statuses(story), ["awaiting_response"])
      yield* sandbox.decideInfraction(id, "cancelled")
      yield* story.advance("15 minutes")
      assert.deepStrictEqual(yield* statuses(story), ["rejected"])
      assert.deepStrictEqual(yield* names(story), [
        "balance_block_created",
        "balance_block_rejected"
      ])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is looked for again where somebody has ended the looks for all", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { default: id } = yield* PspDirectory
      const inLine = Effect.map(
        storage.jobs({ queue: "infraction", group: accountAt(id), limit: 1 }),
        (jobs) => jobs.length
      )
      // None is put in line at the start, as if one that does not know the PSP had worked it off.
      const { listInfractions = () => Effect.die("left out") } = yield* pspThat({
        listInfractions: undefined
      })
      yield* Effect.flatMap(ReportWorker, ({ start }) => start)
      yield* pspThat({ listInfractions })
      yield* TestClock.adjust("14 minutes")
      assert.strictEqual(yield* inLine, 0)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* inLine, 1)
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.effect("is looked for in time where a clock that was ahead has put that off", () =>
    Effect.gen(function* () {
      const { story } = yield* paidShop
      const storage = yield* Storage
      const { default: id } = yield* PspDirectory
      const group = accountAt(id)
      const now = yield* DateTime.now
      const due = DateTime.add(now, { days: 30 })
      yield* storage.commit({
        at: now,
        jobs: [{ _tag: "Schedule", queue: "infraction", id, group, due }]
      })
      yield* Effect.flatMap(ReportWorker, ({ begin }) => begin)
      const [job] = yield* storage.jobs({ queue: "infraction", group, limit: 1 })
      assert.isTrue(job !== undefined && DateTime.isLessThan(job.due, due))
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is found once the PSP tells its list again", () =>
    Effect.gen(function* () {
      const { endToEndId, sandbox, story } = yield* paidShop
      yield* story.faults(
        { kind: "forget", operation: "notify" },
        { kind: "dropAnswer", operation: "listInfractions" }
      )
      yield* sandbox.reportInfraction(endToEndId)
      yield* story.advance("3 hours")
      assert.deepStrictEqual(yield* listed(story), [])
      yield* story.faults()
      yield* story.advance("15 minutes")
      assert.deepStrictEqual(yield* statuses(story), ["awaiting_response"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("gives the money free where it is rejected", () =>
    Effect.gen(function* () {
      const { before, infraction, sandbox, story } = yield* reportedShop
      yield* sandbox.decideInfraction(infraction.id, "rejected")
      yield* story.drain
      assert.deepStrictEqual(yield* statuses(story), ["rejected"])
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("takes the money once where it is accepted and the PSP gives it back", () =>
    Effect.gen(function* () {
      const { before, infraction, sandbox, story } = yield* reportedShop
      yield* sandbox.decideInfraction(infraction.id, "accepted")
      yield* story.drain
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* statuses(story), ["approved"])
      const after = yield* story.figures
      assert.strictEqual(after.available, before.available - 1_000)
      assert.strictEqual(after.total, before.total - 1_000)
      assert.deepStrictEqual(yield* names(story), [
        "balance_block_created",
        "balance_block_approved"
      ])
      // Nobody has to say who bears it; what was reported stays until somebody has closed it.
      assert.deepStrictEqual(yield* line, ["discrepancy infraction_reported"])
      yield* story.advance("2 days")
      assert.deepStrictEqual(yield* line, ["discrepancy infraction_reported"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("claims the rest until it is decided where the PSP has given back a part", () =>
    Effect.gen(function* () {
      for (const end of ["cancelled", "rejected"] as const) {
        const { before, endToEndId, infraction, sandbox, story } = yield* reportedShop
        yield* sandbox.returnPayment(endToEndId, brl(4))
        yield* story.drain
        const [open] = yield* listed(story)
        assert.deepInclude(open, { status: "awaiting_response", amount: 10 })
        assert.notProperty(open, "approvedAmount")
        const { available, total } = yield* story.figures
        assert.strictEqual(total, before.total - 400)
        assert.strictEqual(available, before.available - 1_000)
        yield* sandbox.decideInfraction(infraction.id, end)
        yield* story.drain
        const [block] = yield* listed(story)
        assert.deepInclude(block, { status: "approved", amount: 10, approvedAmount: 4 })
        assert.strictEqual((yield* story.figures).available, before.available - 400)
        assert.deepStrictEqual((yield* names(story)).slice(-2), [
          "balance_block_created",
          "balance_block_approved"
        ])
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("takes one part after the other, and ends with the last", () =>
    Effect.gen(function* () {
      const { before, endToEndId, sandbox, story } = yield* reportedShop
      for (const part of [4, 5]) {
        yield* sandbox.returnPayment(endToEndId, brl(part))
        yield* story.drain
        assert.deepStrictEqual(yield* statuses(story), ["awaiting_response"])
      }
      yield* sandbox.returnPayment(endToEndId, brl(1))
      yield* story.drain
      assert.deepInclude((yield* listed(story))[0], { status: "approved", amount: 10 })
      const { held, total } = yield* story.figures
      assert.deepStrictEqual([held, total], [before.held, before.total - 1_000])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("waits a day for the rest where it is accepted, and then leaves that", () =>
    Effect.gen(function* () {
      const { before, endToEndId, infraction, sandbox, story } = yield* reportedShop
      yield* sandbox.returnPayment(endToEndId, brl(4))
      yield* story.drain
      const { findPayment: find = () => Effect.die("left out") } = yield* pspThat({})
      yield* pspThat({
        findPayment: (id) =>
          Effect.map(find(id), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined
              ? done({ ...outcome.value, returns: outcome.value.returns.slice(0, 1) })
              : outcome
          )
      })
      yield* sandbox.decideInfraction(infraction.id, "accepted")
      yield* story.drain
      yield* story.advance("23 hours")
      assert.deepStrictEqual(yield* statuses(story), ["awaiting_response"])
      assert.strictEqual((yield* story.figures).available, before.available - 1_000)
      yield* story.advance("2 hours")
      assert.deepInclude((yield* listed(story))[0], { status: "approved", approvedAmount: 4 })
      assert.strictEqual((yield* story.figures).available, before.available - 400)
      assert.deepStrictEqual(yield* openReturns(story), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "does not leave what its PSP has given back meanwhile and could not tell for a day",
    () =>
      Effect.gen(function* () {
        const { before, endToEndId, infraction, sandbox, story } = yield* reportedShop
        yield* sandbox.returnPayment(endToEndId, brl(4))
        yield* story.drain
        yield* story.faults({ kind: "dropRequest", operation: "findPayment" })
        // It gives back what is left of the payment as it accepts the report.
        yield* sandbox.decideInfraction(infraction.id, "accepted")
        yield* story.drain
        yield* story.advance("23 hours")
        assert.deepStrictEqual(yield* line, ["discrepancy infraction_reported"])
        yield* story.advance("2 hours")
        assert.deepStrictEqual(yield* statuses(story), ["awaiting_response"])
        assert.strictEqual((yield* story.figures).available, before.available - 1_000)
        // Whoever answers for it is shown that it takes so long.
        assert.strictEqual((yield* line).length, 2)
        yield* story.faults()
        yield* story.advance("15 minutes")
        assert.deepInclude((yield* listed(story))[0], { status: "approved", amount: 10 })
        assert.strictEqual((yield* story.figures).total, before.total - 1_000)
        assert.deepStrictEqual(yield* openReturns(story), [])
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("is a person's where it is accepted and the PSP shows no return in a day", () =>
    Effect.gen(function* () {
      const { before, infraction, sandbox, story } = yield* reportedShop
      yield* pspThat({ findPayment: () => Effect.succeed(done(undefined)) })
      yield* sandbox.decideInfraction(infraction.id, "accepted")
      yield* story.drain
      yield* story.advance("23 hours")
      assert.strictEqual((yield* line).length, 1)
      yield* story.advance("2 hours")
      assert.strictEqual((yield* line).length, 2)
      assert.deepStrictEqual(yield* statuses(story), ["awaiting_response"])
      assert.strictEqual((yield* story.figures).total, before.total)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("leaves a person to say who bears it where the wallet has not got it", () =>
    Effect.gen(function* () {
      const { before, endToEndId, sandbox, story } = yield* paidShop
      yield* story.withdraw({ amount: before.available / 100 })
      yield* sandbox.reportInfraction(endToEndId)
      yield* sandbox.returnPayment(endToEndId)
      yield* story.drain
      assert.include(yield* line, "psp_return returned_by_psp")
      const [{ id } = { id: "" }] = (yield* rowsOf("/reviews")).filter(
        ({ type }) => type === "psp_return"
      )
      const path = `/psp-returns/${id}/resolve`
      const charged = { outcome: "charged", reason: "It is theirs." }
      assert.strictEqual((yield* operate("POST", path, charged)).status, 409)
      yield* story.fund(10)
      assert.strictEqual((yield* operate("POST", path, charged)).status, 200)
      assert.deepStrictEqual(yield* statuses(story), ["approved"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("ends with its block where the operator bears what the PSP has given back", () =>
    Effect.gen(function* () {
      const { before, endToEndId, sandbox, story } = yield* paidShop
      yield* story.withdraw({ amount: before.available / 100 })
      yield* sandbox.reportInfraction(endToEndId)
      yield* sandbox.returnPayment(endToEndId)
      yield* story.drain
      const [{ id } = { id: "" }] = (yield* rowsOf("/reviews")).filter(
        ({ type }) => type === "psp_return"
      )
      const absorbed = { outcome: "absorbed", reason: "Ours." }
      const answer = yield* operate("POST", `/psp-returns/${id}/resolve`, absorbed)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(yield* statuses(story), ["rejected"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("claims nothing that went back before it was reported, whoever has borne that", () =>
    Effect.gen(function* () {
      for (const outcome of ["charged", "absorbed"]) {
        const { before, endToEndId, sandbox, story } = yield* paidShop
        yield* sandbox.returnPayment(endToEndId, brl(4))
        yield* story.drain
        const [{ id } = { id: "" }] = (yield* rowsOf("/reviews")).filter(
          ({ accountId, type }) => type === "psp_return" && accountId === story.shop.id
        )
        const body = { outcome, reason: "Told without a report." }
        const answer = yield* operate("POST", `/psp-returns/${id}/resolve`, body)
        assert.strictEqual(answer.status, 200, answer.text)
        // What is booked here is known here, also while the bank is slow.
        const slow = () => Effect.succeed(PspOutcome.unknown("Slow."))
        const real = yield* pspThat({ findPayment: slow })
        yield* sandbox.reportInfraction(endToEndId)
        yield* story.drain
        yield* pspThat(real)
        const [block] = yield* listed(story)
        assert.deepInclude(block, { amount: 6, status: "awaiting_response" })
        const borne = outcome === "charged" ? 400 : 0
        assert.strictEqual((yield* story.figures).available, before.available - borne - 600)
        yield* story.audit
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("has a person look where the PSP tells of more than was claimed", () =>
    Effect.gen(function* () {
      const { before, infraction, sandbox, story } = yield* reportedShop
      yield* story.fund(100)
      const { findPayment: find = () => Effect.die("left out") } = yield* pspThat({})
      const lie = { reference: "D1", status: "confirmed", amount: brl(50) } as const
      yield* pspThat({
        findPayment: (endToEndId) =>
          Effect.map(find(endToEndId), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined
              ? done({ ...outcome.value, returns: [lie] })
              : outcome
          )
      })
      yield* sandbox.decideInfraction(infraction.id, "accepted")
      yield* story.drain
      assert.include(yield* line, "psp_return returned_by_psp")
      assert.deepStrictEqual(yield* statuses(story), ["awaiting_response"])
      assert.strictEqual((yield* story.figures).available, before.available + 10_000 - 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("claims of the wallet of the sub-account that had the payment", () =>
    Effect.gen(function* () {
      const { before, sandbox, story } = yield* paidShop
      yield* openSubAccount(story, "filial")
      const branch = as(story, "filial")
      const [endToEndId = ""] = yield* story.payAtBank(yield* branch.charge())
      yield* story.drain
      yield* sandbox.reportInfraction(endToEndId)
      yield* story.drain
      yield* sandbox.returnPayment(endToEndId)
      yield* story.drain
      assert.deepStrictEqual(yield* names(story), [
        "balance_block_created",
        "balance_block_approved"
      ])
      assert.strictEqual(yield* branch.available, 0)
      assert.strictEqual((yield* story.figures).available, before.available)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("blocks what is left where a part is blocked already, and no more", () =>
    Effect.gen(function* () {
      const { charge, endToEndId, sandbox, story } = yield* paidShop
      assert.strictEqual((yield* askBlock(story, charge, { amount: 7 })).status, 201)
      yield* sandbox.reportInfraction(endToEndId)
      yield* sandbox.reportInfraction(endToEndId)
      yield* story.drain
      const blocks = yield* listed(story)
      assert.deepStrictEqual(
        blocks.map(({ amount }) => amount),
        [3, 7]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is news to nobody where it was rejected before it was first seen", () =>
    Effect.gen(function* () {
      const { before, endToEndId, sandbox, story } = yield* paidShop
      yield* story.faults({ kind: "forget", operation: "notify" })
      const { id } = yield* sandbox.reportInfraction(endToEndId)
      yield* sandbox.decideInfraction(id, "rejected")
      yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* listed(story), [])
      assert.deepStrictEqual(yield* line, [])
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

/** The answer of the operator to the report behind the shop's only block. */
const answerIt = Effect.fnUntraced(function* (
  story: Parameters<typeof listed>[0],
  answer: "agree" | "disagree" = "disagree"
) {
  const [block] = yield* listed(story)
  const path = `/balance-blocks/${block?.id}/answer`
  return yield* operate("POST", path, { answer, text: "Delivered, with a receipt." })
})

/** What the operator sees of it. */
const answerOf = (story: Parameters<typeof listed>[0]) =>
  Effect.map(rowsOf(`/accounts/${story.shop.id}/balance-blocks`), ([block]) => {
    const { status, code } = (block?.["answer"] ?? {}) as Fields
    return [block?.["status"], status, code]
  })

describe("the answer to an infraction", () => {
  it.effect("is handed in at the PSP by a job, and makes the block a defended one", () =>
    Effect.gen(function* () {
      const { infraction, sandbox, story } = yield* reportedShop
      const accepted = yield* answerIt(story)
      assert.strictEqual(accepted.status, 200, accepted.text)
      assert.deepStrictEqual(yield* answerOf(story), ["awaiting_response", "sending", undefined])
      yield* story.drain
      assert.deepStrictEqual(yield* answerOf(story), ["defended", "sent", undefined])
      const found = yield* sandbox.psp.findInfraction?.(infraction.id) ?? Effect.die("left out")
      assert.isTrue(found._tag === "Done" && found.value?.isAnswered === true)
      const again = yield* answerIt(story, "agree")
      assert.deepStrictEqual([again.status, codeOf(again)], [409, "INFRACTION_NOT_ANSWERABLE"])
      yield* sandbox.decideInfraction(infraction.id, "rejected")
      yield* story.drain
      assert.deepStrictEqual(yield* statuses(story), ["rejected"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is told again while nobody knows whether the PSP has it, and read back", () =>
    Effect.gen(function* () {
      for (const kind of ["dropRequest", "dropAnswer", "notNow"] as const) {
        const { story } = yield* reportedShop
        yield* story.faults({ operation: "defendInfraction", kind, times: 2 })
        yield* answerIt(story)
        yield* story.drain
        yield* story.advance("1 minute")
        yield* story.advance("10 minutes")
        yield* story.advance("10 minutes")
        assert.deepStrictEqual(yield* answerOf(story), ["defended", "sent", undefined], kind)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is told again once the pause is over that the PSP asks for", () =>
    Effect.gen(function* () {
      const { story } = yield* reportedShop
      let told = 0
      const pause = PspOutcome.notNow("Too many requests.", "2 minutes")
      yield* pspThat({
        defendInfraction: () => Effect.sync(() => (told++, pause)),
        findInfraction: () => Effect.succeed(pause)
      })
      yield* answerIt(story)
      yield* story.drain
      for (let second = 0; second < 100; second += 10) yield* story.advance("10 seconds")
      assert.strictEqual(told, 1)
      assert.deepStrictEqual(yield* answerOf(story), ["awaiting_response", "sending", undefined])
    }).pipe(Effect.provide(world))
  )

  it.effect("that the PSP does not take is shown, and may be given again", () =>
    Effect.gen(function* () {
      const { story } = yield* reportedShop
      yield* story.faults({ operation: "defendInfraction", kind: "refuse", times: 1 })
      yield* answerIt(story)
      yield* story.drain
      assert.deepStrictEqual(yield* answerOf(story), ["awaiting_response", "refused", "REFUSED"])
      assert.strictEqual((yield* answerIt(story)).status, 200)
      yield* story.drain
      assert.deepStrictEqual(yield* answerOf(story), ["defended", "sent", undefined])
    }).pipe(Effect.provide(world))
  )

  it.effect("is refused once its time is over, and where no report is behind the block", () =>
    Effect.gen(function* () {
      const { story } = yield* reportedShop
      yield* story.advance("8 days")
      const late = yield* answerIt(story)
      assert.strictEqual(late.status, 409, late.text)
      assert.strictEqual(late.json.details?.value, "too_late")
      const other = yield* paidShop
      yield* askBlock(other.story, other.charge)
      const none = yield* answerIt(other.story)
      assert.strictEqual(none.json.details?.value, "no_infraction")
    }).pipe(Effect.provide(world))
  )
})
