import { assert, describe, it } from "@effect/vitest"
import { journey, TestPagora } from "@pagora/testkit"
import { DateTime, Effect } from "effect"
import type { Centavos } from "../../src/kernel/Money.ts"
import type { PspShape } from "../../src/ports/Psp.ts"
import { done, PspDirectory } from "../../src/ports/Psp.ts"
import { ReportWorker } from "../../src/psp-reports/ReportWorker.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import type { Fields } from "../reviews/Reviews.test-data.ts"
import { contradictions, operate, rowsOf } from "../reviews/Reviews.test-data.ts"
import { as, changeSubAccount, openSubAccount } from "../sub-accounts/SubAccountWorld.test-data.ts"
import { codeOf, pspThat, world } from "../world/ServiceWorld.test-data.ts"

/** Everything that waits for a person, whosesoever it is: each with its kind and why. */
const line = Effect.map(rowsOf("/reviews"), (rows) =>
  rows.map(({ reason, type }) => `${type} ${reason}`)
)

/** A shop at a service whose workers were started, so that it compares payments. */
const compared = Effect.andThen(
  Effect.flatMap(ReportWorker, ({ begin }) => begin),
  journey()
)

/** What is in suspense: why, and how much. */
const inSuspense = Effect.map(rowsOf("/suspense"), (rows) =>
  rows.map(({ amount, reason }) => `${reason} ${String(amount)}`)
)

const first = (path: string) =>
  Effect.map(rowsOf(path), ([row]) => row ?? assert.fail(`${path} shows nothing.`))

const words = { reason: "Looked at the statement.", by: "Ana" }

/** What the simulated PSP shows of the returns of a payment. */
const returnsOf = Effect.fnUntraced(function* (endToEndId: string) {
  const directory = yield* PspDirectory
  const outcome = yield* (
    directory.find(directory.default)?.findPayment?.(endToEndId) ??
      assert.fail("The PSP finds no payments.")
  )
  const payment = outcome._tag === "Done" ? outcome.value : undefined
  return payment?.returns.map(({ amount, status }) => `${status} ${String(amount)}`)
})

/** So many notices of a payment come at once. */
const toldAtOnce = Effect.fnUntraced(function* (endToEndId: string, times: number) {
  const { api } = yield* TestPagora
  yield* pspThat({ readNotification: () => Effect.succeed([{ _tag: "Payment", endToEndId }]) })
  const directory = yield* PspDirectory
  const told = api("POST", `/psp/${directory.default}/webhook`, { body: "{}" })
  const answers = yield* Effect.replicateEffect(told, times, { concurrency: "unbounded" })
  for (const { status } of answers) assert.strictEqual(status, 200)
})

/** Somebody pays 25.00 to the key itself, and the service has looked at what the PSP tells of it. */
const paidToKey = Effect.gen(function* () {
  const story = yield* journey()
  const sandbox = yield* SandboxPsp
  const { endToEndId } = yield* sandbox.payKey({ amount: 2_500n as Centavos })
  yield* story.drain
  return { story, sandbox, endToEndId }
})

describe("a payment that no charge asked for", () => {
  it.effect("is in suspense and in the operator's line, and does not go back by itself", () =>
    Effect.gen(function* () {
      const { endToEndId, story } = yield* paidToKey
      assert.deepStrictEqual(yield* inSuspense, ["unidentified 25"])
      assert.deepStrictEqual(yield* line, ["deposit_return unidentified"])
      const entry = yield* first("/suspense")
      assert.strictEqual(entry["e2eId"], endToEndId)
      assert.isUndefined(entry["chargeId"])
      assert.match(String((entry["payer"] as Fields)["document"]), /^\d{11}$/)
      yield* story.advance("10 days")
      assert.deepStrictEqual(yield* line, ["deposit_return unidentified"])
      assert.deepStrictEqual(yield* returnsOf(endToEndId), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("goes back once a person says so", () =>
    Effect.gen(function* () {
      const { endToEndId, story } = yield* paidToKey
      const { calls, id } = yield* first("/reviews")
      assert.deepStrictEqual(calls, [
        `POST /returns/${String(id)}/retry`,
        `POST /returns/${String(id)}/resolve`
      ])
      const answer = yield* operate("POST", `/returns/${String(id)}/retry`, words)
      assert.strictEqual(answer.status, 201, answer.text)
      yield* story.drain
      yield* story.advance("5 seconds")
      assert.deepStrictEqual(yield* returnsOf(endToEndId), ["confirmed 2500"])
      assert.deepStrictEqual(yield* inSuspense, [])
      assert.deepStrictEqual(yield* line, [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is the operator's where a person says that it is not to go back", () =>
    Effect.gen(function* () {
      const { endToEndId, story } = yield* paidToKey
      const { id } = yield* first("/reviews")
      const decision = { outcome: "failed", ...words }
      const answer = yield* operate("POST", `/returns/${String(id)}/resolve`, decision)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(yield* inSuspense, [])
      yield* story.advance("10 days")
      assert.deepStrictEqual(yield* returnsOf(endToEndId), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is booked once, however often it is told of", () =>
    Effect.gen(function* () {
      const { endToEndId, story } = yield* paidToKey
      yield* toldAtOnce(endToEndId, 5)
      yield* story.drain
      yield* story.advance("1 day")
      assert.deepStrictEqual(yield* inSuspense, ["unidentified 25"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is asked about no more often for many notices at once than for one", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { payKey, psp } = yield* SandboxPsp
      const { findPayment } = psp
      const asked: Array<string> = []
      yield* pspThat({
        findPayment: (name) => {
          asked.push(name)
          return findPayment?.(name) ?? Effect.die("left out")
        }
      })
      const asksFor = Effect.fnUntraced(function* (notices: number) {
        asked.length = 0
        yield* story.faults({ kind: "forget", operation: "notify" })
        const { endToEndId } = yield* payKey({ amount: 2_500n as Centavos })
        yield* toldAtOnce(endToEndId, notices)
        yield* story.drain
        return asked.filter((name) => name === endToEndId).length
      })
      const once = yield* asksFor(1)
      assert.isAbove(once, 0)
      assert.strictEqual(yield* asksFor(5), once)
      assert.deepStrictEqual(yield* inSuspense, ["unidentified 25", "unidentified 25"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is found within the hour though its notice is lost", () =>
    Effect.gen(function* () {
      const story = yield* compared
      const sandbox = yield* SandboxPsp
      yield* story.faults({ kind: "forget", operation: "notify" })
      yield* sandbox.payKey({ amount: 2_500n as Centavos })
      yield* story.drain
      assert.deepStrictEqual(yield* inSuspense, [])
      yield* story.advance("61 minutes")
      assert.deepStrictEqual(yield* inSuspense, ["unidentified 25"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is asked for as long as the PSP does not show it, and for a day", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const sandbox = yield* SandboxPsp
      yield* story.faults({ kind: "lie", operation: "findPayment" })
      yield* sandbox.payKey({ amount: 2_500n as Centavos })
      yield* story.advance("23 hours")
      assert.deepStrictEqual(yield* inSuspense, [])
      yield* story.faults()
      yield* story.advance("10 minutes")
      assert.deepStrictEqual(yield* inSuspense, ["unidentified 25"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a payment that its PSP lists under a charge that does not show it", () => {
  it.effect("is in suspense after a day, and counts once though its charge shows it then", () =>
    Effect.gen(function* () {
      const story = yield* compared
      const charge = yield* story.charge()
      yield* story.faults(
        { kind: "forget", operation: "notify" },
        { kind: "lie", operation: "findCharge" },
        { kind: "dropRequest", operation: "cancelCharge" }
      )
      yield* story.payAtBank(charge)
      yield* story.advance("61 minutes")
      yield* story.advance("22 hours")
      assert.deepStrictEqual(yield* inSuspense, [])
      yield* story.advance("3 hours")
      assert.deepStrictEqual(yield* inSuspense, ["unidentified 10"])
      assert.deepStrictEqual(yield* line, ["deposit_return unidentified"])
      assert.strictEqual((yield* first("/suspense"))["chargeId"], charge.id)
      const before = yield* story.figures
      yield* story.faults()
      yield* story.advance("8 days")
      assert.deepStrictEqual(yield* contradictions(story), ["payment_claimed_twice"])
      assert.deepStrictEqual(yield* inSuspense, ["unidentified 10"])
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a payment that its PSP lists, and that could not be asked about for a day since", () => {
  const twoWeeks = { expiresIn: 1_209_600 }

  it.effect("is that of its charge, which shows it as soon as it can be asked for", () =>
    Effect.gen(function* () {
      const story = yield* compared
      const charge = yield* story.charge(twoWeeks)
      yield* story.faults(
        { kind: "forget", operation: "notify" },
        { kind: "dropRequest", operation: "findPayment" },
        { kind: "dropRequest", operation: "findCharge" }
      )
      yield* story.payAtBank(charge)
      // It is listed within the hour; from then on its PSP is away.
      yield* story.advance("61 minutes")
      yield* story.faults({ kind: "dropRequest" })
      yield* story.advance("25 hours")
      yield* story.faults()
      yield* story.advance("10 minutes")
      assert.deepStrictEqual(yield* inSuspense, [])
      assert.strictEqual((yield* story.transaction(charge.id)).status, "completed")
      assert.deepStrictEqual(yield* line, [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "is in suspense once its PSP has shown it for a day, and says nothing of its charge",
    () =>
      Effect.gen(function* () {
        const story = yield* compared
        const charge = yield* story.charge(twoWeeks)
        const untold = { kind: "dropRequest", operation: "findCharge" } as const
        yield* story.faults({ kind: "forget", operation: "notify" }, untold, {
          kind: "dropRequest",
          operation: "findPayment"
        })
        yield* story.payAtBank(charge)
        yield* story.advance("61 minutes")
        yield* story.advance("25 hours")
        yield* story.faults(untold)
        yield* story.advance("10 minutes")
        yield* story.advance("23 hours")
        assert.deepStrictEqual(yield* inSuspense, [])
        yield* story.advance("2 hours")
        assert.deepStrictEqual(yield* inSuspense, ["unidentified 10"])
        yield* story.audit
      }).pipe(Effect.provide(world))
  )
})

/** A charge of 10.00 that was paid, and then given back by the PSP. */
const givenBack = Effect.fnUntraced(function* (amount?: number) {
  const story = yield* journey()
  const sandbox = yield* SandboxPsp
  const charge = yield* story.charge()
  const [endToEndId = ""] = yield* story.payAtBank(charge)
  yield* story.drain
  const before = yield* story.figures
  yield* sandbox.returnPayment(endToEndId, amount === undefined ? undefined : centavos(amount))
  yield* story.drain
  return { story, charge, endToEndId, before }
})

/** A sub-account of a shop that has money of its own, whose charge of 10.00 was paid. */
const paidBranch = Effect.gen(function* () {
  const story = yield* journey({ subAccountAccess: true })
  yield* story.fund(50)
  yield* openSubAccount(story, "filial")
  const branch = as(story, "filial")
  const [endToEndId = ""] = yield* story.payAtBank(yield* branch.charge())
  yield* story.drain
  return { branch, endToEndId, story }
})

const centavos = (amount: number) => BigInt(amount) as Centavos

const bear = (outcome: "charged" | "absorbed") =>
  Effect.flatMap(first("/reviews"), ({ id }) =>
    operate("POST", `/psp-returns/${String(id)}/resolve`, { outcome, ...words })
  )

describe("a payment that its PSP gave back by itself", () => {
  it.effect("stands in the operator's line, and takes nothing of the wallet by itself", () =>
    Effect.gen(function* () {
      const { before, charge, endToEndId, story } = yield* givenBack()
      const review = yield* first(`/reviews?account=${story.shop.id}`)
      assert.strictEqual(review["type"], "psp_return")
      assert.strictEqual(review["reason"], "returned_by_psp")
      assert.strictEqual(review["e2eId"], endToEndId)
      assert.strictEqual(review["amount"], 10)
      assert.deepStrictEqual(yield* story.figures, before)
      const { status } = yield* story.transaction(charge.id)
      assert.strictEqual(status, "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is borne by the wallet that had the payment, once", () =>
    Effect.gen(function* () {
      const { before, story } = yield* givenBack(400)
      const { id } = yield* first("/reviews")
      const answer = yield* bear("charged")
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.json.status, "charged")
      assert.strictEqual((yield* story.figures).available, before.available - 400)
      assert.deepStrictEqual(yield* line, [])
      const again = yield* operate("POST", `/psp-returns/${String(id)}/resolve`, {
        outcome: "absorbed",
        ...words
      })
      assert.strictEqual(again.status, 409)
      assert.strictEqual(codeOf(again), "PSP_RETURN_RESOLVED")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is borne by the wallet of the sub-account that had the payment, and by no other", () =>
    Effect.gen(function* () {
      const { branch, endToEndId, story } = yield* paidBranch
      const before = yield* story.figures
      yield* Effect.flatMap(SandboxPsp, ({ returnPayment }) =>
        returnPayment(endToEndId, centavos(400))
      )
      yield* story.drain
      const review = yield* first(`/reviews?account=${story.shop.id}`)
      assert.deepInclude(review, { type: "psp_return", subAccount: "filial", amount: 4 })
      assert.strictEqual(yield* branch.available, 1_000)
      const answer = yield* bear("charged")
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepInclude(answer.json, { status: "charged", subAccount: "filial" })
      assert.strictEqual(yield* branch.available, 600)
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["before", "after"] as const)(
    "is borne by the main wallet where that of its sub-account was closed %s it went back",
    (when) =>
      Effect.gen(function* () {
        const { endToEndId, story } = yield* paidBranch
        const body = { from: "filial", to: "principal", amount: 10 }
        const moved = yield* story.shop.call("POST", "/internal-transfers", { body })
        assert.strictEqual(moved.status, 201, moved.text)
        const close = changeSubAccount(story, "filial", { status: "closed" })
        if (when === "before") yield* close
        yield* Effect.flatMap(SandboxPsp, ({ returnPayment }) =>
          returnPayment(endToEndId, centavos(400))
        )
        yield* story.drain
        if (when === "after") yield* close
        const before = yield* story.figures
        assert.deepInclude(yield* first(`/reviews?account=${story.shop.id}`), {
          type: "psp_return",
          subAccount: "filial"
        })
        const answer = yield* bear("charged")
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.json.status, "charged")
        assert.notProperty(answer.json, "subAccount")
        assert.strictEqual((yield* story.figures).available, before.available - 400)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("is not taken of a wallet that has too little, and can be absorbed", () =>
    Effect.gen(function* () {
      const { before, story } = yield* givenBack()
      yield* story.withdraw({ amount: before.available / 100 })
      const refused = yield* bear("charged")
      assert.strictEqual(refused.status, 409, refused.text)
      assert.strictEqual(codeOf(refused), "INSUFFICIENT_BALANCE")
      assert.strictEqual((yield* bear("absorbed")).status, 200)
      assert.deepStrictEqual(yield* line, [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is borne by the operator where nobody had the payment: there is no wallet", () =>
    Effect.gen(function* () {
      const { endToEndId, sandbox, story } = yield* paidToKey
      yield* sandbox.returnPayment(endToEndId, centavos(500))
      yield* story.drain
      const rows = yield* rowsOf("/reviews")
      const { id } = rows.find(({ type }) => type === "psp_return") ?? assert.fail("Nothing waits.")
      const path = `/psp-returns/${id}/resolve`
      const refused = yield* operate("POST", path, { outcome: "charged", ...words })
      assert.strictEqual(refused.status, 409, refused.text)
      assert.strictEqual(codeOf(refused), "INSUFFICIENT_BALANCE")
      const answer = yield* operate("POST", path, { outcome: "absorbed", ...words })
      assert.strictEqual(answer.status, 200, answer.text)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is booked once, and found though its notice is lost", () =>
    Effect.gen(function* () {
      const story = yield* compared
      const sandbox = yield* SandboxPsp
      const [endToEndId = ""] = yield* story.payAtBank(yield* story.charge())
      yield* story.drain
      yield* story.faults({ kind: "forget", operation: "notify" })
      yield* sandbox.returnPayment(endToEndId)
      yield* story.advance("61 minutes")
      assert.deepStrictEqual(yield* line, ["psp_return returned_by_psp"])
      yield* story.advance("3 hours")
      assert.deepStrictEqual(yield* line, ["psp_return returned_by_psp"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is waited for, for a day, where it was told of long after the payment", () =>
    Effect.gen(function* () {
      const { endToEndId, story } = yield* givenBack(400)
      assert.strictEqual((yield* bear("absorbed")).status, 200)
      yield* story.advance("2 days")
      yield* story.faults({ kind: "lie", operation: "findPayment" })
      yield* Effect.flatMap(SandboxPsp, ({ returnPayment }) =>
        returnPayment(endToEndId, centavos(600))
      )
      yield* story.advance("23 hours")
      assert.deepStrictEqual(yield* line, [])
      yield* story.faults()
      yield* story.advance("10 minutes")
      assert.deepStrictEqual(yield* line, ["psp_return returned_by_psp"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is none where the return is a refund of ours", () =>
    Effect.gen(function* () {
      const story = yield* compared
      const charge = yield* story.charge()
      yield* story.pay(charge)
      const receipt = yield* story.refund(charge)
      yield* story.settleRefund(receipt, "confirmed")
      yield* story.advance("3 hours")
      assert.deepStrictEqual(yield* line, [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is not found under a name of none", () =>
    Effect.gen(function* () {
      const id = "019a2b3c-dead-7000-8000-00000000beef"
      const path = `/psp-returns/${id}/resolve`
      const answer = yield* operate("POST", path, { outcome: "charged", ...words })
      assert.strictEqual(answer.status, 404)
      assert.deepStrictEqual(answer.json.details, {
        code: "PSP_RETURN_NOT_FOUND",
        resource: "pspReturn",
        id
      })
    }).pipe(Effect.provide(world))
  )
})

describe("a payment that another PSP claims to have, and to have given back", () => {
  it.effect("is nothing: it was booked at the one that received it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const [endToEndId = ""] = yield* story.payAtBank(yield* story.charge())
      yield* story.drain
      const before = yield* story.figures
      const directory = yield* PspDirectory
      const { find } = directory
      const other = "00000000-0000-7000-8000-0000000000ee"
      const lying: PspShape = {
        ...(find(directory.default) ?? assert.fail("There is no PSP.")),
        readNotification: () => Effect.succeed([{ _tag: "Payment", endToEndId }]),
        findPayment: () =>
          Effect.succeed(
            done({
              endToEndId,
              amount: centavos(1_000),
              paidAt: DateTime.makeUnsafe("2026-11-21T12:00:00.000Z"),
              returns: [{ reference: "theirs", status: "confirmed", amount: centavos(1_000) }]
            })
          )
      }
      Object.assign(directory, {
        find: (id: typeof directory.default) => (id === other ? lying : find(id))
      })
      const { api } = yield* TestPagora
      const answer = yield* api("POST", `/psp/${other}/webhook`, { body: "{}" })
      assert.strictEqual(answer.status, 200, answer.text)
      yield* story.drain
      assert.deepStrictEqual(yield* line, [])
      assert.deepStrictEqual(yield* inSuspense, [])
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a payment that was booked and that the PSP does not list", () => {
  it.effect("is asked about, and recorded with both sides once the answer cannot be old", () =>
    Effect.gen(function* () {
      const story = yield* compared
      const charge = yield* story.charge()
      const [endToEndId = ""] = yield* story.payAtBank(charge)
      yield* story.drain
      yield* story.faults(
        { kind: "lie", operation: "listPayments" },
        { kind: "lie", operation: "findCharge" }
      )
      yield* story.advance("61 minutes")
      yield* story.advance("61 minutes")
      const [found] = yield* rowsOf(`/discrepancies?account=${story.shop.id}`)
      assert.strictEqual(found?.reason, "payment_gone")
      const { settledAt: _, ...booked } = (found?.booked ?? {}) as Fields
      const reference = charge.id.replaceAll("-", "")
      assert.deepStrictEqual(booked, {
        status: "completed",
        amount: "1000",
        reference,
        endToEndId
      })
    }).pipe(Effect.provide(world))
  )
})
