import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import type { PspCharge, PspOutcome } from "../../src/ports/Psp.ts"
import { done } from "../../src/ports/Psp.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { atPsp, codeOf, pspThat, random, world, Written } from "../world/ServiceWorld.test-data.ts"
import { as, opened } from "../sub-accounts/SubAccounts.test-data.ts"

const cancel = (
  { shop }: Pick<Journey, "shop">,
  charge: WithId,
  headers: Readonly<Record<string, string>> = {}
) => shop.call("POST", `/pix/${charge.id}/cancel`, { headers })

const lost: PspOutcome<never> = { _tag: "Unknown", detail: "timeout" }

describe("cancelling a charge", () => {
  it.effect("answers 200 with the transaction, and nobody can pay it any more", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge({ externalReference: "pedido" })
      const answer = yield* cancel(story, charge)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(answer.json, yield* story.transaction(charge.id))
      assert.strictEqual(answer.json.status, "cancelled")
      assert.notProperty(answer.json, "pixCopyPaste")
      assert.notProperty(answer.json, "expiresAt")
      assert.strictEqual((yield* atPsp(charge.id))?.status, "removed")
      // It is over: no deadline is left, and nobody is told of an end that its owner made.
      const before = (yield* Written).units.length
      yield* story.advance("2 days")
      // The clock's move, and that of the late look.
      assert.strictEqual((yield* Written).units.length, before + 2)
      assert.deepStrictEqual(yield* story.events(), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is refused with 409 once it is not pending any more", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const [paid, expired, cancelled] = [
        yield* story.charge(),
        yield* story.charge(),
        yield* story.charge()
      ]
      yield* story.pay(paid)
      yield* story.expire(expired)
      yield* cancel(story, cancelled)
      for (const [charge, status] of [
        [paid, "completed"],
        [expired, "expired"],
        [cancelled, "cancelled"]
      ] as const) {
        const answer = yield* cancel(story, charge)
        assert.strictEqual(answer.status, 409)
        assert.strictEqual(answer.json.error, "Conflict")
        assert.strictEqual(codeOf(answer), "CHARGE_NOT_PENDING")
        assert.strictEqual(answer.json.details?.resource, "charge")
        assert.strictEqual(answer.json.details?.field, "status")
        assert.strictEqual(answer.json.details?.["value"], status)
      }
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("finds out that it was paid before anybody told, and completes it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge()
      yield* story.faults({ kind: "dropRequest", operation: "notify", times: 9 })
      yield* story.payAtBank(charge)
      const answer = yield* cancel(story, charge)
      assert.strictEqual(answer.status, 409)
      assert.strictEqual(codeOf(answer), "CHARGE_NOT_PENDING")
      assert.strictEqual(answer.json.details?.["value"], "completed")
      assert.strictEqual((yield* story.figures).available, 1_000)
      yield* story.drain
      assert.deepStrictEqual(
        (yield* story.events()).map(({ event }) => event),
        ["payment_completed"]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("believes the answer to the cancel where the one to the question is older", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      yield* story.faults({ kind: "forget", operation: "notify", times: 9 })
      yield* story.payAtBank(charge)
      const { findCharge } = yield* pspThat({})
      yield* pspThat({
        findCharge: (reference) =>
          Effect.map(findCharge(reference), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined
              ? done({ ...outcome.value, status: "removed" as const, payments: [] })
              : outcome
          )
      })
      const answer = yield* cancel(story, charge)
      assert.strictEqual(answer.status, 409, answer.text)
      assert.strictEqual(codeOf(answer), "CHARGE_NOT_PENDING")
      assert.strictEqual((yield* story.figures).available, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("believes it too where the question does not find the charge", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      yield* story.faults({ kind: "forget", operation: "notify", times: 9 })
      yield* story.payAtBank(charge)
      yield* pspThat({ findCharge: () => Effect.succeed(done(undefined)) })
      assert.strictEqual((yield* cancel(story, charge)).status, 409)
      assert.strictEqual((yield* story.figures).available, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("gives a wrong amount back and is cancelled all the same", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      yield* story.faults({ kind: "dropRequest", operation: "notify", times: 9 })
      yield* story.payAtBank(charge, { amount: 3 })
      const answer = yield* cancel(story, charge)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual((yield* story.figures).available, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("never credits what comes after it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge()
      yield* cancel(story, charge)
      yield* story.payAtBank(charge)
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, 0)
      const [event] = yield* story.events()
      assert.strictEqual(event?.event, "payment_failed")
      assert.strictEqual(event?.data?.blockedDeposit?.reason, "charge_not_payable")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "cancelled")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is known by a question where the answer to the cancel was lost", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const { cancelCharge } = yield* pspThat({})
      yield* pspThat({
        cancelCharge: (reference) => Effect.as(cancelCharge(reference), lost)
      })
      assert.strictEqual((yield* cancel(story, charge)).status, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["the cancel did not arrive", { cancelCharge: Effect.succeed(lost), findCharge: undefined }],
    ["no question is answered", { cancelCharge: undefined, findCharge: Effect.succeed(lost) }],
    ["the PSP layer dies", { cancelCharge: Effect.die("broken"), findCharge: Effect.die("broken") }]
  ] as ReadonlyArray<
    readonly [
      string,
      Readonly<Record<"cancelCharge" | "findCharge", Effect.Effect<PspOutcome<never>> | undefined>>
    ]
  >)("goes on by itself when %s", ([_, { cancelCharge, findCharge }]) =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const whole = yield* pspThat({})
      yield* pspThat({
        ...(cancelCharge === undefined ? {} : { cancelCharge: () => cancelCharge }),
        ...(findCharge === undefined ? {} : { findCharge: () => findCharge })
      })
      const answer = yield* cancel(story, charge)
      assert.strictEqual(answer.status, 500)
      assert.strictEqual(codeOf(answer), "PSP_UNAVAILABLE")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "pending")
      yield* story.advance("1 minute")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "pending")
      yield* pspThat(whole)
      yield* story.advance("10 minutes")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "cancelled")
      assert.strictEqual((yield* atPsp(charge.id))?.status, "removed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that is not known yet loses to a payment", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const { cancelCharge } = yield* pspThat({})
      yield* pspThat({ cancelCharge: () => Effect.succeed(lost) })
      yield* cancel(story, charge)
      yield* story.pay(charge)
      yield* pspThat({ cancelCharge })
      yield* story.advance("1 day")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "completed")
      assert.strictEqual((yield* story.figures).available, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that the PSP refuses leaves the charge as it was", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const [charge, unpaid] = [yield* story.charge(), yield* story.charge()]
      yield* pspThat({
        cancelCharge: () =>
          Effect.succeed<PspOutcome<PspCharge>>({
            _tag: "Rejected",
            code: "NOT_ALLOWED",
            message: "No."
          })
      })
      for (const refused of [charge, unpaid]) {
        const answer = yield* cancel(story, refused, { "idempotency-key": "cancel-it" })
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(codeOf(answer), "PSP_REJECTED")
        assert.strictEqual(answer.json.details?.["pspCode"], "NOT_ALLOWED")
        const again = yield* cancel(story, refused, { "idempotency-key": "cancel-it" })
        assert.strictEqual(codeOf(again), "PSP_REJECTED")
      }
      yield* story.pay(charge)
      yield* story.advance("2 days")
      assert.strictEqual((yield* story.figures).available, 1_000)
      assert.deepStrictEqual(
        (yield* story.events()).map(({ event }) => event),
        ["payment_completed", "payment_expired"]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is done once for an Idempotency-Key, and answered alike to the byte", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const key = { "idempotency-key": "cancel-0001" }
      const answers = yield* Effect.all(
        Array.from({ length: 4 }, () => cancel(story, charge, key)),
        { concurrency: "unbounded" }
      )
      const later = yield* cancel(story, charge, key)
      for (const answer of [...answers, later]) {
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.text, later.text)
      }
      assert.strictEqual(later.headers.get("idempotent-replayed"), "true")
      const another = yield* cancel(story, charge, { "idempotency-key": "cancel-0002" })
      assert.strictEqual(another.status, 409)
    }).pipe(Effect.provide(world))
  )

  it.effect("takes the id in capital letters too, also under a key", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { id } = yield* story.charge()
      const headers = { "idempotency-key": "cancel-0001" }
      const ask = story.shop.call("POST", `/pix/${id.toUpperCase()}/cancel`, { headers })
      const [first, again] = [yield* ask, yield* ask]
      assert.strictEqual(first.status, 200, first.text)
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    }).pipe(Effect.provide(world))
  )

  it.effect("goes on under its key after a PSP that did not answer", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const { cancelCharge } = yield* pspThat({})
      yield* pspThat({ cancelCharge: () => Effect.succeed(lost) })
      const key = { "idempotency-key": "cancel-0001" }
      assert.strictEqual((yield* cancel(story, charge, key)).status, 500)
      yield* pspThat({ cancelCharge })
      const answer = yield* cancel(story, charge, key)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual((yield* cancel(story, charge, key)).text, answer.text)
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps its key however the id is spelled, and has no other spelling", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const headers = { "idempotency-key": "slash-0001" }
      const made = yield* shop.call("POST", "/pix", { body: { amount: 1 }, headers })
      assert.strictEqual(made.status, 201, made.text)
      const id = made.json.id
      const path = `/pix/${id}/cancel` as const
      for (const other of [`${path}/`, `${path};x`, path.replace("cancel", "%63ancel")])
        assert.strictEqual((yield* shop.call("POST", other, { headers })).status, 404, other)
      const cancelled = yield* shop.call("POST", path, { headers })
      assert.strictEqual(cancelled.status, 200, cancelled.text)
      const encoded = path.replace(
        id,
        id.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`)
      )
      for (const spelling of [encoded, path.replace(id, id.toUpperCase())])
        assert.strictEqual((yield* shop.call("POST", spelling, { headers })).text, cancelled.text)
    }).pipe(Effect.provide(world))
  )

  it.effect("comes about though the PSP was silent until its key was forgotten", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const storage = yield* Storage
      const charge = yield* story.charge({ expiresIn: 1_209_600 })
      const { cancelCharge } = yield* pspThat({})
      yield* pspThat({ cancelCharge: () => Effect.succeed(lost) })
      yield* cancel(story, charge, { "idempotency-key": "cancel-0001" })
      yield* story.advance("25 hours")
      yield* storage.purge("idempotency", yield* (yield* ServiceTime).now, 10)
      yield* pspThat({ cancelCharge })
      yield* story.advance("1 hour")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "cancelled")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("of what is not there, or somebody else's, is 404 alike", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      const stranger = yield* journey()
      yield* opened(story, "loja-1")
      const theirs = yield* stranger.charge()
      const sibling = (yield* as(story, "loja-1").call("POST", "/pix", { amount: 1 })).json
      yield* story.adjust({ amount: 1, reason: "opening" })
      const before = (yield* Written).units.length
      const told = yield* Effect.forEach(
        [{ id: random.uuid }, theirs, sibling, { id: "x" }],
        (of) =>
          Effect.map(cancel(story, of), ({ json, status }) => ({
            status,
            code: String(json.details?.code),
            message: String(json.message)
          }))
      )
      for (const answer of told) assert.deepStrictEqual(answer, told[0])
      assert.strictEqual(told[0]?.status, 404)
      assert.strictEqual(told[0]?.code, "CHARGE_NOT_FOUND")
      assert.strictEqual((yield* Written).units.length, before)
      assert.strictEqual(
        (yield* as(story, "loja-1").call("POST", `/pix/${sibling.id}/cancel`)).status,
        200
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("needs PIX:WRITE", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey({ permissions: ["TRANSACTION:READ"] })
      const answer = yield* cancel({ shop }, { id: random.uuid })
      assert.strictEqual(codeOf(answer), "PERMISSION_DENIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("races a payment to one outcome", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charges = yield* Effect.replicateEffect(story.charge(), 20)
      yield* Effect.forEach(
        charges,
        (charge, index) =>
          Effect.all(
            index % 2 === 0
              ? [cancel(story, charge), story.pay(charge)]
              : [story.pay(charge), cancel(story, charge)],
            { concurrency: "unbounded" }
          ),
        { concurrency: "unbounded" }
      )
      yield* story.drain
      const after = yield* Effect.forEach(charges, ({ id }) => story.transaction(id))
      const completed = after.filter(({ status }) => status === "completed").length
      const cancelled = after.filter(({ status }) => status === "cancelled").length
      assert.strictEqual(completed + cancelled, charges.length)
      assert.strictEqual((yield* story.figures).available, completed * 1_000)
      const events = (yield* story.events()).map(({ event }) => event)
      assert.strictEqual(events.filter((event) => event === "payment_completed").length, completed)
      assert.strictEqual(events.filter((event) => event === "payment_failed").length, cancelled)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
