import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { DateTime, Effect } from "effect"
import { Uuid } from "../../src/kernel/Ids.ts"
import { Centavos } from "../../src/kernel/Money.ts"
import type { PspCharge, PspPayout } from "../../src/ports/Psp.ts"
import { done } from "../../src/ports/Psp.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import type { Queue } from "../../src/units/Unit.ts"
import { withPayer } from "../psp-reports/Infractions.test-data.ts"
import { contradictions, operate, rowsOf, waiting } from "../reviews/Reviews.test-data.ts"
import { codeOf, pspThat, random, world } from "../world/ServiceWorld.test-data.ts"

/** The PSP gives notice, and we ask. */
const notice = Effect.fnUntraced(function* (story: Journey, queue: Queue, entity: WithId) {
  const storage = yield* Storage
  const at = yield* (yield* ServiceTime).now
  const job = { queue, id: Uuid.make(entity.id), group: story.shop.id, due: at }
  yield* storage.commit({
    at,
    jobs: [{ _tag: "Schedule", ...job }]
  })
  yield* story.drain
})

/** From now on the PSP says something else of a charge. */
const says = (change: (charge: PspCharge) => PspCharge | undefined) =>
  Effect.gen(function* () {
    const { findCharge } = yield* pspThat({})
    yield* pspThat({
      findCharge: (reference) =>
        Effect.map(findCharge(reference), (outcome) =>
          outcome._tag === "Done" && outcome.value !== undefined
            ? done(change(outcome.value))
            : outcome
        )
    })
  })

/** A shop with one paid charge, an hour and more ago. */
const paid = Effect.gen(function* () {
  const story = yield* journey()
  const charge = yield* story.charge()
  yield* story.pay(charge)
  yield* story.advance("61 minutes")
  return { story, charge }
})

describe("a PSP that contradicts a payment that was booked", () => {
  it.effect.each([
    ["payment_gone", (charge: PspCharge) => ({ ...charge, payments: [] })],
    ["payment_gone", () => undefined],
    [
      "amount_mismatch",
      (charge: PspCharge) => ({
        ...charge,
        payments: charge.payments.map((payment) => ({ ...payment, amount: Centavos.make(999n) }))
      })
    ]
  ] as const)("is recorded once as %s, and nothing moves", ([reason, change]) =>
    Effect.gen(function* () {
      const { charge, story } = yield* paid
      const before = yield* story.figures
      yield* says(change)
      for (let times = 0; times < 3; times++) yield* notice(story, "inbox", charge)
      const [found, ...others] = yield* rowsOf(`/discrepancies?account=${story.shop.id}`)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(found?.reason, reason)
      assert.strictEqual(found?.subjectType, "charge")
      assert.strictEqual(found?.subjectId, charge.id)
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is not recorded while its answers may be older than what it told", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      yield* story.pay(charge)
      yield* says((known) => ({ ...known, payments: [] }))
      yield* story.advance("59 minutes")
      yield* notice(story, "inbox", charge)
      assert.deepStrictEqual(yield* contradictions(story), [])
    }).pipe(Effect.provide(world))
  )

  it.effect("by showing it under a second charge is recorded, and its money counts once", () =>
    Effect.gen(function* () {
      const { story } = yield* paid
      const first = yield* story.charge()
      const [endToEndId = ""] = yield* story.payAtBank(first)
      yield* story.drain
      const before = yield* story.figures
      const second = yield* story.charge()
      yield* story.payAtBank(second)
      yield* says((known) => ({
        ...known,
        payments: known.payments.map((payment) => ({ ...payment, endToEndId }))
      }))
      yield* story.drain
      assert.deepStrictEqual(yield* contradictions(story), ["payment_claimed_twice"])
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("by showing it under another charge first leaves no payment of that one unbooked", () =>
    Effect.gen(function* () {
      const { story } = yield* paid
      const before = yield* story.figures
      const first = yield* story.charge()
      const second = yield* story.charge()
      const [shown = ""] = yield* story.payAtBank(first)
      const [own = ""] = yield* story.payAtBank(second)
      const truth = yield* pspThat({})
      yield* says((known) => ({
        ...known,
        payments: known.payments.flatMap((payment) =>
          payment.endToEndId === own ? [{ ...payment, endToEndId: shown }] : []
        )
      }))
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, before.total + 1_000)
      assert.strictEqual(yield* withPayer(own), 0)

      yield* pspThat(truth)
      yield* story.advance("2 days")
      assert.deepStrictEqual(yield* contradictions(story), ["payment_claimed_twice"])
      // What is paid twice goes back.
      assert.strictEqual(yield* withPayer(own), 1_000)
      assert.strictEqual((yield* story.figures).total, before.total + 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a discrepancy", () => {
  it.effect("is another one when the PSP says otherwise after the first was resolved", () =>
    Effect.gen(function* () {
      const { charge, story } = yield* paid
      const showing = (amount: bigint) =>
        says((known) => ({
          ...known,
          payments: known.payments.map((payment) => ({ ...payment, amount: Centavos.make(amount) }))
        }))
      yield* showing(999n)
      yield* notice(story, "inbox", charge)
      const [first] = yield* rowsOf("/discrepancies?status=open")
      yield* operate("POST", `/discrepancies/${String(first?.id)}/resolve`, { reason: "Seen." })
      yield* notice(story, "inbox", charge)
      assert.deepStrictEqual(yield* contradictions(story), [])
      yield* showing(500n)
      for (let times = 0; times < 3; times++) yield* notice(story, "inbox", charge)
      assert.deepStrictEqual(yield* contradictions(story), ["amount_mismatch"])
      assert.deepStrictEqual(yield* waiting(story), ["discrepancy amount_mismatch"])
      assert.strictEqual((yield* rowsOf("/discrepancies")).length, 2)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is the same one when only the time changes that the PSP names", () =>
    Effect.gen(function* () {
      const { charge, story } = yield* paid
      for (const seconds of [1, 2, 3]) {
        yield* says((known) => ({
          ...known,
          payments: known.payments.map((payment) => ({
            ...payment,
            amount: Centavos.make(999n),
            paidAt: DateTime.add(payment.paidAt, { seconds })
          }))
        }))
        yield* notice(story, "inbox", charge)
      }
      const found = yield* rowsOf("/discrepancies")
      assert.strictEqual(found.length, 1)
      assert.match(JSON.stringify(found[0]?.evidence), /"paidAt":"/)
    }).pipe(Effect.provide(world))
  )

  it.effect("shows all that the PSP says of a payout, also why it was rejected", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(50)
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      const { findPayout } = yield* pspThat({})
      const rejecting = (message: string) =>
        pspThat({
          findPayout: (reference) =>
            Effect.map(findPayout(reference), (outcome) =>
              outcome._tag === "Done" && outcome.value !== undefined
                ? done<PspPayout>({
                    ...outcome.value,
                    status: "rejected",
                    rejection: { code: "AC03", message }
                  })
                : outcome
            )
        })
      yield* rejecting("The account is closed.")
      yield* notice(story, "payout", made)
      yield* rejecting("The account was closed.")
      yield* notice(story, "payout", made)
      const found = yield* rowsOf("/discrepancies")
      assert.deepStrictEqual(
        found.map((row) => row.reason),
        ["completed_but_rejected"]
      )
      assert.match(JSON.stringify(found[0]?.evidence), /AC03.*The account is closed/)
    }).pipe(Effect.provide(world))
  )

  it.effect("is closed by a person, with reason, name and time, once", () =>
    Effect.gen(function* () {
      const { charge, story } = yield* paid
      yield* says(() => undefined)
      yield* notice(story, "inbox", charge)
      assert.deepStrictEqual(yield* waiting(story), ["discrepancy payment_gone"])
      const [found] = yield* rowsOf("/discrepancies?status=open")
      const path = `/discrepancies/${String(found?.id)}/resolve` as const
      const before = yield* story.figures
      const words = { reason: "Their list was incomplete.", by: "Ana" }
      const answer = yield* operate("POST", path, words)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.json.status, "resolved")
      assert.deepStrictEqual<unknown>(answer.json.resolution, {
        ...words,
        at: "2026-11-21T13:01:00.000Z"
      })
      const again = yield* operate("POST", path, { reason: "Once more." })
      assert.strictEqual(again.status, 409)
      assert.strictEqual(codeOf(again), "DISCREPANCY_RESOLVED")
      // What was looked into is not news when the PSP repeats it.
      yield* notice(story, "inbox", charge)
      assert.deepStrictEqual(yield* waiting(story), [])
      assert.deepStrictEqual(yield* contradictions(story), [])
      assert.strictEqual((yield* rowsOf("/discrepancies?status=resolved")).length, 1)
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is listed in pages, by account, newest first", () =>
    Effect.gen(function* () {
      const { story } = yield* paid
      const other = yield* paid
      const charges = [yield* story.charge(), yield* story.charge(), yield* story.charge()]
      for (const charge of charges) yield* story.pay(charge)
      yield* story.advance("2 hours")
      yield* says(() => undefined)
      for (const charge of charges) yield* notice(story, "inbox", charge)
      yield* notice(other.story, "inbox", other.charge)
      const mine = `/discrepancies?account=${story.shop.id}` as const
      const subjects = (yield* rowsOf(mine)).map(({ subjectId }) => subjectId)
      assert.deepStrictEqual(subjects, charges.map(({ id }) => id).toReversed())
      assert.strictEqual((yield* rowsOf("/discrepancies")).length, 4)
      const first = yield* operate("GET", `${mine}&limit=2`)
      const cursor = String(first.json.nextCursor)
      const rest = yield* rowsOf(`${mine}&limit=2&cursor=${cursor}`)
      assert.strictEqual(rest[0]?.subjectId, subjects[2])
      assert.strictEqual((yield* rowsOf("/reviews")).length, 4)
      assert.strictEqual((yield* rowsOf("/reviews?limit=3")).length, 3)
      for (const path of ["/discrepancies", "/reviews", "/suspense"]) {
        assert.strictEqual((yield* operate("GET", `${path}?account=${random.uuid}`)).status, 404)
        assert.strictEqual((yield* operate("GET", `${path}?cursor=x`)).status, 400)
        assert.strictEqual((yield* operate("GET", `${path}?limit=101`)).status, 400)
      }
      for (const id of [random.uuid, "x"]) {
        const answer = yield* operate("POST", `/discrepancies/${id}/resolve`, { reason: "x" })
        assert.strictEqual(answer.status, 404)
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a withdrawal that only a person can decide", () => {
  const shop = Effect.gen(function* () {
    const story = yield* journey()
    yield* story.fund(50)
    return story
  })

  it.effect("waits in the one list until it is decided; a late word against it is recorded", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const lost = Effect.succeed({ _tag: "Unknown", detail: "down" } as const)
      const psp = yield* pspThat({})
      yield* pspThat({
        sendPayout: (payout) => Effect.andThen(psp.sendPayout(payout), lost),
        findPayout: () => lost
      })
      const made = yield* story.withdraw()
      for (let hour = 0; hour < 25; hour++) yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* waiting(story), ["withdrawal unanswered"])
      const [entry] = yield* rowsOf("/reviews")
      const path = `/withdrawals/${made.id}/resolve` as const
      assert.deepStrictEqual(entry?.calls, [`POST ${path}`])
      const answer = yield* operate("POST", path, { outcome: "failed", reason: "Not there." })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(yield* waiting(story), [])
      const before = yield* story.figures
      yield* pspThat({
        findPayout: (reference) =>
          Effect.map(psp.findPayout(reference), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined
              ? done<PspPayout>({ ...outcome.value, status: "completed" })
              : outcome
          )
      })
      // Without any notice: the PSP is still asked.
      yield* story.advance("10 minutes")
      assert.deepStrictEqual(yield* contradictions(story), ["failed_but_paid"])
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("may be one that the PSP calls processing for ever, and is decided by its word", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      for (let hour = 0; hour < 25; hour++) yield* story.advance("1 hour")
      assert.deepStrictEqual(yield* waiting(story), ["withdrawal unanswered"])
      assert.strictEqual(
        (yield* story.shop.call("GET", `/withdrawals/${made.id}`)).json.status,
        "processing"
      )
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
