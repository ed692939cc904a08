import { assert, describe, it } from "@effect/vitest"
import type { Delivery, EventRow, StoredRow } from "@pagora/core"
import { WalletId } from "@pagora/core"
import type { Books, StoredOperation } from "../src/simulation/Books.ts"
import { judgeByClaims } from "../src/simulation/ClaimsOracle.ts"
import { judgeByLiens } from "../src/simulation/LienOracle.ts"
import { judgeByLimits } from "../src/simulation/LimitsOracle.ts"
import type { Movement } from "../src/simulation/Movements.ts"
import type { Asked } from "../src/simulation/programs/Asked.ts"
import type { Case } from "../src/simulation/programs/Judge.ts"
import { keysBroken } from "../src/simulation/programs/JudgeKeys.ts"
import { pspName } from "../src/simulation/programs/Names.ts"
import type { ProgramShop } from "../src/simulation/programs/Operation.ts"
import { judgeBySuspensions } from "../src/simulation/SuspensionOracle.ts"
import { judgeByTelling, judgeByTries } from "../src/simulation/TellingOracle.ts"
import { judgeByWatch } from "../src/simulation/WatchOracle.ts"

/** An id of that many minutes after the beginning of a day. */
const idAt = (minutes: number, tail = "0"): string => {
  const millis = Date.parse("2026-11-24T12:00:00.000Z") + minutes * 60_000
  const time = millis.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail.padStart(12, "0")}`
}

const account = idAt(0, "a")
const charge = idAt(1, "c")

const stored = (
  id: string,
  kind: string,
  status: string,
  amount: bigint,
  document: StoredOperation["document"] = {}
): StoredOperation => {
  const row = { id, kind, status, amount, account, wallet: account } as Partial<StoredRow>
  return { row: row as StoredRow, document, booked: [], isInReview: false }
}

const booksOf = (...operations: ReadonlyArray<StoredOperation>): Books => ({
  operations,
  clearing: new Map(),
  parked: new Set(),
  contradicted: new Map(),
  audit: []
})

/** A request that was answered two places, and as many minutes, after it began. */
const asked = (
  place: number,
  name: string,
  json: object,
  more: Partial<Asked> = {},
  headers: Readonly<Record<string, string>> = {}
): Asked => {
  const beganAt = Date.parse("2026-11-24T12:00:00.000Z") + place * 60_000
  const at = beganAt + 60_000
  const answer = {
    status: 201,
    headers: (header: string) => headers[header],
    text: JSON.stringify(json),
    json
  }
  return {
    name,
    operation: place,
    shop: 0,
    wallet: "principal",
    as: "tenant",
    process: 0,
    method: "POST",
    path: `/${name}`,
    began: place,
    beganAt,
    ended: place + 2,
    outcome: "done",
    told: [{ from: place, to: place + 1, fromAt: beganAt, at, process: 0, answer }],
    ...more
  }
}

const paid = stored(charge, "charge", "completed", 100n, { e2eId: "E1" })
const refund = (id: string, status = "confirmed") =>
  stored(id, "return", status, 100n, { purpose: "refund", source: charge, endToEndId: "E1" })
const block = (id: string, status: string) =>
  stored(id, "balance_block", status, 60n, { charge, e2eId: "E1" })

describe("what goes back of a payment", () => {
  const askedRefund = (place: number, id: string) =>
    asked(place, "refund", { pspRefundTransactionId: pspName(id) }, { subject: charge })
  const askedBlock = (place: number, id: string) =>
    asked(place, "block", { id }, { subject: charge })
  const [one, other] = [idAt(5, "1"), idAt(6, "2")]

  it("goes back once, and what failed does not count", () => {
    assert.deepStrictEqual(
      judgeByClaims(booksOf(paid, refund(one), refund(other, "failed")), []),
      []
    )
    const found = judgeByClaims(booksOf(paid, refund(one), refund(other)), [])
    assert.deepStrictEqual(found, [
      `claims: ${charge} was refunded 2 times`,
      "claims: 200 of E1 went or goes back, of 100"
    ])
  })

  describe("in parts", () => {
    const part = (id: string, amount: bigint, status = "confirmed") =>
      stored(id, "return", status, amount, { purpose: "refund", source: charge, endToEndId: "E1" })
    const inParts = (sum: string) =>
      stored(charge, "charge", "completed", 100n, { e2eId: "E1", refundedInParts: sum })

    it("is as much as its charge counts", () => {
      const parts = [part(one, 60n), part(other, 40n), part(idAt(7), 90n, "failed")]
      assert.deepStrictEqual(judgeByClaims(booksOf(inParts("100"), ...parts), []), [])
      assert.deepStrictEqual(judgeByClaims(booksOf(inParts("60"), ...parts), []), [
        `claims: ${charge} counts 60 of its parts, and they are 100`
      ])
    })

    it("is not accepted over what is gone, though the bank refuses it", () => {
      const books = booksOf(inParts("60"), part(one, 60n), part(other, 41n, "failed"))
      const first = askedRefund(10, one)
      assert.deepStrictEqual(judgeByClaims(books, [first, askedRefund(20, other)]), [
        `claims: 41 of ${charge} were refunded, of which 60 of 100 were gone`
      ])
      // At once, nobody can say which came first.
      assert.deepStrictEqual(judgeByClaims(books, [first, askedRefund(11, other)]), [])
      const failed = booksOf(inParts("41"), part(one, 60n, "failed"), part(other, 41n))
      assert.deepStrictEqual(judgeByClaims(failed, [first, askedRefund(20, other)]), [])
    })

    it("leaves the rest to a block, of which a part is approved", () => {
      const approved = (amount: bigint, released: string) =>
        stored(other, "balance_block", "collecting", amount, { e2eId: "E1", released })
      const after = [askedRefund(10, one), askedBlock(20, other)]
      const books = booksOf(inParts("40"), part(one, 40n), approved(60n, "20"))
      assert.deepStrictEqual(judgeByClaims(books, after), [])
      const more = booksOf(inParts("40"), part(one, 40n), approved(81n, "20"))
      assert.deepStrictEqual(judgeByClaims(more, after), [
        "claims: 101 of E1 went or goes back, of 100"
      ])
    })
  })

  it("counts what a bank gave back, beside which a court claims and a refund waits", () => {
    const byBank = stored(idAt(7, "3"), "psp_return", "absorbed", 50n, { endToEndId: "E1" })
    const court = stored(one, "balance_block", "collecting", 100n, {
      charge,
      e2eId: "E1",
      blockType: "judicial",
      returned: "40"
    })
    const piece = { purpose: "chargeback", source: one, endToEndId: "E1" }
    const sent = stored(other, "return", "requested", 40n, piece)
    assert.deepStrictEqual(judgeByClaims(booksOf(paid, byBank, court, sent), []), [])
    const waits = { purpose: "refund", source: charge, endToEndId: "E1" }
    const waiting = stored(other, "return", "requested", 100n, { ...waits, besides: idAt(7, "3") })
    assert.deepStrictEqual(judgeByClaims(booksOf(paid, byBank, waiting), []), [])
    assert.deepStrictEqual(judgeByClaims(booksOf(paid, byBank, refund(one)), []), [
      "claims: 150 of E1 went or goes back, of 100"
    ])
    const more = stored(other, "return", "requested", 41n, piece)
    assert.deepStrictEqual(judgeByClaims(booksOf(paid, court, more), []), [
      "claims: 101 of E1 went or goes back, of 100"
    ])
  })

  it("is not claimed by an open block beside its refund", () => {
    const found = judgeByClaims(booksOf(paid, refund(one), block(other, "defended")), [])
    assert.deepStrictEqual(found, ["claims: 160 of E1 went or goes back, of 100"])
  })

  it("is not refunded before its block is decided, nor blocked after its refund", () => {
    const books = booksOf(paid, refund(one), block(other, "rejected"))
    const resolved = asked(14, "resolve", {}, { subject: other })
    const before = [askedBlock(10, other), askedRefund(20, one)]
    assert.match(judgeByClaims(books, before).join(), /blocked before, and not decided$/)
    assert.deepStrictEqual(judgeByClaims(books, [...before, resolved]), [])
    const after = [askedRefund(10, one), askedBlock(20, other), resolved]
    assert.match(judgeByClaims(books, after).join(), /refunded before$/)
  })
})

describe("what limits allow", () => {
  const shop = { limits: { withdrawal: 70, daily: 100 } } as ProgramShop
  const withdrawal = (place: number, amount: bigint, status = "completed") => ({
    operation: stored(idAt(place), "withdrawal", status, amount),
    request: asked(place, "withdraw", { id: idAt(place) })
  })
  const judged = (
    all: ReadonlyArray<ReturnType<typeof withdrawal>>,
    more: ReadonlyArray<Asked> = []
  ) =>
    judgeByLimits(
      booksOf(...all.map(({ operation }) => operation)),
      [...all.map(({ request }) => request), ...more],
      [shop]
    )

  it("is what was withdrawn at once, and in a day", () => {
    assert.deepStrictEqual(judged([withdrawal(10, 70n), withdrawal(20, 30n)]), [])
    assert.match(judged([withdrawal(10, 71n)]).join(), /is over 71, above 70$/)
    assert.match(judged([withdrawal(10, 70n), withdrawal(20, 31n)]).join(), /at 101, above 100$/)
    assert.deepStrictEqual(judged([withdrawal(10, 70n, "failed"), withdrawal(20, 31n)]), [])
    // The day ends at three o'clock by UTC.
    assert.deepStrictEqual(judged([withdrawal(890, 70n), withdrawal(901, 31n)]), [])
  })

  it("is what was in force", () => {
    const body = { limits: { withdrawal: { daily: 2 } } }
    const change = (place: number) => asked(place, "changeAccount", {}, { body })
    assert.deepStrictEqual(judged([withdrawal(10, 70n), withdrawal(20, 80n)], [change(15)]), [])
    const beyond = [withdrawal(10, 70n), withdrawal(20, 131n)]
    assert.match(judged(beyond, [change(15)]).join(), /at 201, above 200$/)
    assert.match(judged([withdrawal(10, 71n)], [change(15)]).join(), /above 70$/)
  })

  it("is the limit of a charge", () => {
    const request = asked(1, "charge", { id: charge })
    const limited = { limits: { charge: 99 } } as ProgramShop
    assert.match(judgeByLimits(booksOf(paid), [request], [limited]).join(), /above 99$/)
  })
})

describe("payouts of those who may not pay", () => {
  const payout = stored(idAt(5), "withdrawal", "completed", 10n, { subAccount: "loja" })
  const suspended = asked(
    10,
    "changeSubAccount",
    {},
    { body: { status: "suspended" }, wallet: "loja" }
  )
  const approved = { ...suspended, ...asked(20, "changeSubAccount", {}), wallet: "loja" }
  const ofLoja = { wallet: "loja", body: { status: "approved" } }
  const lifted = { ...approved, ...ofLoja }
  const judged = (minute: number, all: ReadonlyArray<Asked>) =>
    judgeBySuspensions(
      booksOf(payout),
      all,
      [account],
      () => Date.parse("2026-11-24T12:00:00.000Z") + minute * 60_000
    )

  it("are not sent before they may again", () => {
    assert.match(judged(15, [suspended]).join(), /its owner was stopped/)
    for (const minute of [9, 11, 21])
      assert.deepStrictEqual(judged(minute, [suspended, lifted]), [])
    assert.deepStrictEqual(judged(15, [{ ...suspended, wallet: "filial" }]), [])
  })

  it("may be sent where a process may have heard late that they may again", () => {
    const before = { ...lifted, ...asked(5, "changeSubAccount", {}), ...ofLoja }
    assert.match(judged(15, [before, suspended]).join(), /its owner was stopped/)
    const lost = before.told.map((one) => ({ ...one, answer: "lost" as const }))
    const told = [...lost, ...before.told]
    assert.deepStrictEqual(judged(15, [{ ...before, told }, suspended]), [])
  })
})

describe("what is told", () => {
  const endpoint = idAt(2, "e")
  const event = { id: idAt(9, "f"), key: charge } as Partial<EventRow> as EventRow
  const delivery = (more: Partial<Delivery> = {}) =>
    ({
      id: idAt(9, "d"),
      account,
      endpoint,
      event: event.id,
      type: "payment_completed",
      status: "exhausted",
      attempts: 5,
      ...more
    }) as Delivery
  const row = { id: endpoint, account, wallet: account, status: "enabled" } as Partial<StoredRow>
  const telling = (...deliveries: ReadonlyArray<Delivery>) => ({
    deliveries,
    events: [event],
    endpoints: [row as StoredRow]
  })
  const requests = [asked(1, "endpoint", { id: endpoint }), asked(5, "charge", { id: charge })]

  it("is told to every endpoint that was there before, in whatever state", () => {
    const books = booksOf(paid)
    assert.deepStrictEqual(judgeByTelling(books, telling(delivery()), requests), [])
    const untold = [`telling: endpoint ${endpoint} has no payment_completed of ${charge}`]
    assert.deepStrictEqual(judgeByTelling(books, telling(), requests), untold)
    const changed = asked(3, "changeEndpoint", {}, { subject: endpoint })
    assert.deepStrictEqual(judgeByTelling(books, telling(), [...requests, changed]), [])
    const late = [asked(7, "endpoint", { id: endpoint }), requests[1] as Asked]
    assert.deepStrictEqual(judgeByTelling(books, telling(), late), [])
  })

  it("is given up after all attempts", () => {
    assert.deepStrictEqual(judgeByTries(telling(delivery()), requests), [])
    assert.match(judgeByTries(telling(delivery({ attempts: 3 })), requests).join(), /after 3/)
  })
})

describe("what is claimed", () => {
  const wallet = WalletId.make(account)
  const [blocked, spent] = [idAt(10, "b"), idAt(20, "5")]
  const movements: ReadonlyArray<Movement> = [
    { wallet, source: "funds", amount: 100n, at: Date.parse("2026-11-24T12:00:00Z") },
    { wallet, source: spent, amount: -50n, at: Date.parse("2026-11-24T12:20:00Z") }
  ]
  const requests = [
    asked(10, "block", { id: blocked }, { subject: charge }),
    asked(20, "transfer", { id: spent })
  ]

  it("is not spent", () => {
    const found = judgeByLiens(booksOf(block(blocked, "rejected")), movements, requests)
    assert.deepStrictEqual(found, [
      `liens: transfer ${spent} left 50 at the most, of which 60 were claimed`
    ])
    const resolved = [...requests, asked(15, "resolve", {}, { subject: blocked })]
    assert.deepStrictEqual(
      judgeByLiens(booksOf(block(blocked, "rejected")), movements, resolved),
      []
    )
  })
})

describe("the key of another tenant", () => {
  const replayed = { "idempotent-replayed": "true" }
  const keyed = { key: "operation-1", path: "/withdrawals", name: "withdraw" }
  const judged = (...all: ReadonlyArray<Asked>) =>
    keysBroken({ asked: all } as Partial<Case> as Case)

  it("leads to nothing", () => {
    const first = asked(1, "charge", { id: charge }, keyed)
    const repeat = asked(5, "charge", { id: charge }, keyed, replayed)
    assert.deepStrictEqual(judged(first, repeat), [])
    assert.match(judged(first, { ...repeat, shop: 1 }).join(), /nobody has used there before/)
  })
})

describe("the oracle of what has ended", () => {
  const day = 86_400_000
  const end = "2026-11-24T12:00:00.000Z"
  const judge = (status: string, days: number | undefined) =>
    judgeByWatch(booksOf(stored(charge, "withdrawal", status, 100n, { updatedAt: end })), () =>
      days === undefined ? undefined : Date.parse(end) + days * day
    )

  it("has nothing to say where the bank was asked to the last, or nothing can change", () => {
    for (const status of ["completed", "failed"]) assert.deepStrictEqual(judge(status, 7), [])
    assert.deepStrictEqual(judge("reversed", 0), [])
  })

  it("finds a withdrawal that nobody looked at any more, or never", () => {
    for (const days of [0, 1, undefined])
      for (const status of ["completed", "failed"])
        assert.match(judge(status, days).join(), /^watch: withdrawal .* was not looked at/)
  })
})
