import { assert } from "@effect/vitest"
import type { Answer, Journey, WithId } from "@pagora/testkit"
import { journey, TestPagora } from "@pagora/testkit"
import { DateTime, Effect, Random } from "effect"
import type { AccountId } from "../../src/kernel/Ids.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { ReturnKind } from "../../src/returns/Return.ts"
import type { SandboxFault } from "../../src/sandbox-psp/SandboxFault.ts"
import { SandboxChargeKind } from "../../src/sandbox-psp/SandboxCharge.ts"
import { SandboxPayoutKind } from "../../src/sandbox-psp/SandboxPayout.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import { SandboxRefundKind } from "../../src/sandbox-psp/SandboxRefund.ts"
import { WithdrawalKind } from "../../src/withdrawals/Withdrawal.ts"
import { sumOf } from "../returns/Returns.test-data.ts"
import type { Fields } from "../reviews/Reviews.test-data.ts"
import { operate, rowsOf } from "../reviews/Reviews.test-data.ts"
import { codeOf } from "../world/ServiceWorld.test-data.ts"

/** Whether the operator of a walk decides as it is at the PSP, or as it pleases. */
export type Operator = "honest" | "careless"

const below = (bound: number) => Random.nextIntBetween(0, bound, { halfOpen: true })
const oneOf = <A>(all: readonly [A, ...ReadonlyArray<A>]) =>
  Effect.map(below(all.length), (index) => all[index] as A)
const some = <A>(all: ReadonlyArray<A>) =>
  Effect.map(below(Math.max(1, all.length)), (index) => all[index])

/** Only a PSP that does not answer is an excuse for an error of ours. */
const unbroken = <Body>(answer: Answer<Body>): Answer<Body> => {
  if (answer.status >= 500) assert.strictEqual(codeOf(answer), "PSP_UNAVAILABLE", answer.text)
  return answer
}
const ask = <const Method extends string, const Path extends string>(
  method: Method,
  path: Path,
  body?: Fields
) => Effect.map(operate(method, path, body), unbroken)

const page = { order: "asc", limit: 10_000 } as const

/** The books of the simulated PSP: what it owes us by them, in centavos. */
const owedByPsp = Effect.gen(function* () {
  const storage = yield* Storage
  const charges = yield* storage.list(SandboxChargeKind, page)
  const refunds = yield* storage.list(SandboxRefundKind, page)
  const payouts = yield* storage.list(SandboxPayoutKind, page)
  const sum = (amounts: ReadonlyArray<bigint>) => amounts.reduce((all, amount) => all + amount, 0n)
  const received = charges.flatMap(({ value }) => value.payments).map(({ amount }) => amount)
  const returned = refunds.flatMap(({ value }) =>
    value.status === "confirmed" ? [value.amount] : []
  )
  const sent = payouts.flatMap(({ value }) => (value.status === "completed" ? [value.amount] : []))
  return sum(received) - sum(returned) - sum(sent)
}).pipe(Effect.orDie)

/** A shop, what it has made so far, and whoever acts on it. */
interface Walk {
  readonly story: Journey
  readonly operator: Operator
  readonly charges: Array<WithId>
}

const wallets = [{}, {}, { "x-sub-account": "loja" }] as const

const openCharge = Effect.fnUntraced(function* ({ charges, story: { shop } }: Walk) {
  const headers = yield* oneOf(wallets)
  const split = (yield* below(4)) === 0 && !("x-sub-account" in headers)
  const answer = yield* shop.call("POST", "/pix", {
    headers,
    body: {
      amount: 1 + (yield* below(30)),
      expiresIn: yield* oneOf([60, 3_600, 86_400]),
      ...(split ? { split: [{ subAccount: "loja", percentage: 30 }] } : {})
    }
  })
  if (unbroken(answer).status === 201) charges.push(answer.json)
})

const payAtBank = Effect.fnUntraced(function* ({ charges, story }: Walk) {
  const charge = yield* some(charges)
  if (charge === undefined) return
  const isOff = (yield* below(4)) === 0
  const times = (yield* below(6)) === 0 ? 2 : 1
  yield* story.payAtBank(charge, { ...(isOff ? { amount: 3 } : {}), times })
})

const refund = Effect.fnUntraced(function* ({ charges, story: { shop } }: Walk) {
  const charge = yield* some(charges)
  if (charge === undefined) return
  const headers = yield* oneOf(wallets)
  const body = (yield* below(2)) === 0 ? {} : { amount: 1 + (yield* below(10)) }
  unbroken(yield* shop.call("POST", `/transactions/${charge.id}/refund`, { headers, body }))
})

const cancel = Effect.fnUntraced(function* ({ charges, story: { shop } }: Walk) {
  const charge = yield* some(charges)
  if (charge === undefined) return
  unbroken(yield* shop.call("DELETE", `/pix/${charge.id}`))
})

const withdraw = Effect.fnUntraced(function* ({ story: { shop } }: Walk) {
  const headers = yield* oneOf(wallets)
  const body = { amount: 1 + (yield* below(20)), pixKey: "ana@example.com", pixKeyType: "email" }
  unbroken(yield* shop.call("POST", "/withdrawals", { headers, body }))
})

/** Whatever is under way at the PSP comes to an end there, some of it or all. */
const settleAtPsp = Effect.fnUntraced(function* (portion: "some" | "all") {
  const storage = yield* Storage
  const psp = yield* SandboxPsp
  const isTurn = portion === "all" ? Effect.succeed(true) : Effect.map(below(2), (n) => n === 0)
  for (const { value } of yield* storage.list(SandboxRefundKind, page)) {
    if (value.status !== "processing" || !(yield* isTurn)) continue
    yield* Effect.ignore(
      psp.settleRefund(value.reference, yield* oneOf(["confirmed", "error"] as const))
    )
  }
  for (const { value } of yield* storage.list(SandboxPayoutKind, page)) {
    const isOpen = value.status === "processing" || value.status === "completed"
    if (!isOpen || !(yield* isTurn)) continue
    const _tag =
      value.status === "completed"
        ? yield* oneOf(["completed", "completed", "reversed"] as const)
        : yield* oneOf(["completed", "completed", "failed"] as const)
    const settling = Effect.ignore(psp.settlePayout(value.reference, { _tag }))
    const isForgotten = (yield* below(3)) === 0 && (yield* isWatched(value.settledAt))
    yield* isForgotten ? forgetting(settling) : settling
  }
}, Effect.orDie)

/** Whether a look at a payout is still to come, so that what nobody tells of it is found. */
const isWatched = Effect.fnUntraced(function* (end: DateTime.Utc | undefined) {
  const now = yield* (yield* ServiceTime).now
  return end === undefined || DateTime.isLessThan(now, DateTime.add(end, { days: 6 }))
})

/** The PSP tells nobody of what happens, now or later. */
const forgetting = Effect.fnUntraced(function* (happening: Effect.Effect<void>) {
  const psp = yield* SandboxPsp
  const before = yield* psp.faults
  yield* psp.setFaults([{ kind: "forget", operation: "notify" }])
  yield* happening
  yield* psp.setFaults(before)
})

const faults: ReadonlyArray<SandboxFault> = [
  { kind: "dropRequest", probability: 0.3 },
  { kind: "dropAnswer", probability: 0.3 },
  { kind: "errorAfterDoing", probability: 0.3 },
  { kind: "duplicate", probability: 0.5 },
  { kind: "refuse", operation: "refund" },
  { kind: "refuse", operation: "sendPayout", probability: 0.5 },
  { kind: "refuse", operation: "cancelCharge", probability: 0.5 },
  { kind: "lie", operation: "notify", probability: 0.5 },
  { kind: "dropRequest", operation: "findRefund" },
  { kind: "dropRequest", operation: "findPayout" },
  { kind: "dropAnswer", operation: "refund" }
]

/** What a PSP does against its word: no operator can be so honest that no contradiction is left. */
const treacheries: ReadonlyArray<SandboxFault> = [
  { kind: "refuseAfterDoing", operation: "sendPayout", probability: 0.5 },
  { kind: "refuseAfterDoing", operation: "refund", probability: 0.5 },
  { kind: "answerAnother", operation: "sendPayout", probability: 0.5 },
  { kind: "answerAnother", operation: "findPayout", probability: 0.3 }
]

const breakPsp = Effect.fnUntraced(function* ({ operator }: Walk) {
  const psp = yield* SandboxPsp
  const possible = operator === "honest" ? faults : [...faults, ...treacheries]
  const struck = yield* Effect.filter(possible, () => Effect.map(below(5), (n) => n === 0))
  yield* psp.setFaults(struck)
})

const block = Effect.fnUntraced(function* ({ charges, story: { shop } }: Walk) {
  const charge = yield* some(charges)
  if (charge === undefined) return
  yield* ask("POST", `/accounts/${shop.id}/balance-blocks`, {
    transactionId: charge.id,
    blockType: "med"
  })
})

const decideBlock = Effect.fnUntraced(function* ({ story: { shop } }: Walk) {
  const blocks = yield* rowsOf(`/accounts/${shop.id}/balance-blocks?limit=100`)
  const found = yield* some(blocks)
  if (found === undefined) return
  const path = `/balance-blocks/${found.id}`
  yield* (yield* below(3)) === 0
    ? ask("POST", `${path}/defend`)
    : ask("POST", `${path}/resolve`, {
        outcome: yield* oneOf(["approved", "rejected"]),
        ...((yield* below(3)) === 0 ? { amount: 1 + (yield* below(10)) } : {})
      })
})

/** How it stands at the PSP, asked past all faults. */
const foundAtPsp = Effect.fnUntraced(function* (reference: string) {
  const storage = yield* Storage
  const refunds = yield* storage.list(SandboxRefundKind, page)
  const payouts = yield* storage.list(SandboxPayoutKind, page)
  return [...refunds, ...payouts].find(({ value }) => value.reference === reference)?.value.status
}, Effect.orDie)

/** What the PSP has paid, and our books have not: somebody called it failed, or sent it anew. */
const paidUnknown = Effect.fnUntraced(function* (account: AccountId) {
  const storage = yield* Storage
  const query = { account, ...page }
  const returns = yield* storage.list(ReturnKind, query)
  const withdrawals = yield* storage.list(WithdrawalKind, query)
  const unbooked = [...returns, ...withdrawals]
    .map(({ value }) => value)
    .filter(({ status }) => status === "failed" || status === "replaced")
  return yield* Effect.filter(unbooked, ({ reference }) =>
    Effect.map(foundAtPsp(reference), (found) => found === "confirmed" || found === "completed")
  ).pipe(Effect.map((all) => all.map(({ id }): string => id)))
}, Effect.orDie)

/** A person decides one that waits, at times two persons at once, and now and then not the same. */
const review = Effect.fnUntraced(function* ({ operator, story: { shop } }: Walk, waits: Fields) {
  const calls = waits["calls"] as ReadonlyArray<string>
  const status = yield* foundAtPsp(String(waits["reference"]))
  const isPaid = status === "confirmed" || status === "completed" || status === "reversed"
  const truth = isPaid ? "completed" : "failed"
  // What is under way there has no truth yet.
  if (operator === "honest" && (status === "processing" || status === "reversed")) return
  const decide = Effect.gen(function* () {
    const [method, path] = (yield* oneOf(calls as readonly [string])).split(" ") as [string, string]
    const reason = "Looked at the bank."
    const outcome = operator === "honest" ? truth : yield* oneOf(["completed", "failed"])
    return yield* path.endsWith("/resolve")
      ? ask(method, path, waits["type"] === "discrepancy" ? { reason } : { outcome, reason })
      : ask(method, path, { reason })
  })
  assert.strictEqual(String(waits["accountId"]), shop.id)
  yield* Effect.all([decide, decide].slice(yield* below(2)), { concurrency: "unbounded" })
})

const reviewOne = Effect.fnUntraced(function* (walk: Walk) {
  const waits = yield* some(yield* rowsOf(`/reviews?account=${walk.story.shop.id}&limit=100`))
  if (waits !== undefined) yield* review(walk, waits)
})

const adjust = Effect.fnUntraced(function* ({ story }: Walk) {
  const amount = (yield* below(30)) - 10
  if (amount !== 0) unbroken(yield* story.adjust({ amount, reason: "A walk." }))
})

const close = Effect.fnUntraced(function* ({ story: { shop } }: Walk) {
  const path = `/accounts/${shop.id}`
  const body = { status: "closed" }
  yield* (yield* below(3)) === 0
    ? ask("PATCH", path, body)
    : ask("PATCH", `${path}/sub-accounts/loja`, body)
})

const notify = Effect.flatMap(SandboxPsp, ({ resend }) => Effect.orDie(resend))

const advance = ({ story }: Walk) =>
  Effect.flatMap(
    oneOf(["1 second", "1 minute", "10 minutes", "1 hour", "1 day", "4 days"] as const),
    story.advance
  )

const always = [openCharge, openCharge, payAtBank, payAtBank, payAtBank, refund, withdraw, cancel]
const later = [block, decideBlock, reviewOne, reviewOne, adjust, advance, advance]
const rare = [close, () => notify]
const outside = [() => settleAtPsp("some"), breakPsp]

const step = Effect.fnUntraced(function* (walk: Walk) {
  const group = yield* below(12)
  const choose = group < 6 ? always : group < 10 ? later : group < 11 ? outside : rare
  const act = yield* some<(walk: Walk) => Effect.Effect<unknown, unknown, Services>>(choose)
  yield* act?.(walk) ?? Effect.void
  // Now and then the workers are late.
  if ((yield* below(3)) > 0) yield* walk.story.drain
})
type Services = TestPagora | SandboxPsp | ServiceTime | Storage

/** Until nothing is under way: the PSP is well, everything is told, and whoever is asked decides. */
const comeToRest = Effect.fnUntraced(function* (walk: Walk) {
  const { setFaults } = yield* SandboxPsp
  yield* setFaults([])
  for (let round = 0; round < 12; round++) {
    yield* settleAtPsp("all")
    yield* notify
    for (const by of ["1 second", "2 minutes", "20 minutes", "2 hours", "1 day"] as const)
      yield* walk.story.advance(by)
    for (const waits of yield* rowsOf(`/reviews?account=${walk.story.shop.id}&limit=100`))
      yield* review(walk, waits)
  }
})

/** One walk: so many steps of chance, after each few of which the books are right, and an end where nothing is open. */
export const walk = (seed: string, operator: Operator, steps: number) =>
  Effect.gen(function* () {
    const story = yield* journey({ subAccountAccess: true })
    const opened = yield* story.shop.call("POST", "/sub-accounts", {
      body: { reference: "loja", name: "Loja" }
    })
    assert.strictEqual(opened.status, 201)
    yield* story.fund(50)
    yield* story.change({ fees: { payment: { fixed: 0.1 }, refund: { fixed: 0.2 } } })
    yield* story.adjust({ amount: 1, bucket: "promotional", reason: "gift" })
    const walking: Walk = { story, operator, charges: [] }
    for (let count = 1; count <= steps; count++) {
      yield* step(walking)
      if (count % 5 === 0) yield* story.audit
    }
    yield* comeToRest(walking)
    yield* story.audit

    const account = story.shop.id
    assert.deepStrictEqual(yield* rowsOf(`/reviews?account=${account}`), [], "reviews")
    assert.deepStrictEqual(yield* rowsOf(`/suspense?account=${account}`), [], "suspense")
    const told = yield* rowsOf(`/discrepancies?account=${account}&limit=100`)
    const subjects = told.map((discrepancy) => discrepancy.subjectId)
    assert.includeMembers(subjects, yield* paidUnknown(account), "what was paid and is not booked")
    if (operator === "careless") return
    const difference = (yield* owedByPsp) + (yield* sumOf(account, "psp_clearing"))
    assert.strictEqual(difference, 0n, "the PSP has what our books say")
    assert.deepStrictEqual(told, [])
  }).pipe(Random.withSeed(seed))
