import { assert, describe, it } from "@effect/vitest"
import { journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { PspShape } from "../../src/ports/Psp.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import {
  atPsp,
  callBack,
  codeOf,
  noticeOf,
  pspThat,
  random,
  signatureOf,
  txidOf,
  utf8,
  world,
  Written
} from "../world/ServiceWorld.test-data.ts"

const statusOf = (transaction: { readonly [key: string]: unknown }) => String(transaction["status"])

describe("a notification of the PSP", () => {
  it.effect("is a reason to ask, and the PSP's answer credits", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.faults({ operation: "notify", kind: "dropRequest" })
      const charge = yield* story.charge()
      yield* story.payAtBank(charge)
      yield* story.drain
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "pending")
      const answer = yield* callBack(noticeOf(txidOf(charge.id)))
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.json, { received: true })
      yield* story.drain
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "completed")
      assert.strictEqual((yield* story.figures).total, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "whose payment the PSP does not show yet is a reason to ask again, after the end too",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.faults({ operation: "findCharge", kind: "lie", times: 3 })
        const open = yield* story.charge()
        yield* story.payAtBank(open)
        yield* story.drain
        assert.strictEqual(statusOf(yield* story.transaction(open.id)), "pending")
        for (let look = 0; look < 3; look++) yield* story.advance("1 minute")
        assert.strictEqual(statusOf(yield* story.transaction(open.id)), "completed")

        const ended = yield* story.charge({ expiresIn: 60 })
        yield* story.advance("59 seconds")
        yield* story.faults(
          { operation: "cancelCharge", kind: "dropAnswer", times: 2 },
          { operation: "findCharge", kind: "lie", times: 3 }
        )
        yield* story.payAtBank(ended)
        yield* story.advance("1 second")
        assert.strictEqual(statusOf(yield* story.transaction(ended.id)), "cancelled")
        for (let look = 0; look < 3; look++) yield* story.advance("1 minute")
        assert.strictEqual(statusOf(yield* story.transaction(ended.id)), "completed")
        assert.strictEqual((yield* story.figures).total, 2_000)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("of a payment that there never was is asked about for a day, and less and less", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.advance("2 minutes")
      let asked = 0
      const real: PspShape = yield* pspThat({
        findCharge: (reference) =>
          Effect.suspend(() => {
            asked++
            return real.findCharge(reference)
          })
      })
      yield* callBack(noticeOf(txidOf(charge.id)))
      for (let minutes = 0; minutes < 26 * 60; minutes += 5) yield* story.advance("5 minutes")
      assert.isAbove(asked, 5)
      assert.isBelow(asked, 26 * 12)
      const before = asked
      yield* story.advance("1 day")
      assert.strictEqual(asked, before)
      assert.strictEqual((yield* story.figures).total, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("twenty times over, one after the other and all at once, credits once", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge()
      yield* story.payAtBank(charge)
      const notice = callBack(noticeOf(txidOf(charge.id)))
      yield* Effect.all([story.drain, ...Array.from({ length: 10 }, () => notice), story.drain], {
        concurrency: "unbounded"
      })
      yield* Effect.replicateEffect(Effect.andThen(notice, story.drain), 10)
      assert.strictEqual((yield* story.figures).total, 1_000)
      assert.strictEqual((yield* story.events()).length, 1)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "that the PSP duplicates, loses the answer of or sends out of order, credits once",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        yield* story.faults(
          { operation: "notify", kind: "duplicate" },
          { operation: "notify", kind: "dropAnswer" },
          { operation: "notify", kind: "reorder" }
        )
        const charges = yield* Effect.replicateEffect(story.charge(), 4)
        yield* Effect.forEach(charges, (charge) => story.payAtBank(charge))
        yield* TestClock.adjust("10 seconds")
        yield* story.drain
        // It was never told that they arrived, so it sends them again.
        yield* story.faults()
        yield* Effect.flatMap(SandboxPsp, ({ resend }) => Effect.orDie(resend))
        yield* story.drain
        assert.strictEqual((yield* story.figures).total, 4_000)
        assert.strictEqual((yield* story.events()).length, 4)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("that is lost for ever is made up for when the charge ends", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* story.faults({ operation: "notify", kind: "dropRequest" })
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.payAtBank(charge)
      yield* story.advance("60 seconds")
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "completed")
      assert.deepStrictEqual(
        (yield* story.events()).map(({ event }) => event),
        ["payment_completed"]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that tells another amount than was paid changes nothing: the PSP is asked", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.faults({ operation: "notify", kind: "lie" })
      const charge = yield* story.charge()
      yield* story.payAtBank(charge)
      yield* callBack(noticeOf(txidOf(charge.id), "9999999.99"))
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, 1_000)
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that is authentic and says what did not happen credits nothing", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge()
      for (const valor of ["10.00", "0.01", "-10.00", "1e9", "nonsense"]) {
        assert.strictEqual((yield* callBack(noticeOf(txidOf(charge.id), valor))).status, 200)
      }
      yield* story.drain
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "pending")
      assert.strictEqual((yield* story.figures).total, 0)
      assert.deepStrictEqual(yield* story.events(), [])
      // The charge still ends when it should.
      yield* story.advance("1 day")
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "cancelled")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("before the PSP shows the payment is followed up when it does", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.faults({ operation: "findCharge", kind: "lie", times: 1 })
      yield* story.payAtBank(charge)
      yield* story.drain
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "pending")
      yield* story.advance("60 seconds")
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "completed")
      assert.strictEqual((yield* story.figures).total, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["dropRequest", "dropAnswer", "errorAfterDoing"])(
    "is kept while the PSP cannot be asked (%s), and the charge does not end meanwhile",
    (kind) =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        const charge = yield* story.charge({ expiresIn: 60 })
        yield* story.faults({ operation: "findCharge", kind })
        yield* story.payAtBank(charge)
        yield* story.advance("3 hours")
        assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "pending")
        assert.deepStrictEqual(yield* story.events(), [])
        yield* story.faults()
        yield* story.advance("5 minutes")
        assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "completed")
        assert.deepStrictEqual(
          (yield* story.events()).map(({ event }) => event),
          ["payment_completed"]
        )
        yield* story.audit
      }).pipe(Effect.provide(world))
  )
})

const forged: ReadonlyArray<
  readonly [name: string, signature: (body: string) => string | undefined]
> = [
  ["no signature", () => undefined],
  ["an empty one", () => ""],
  ["zeros", () => "0".repeat(64)],
  ["one of another key", (body) => signatureOf(body, "another key of thirty-two bytes!")],
  ["one of another body", (body) => signatureOf(`${body} `)],
  ["one cut short", (body) => signatureOf(body).slice(0, 63)],
  ["one with a digit more", (body) => `${signatureOf(body)}0`],
  ["one in capitals", (body) => signatureOf(body).toUpperCase()],
  ["one with its algorithm in front", (body) => `sha256=${signatureOf(body)}`],
  ["two of them", (body) => `${signatureOf(body)}, ${signatureOf(body)}`]
]

describe("a notification that is not authentic", () => {
  it.effect.each(forged)("with %s is 401, and nothing changes", ([_, signature]) =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.faults({ operation: "notify", kind: "dropRequest" })
      const charge = yield* story.charge()
      yield* story.payAtBank(charge)
      const before = (yield* Written).units.length
      const body = noticeOf(txidOf(charge.id))
      const answer = yield* callBack(body, { signature: signature(body) })
      assert.strictEqual(answer.status, 401)
      assert.strictEqual(answer.json.error, "Unauthorized")
      assert.strictEqual(codeOf(answer), "NOTIFICATION_REFUSED")
      yield* story.drain
      assert.strictEqual((yield* Written).units.length, before)
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "pending")
    }).pipe(Effect.provide(world))
  )

  it.effect("cannot be told from outside by whether its charge is ours", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const texts = []
      for (const txid of [txidOf(charge.id), "0".repeat(32), "x"]) {
        const answer = yield* callBack(noticeOf(txid), { signature: "0".repeat(64) })
        texts.push(answer.text.replace(/"traceId":"\w+"/, ""))
      }
      assert.strictEqual(new Set(texts).size, 1)
    }).pipe(Effect.provide(world))
  )
})

describe("a notification that nobody can use", () => {
  it.effect("for a PSP that is not configured is 404", () =>
    Effect.gen(function* () {
      const body = noticeOf("0".repeat(32))
      for (const psp of [random.uuid, "x", "..%2Fpix", "%00"]) {
        const answer = yield* callBack(body, { psp })
        assert.strictEqual(answer.status, 404, psp)
        assert.strictEqual(codeOf(answer), "PSP_CREDENTIAL_NOT_FOUND", psp)
      }
      assert.strictEqual((yield* Written).units.length, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("that is signed and malformed is 400, and nothing is written", () =>
    Effect.gen(function* () {
      for (const body of [
        "{}",
        "[]",
        "null",
        "{",
        '{"pix":1}',
        '{"pix":[1]}',
        '{"pix":[{"txid":1}]}',
        '{"pix":[{"txid":"not a txid"}]}',
        '{"pix":[{"txid":"a"}],"pix":[]}',
        `{"pix":[{"txid":"${"0".repeat(36)}"}]}`,
        "[".repeat(30_000)
      ]) {
        const answer = yield* callBack(body)
        assert.strictEqual(answer.status, 400, body.slice(0, 40))
        assert.strictEqual(codeOf(answer), "NOTIFICATION_REFUSED")
      }
      assert.strictEqual((yield* Written).units.length, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("of more than 64 KiB is 413 before its signature is looked at", () =>
    Effect.gen(function* () {
      const answer = yield* callBack("x".repeat(65_537), { signature: undefined })
      assert.strictEqual(answer.status, 413)
      assert.strictEqual((yield* Written).units.length, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("of charges that are not ours is 200, and nothing is written", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const before = (yield* Written).units.length
      const entry = (txid: string) => JSON.parse(noticeOf(txid)).pix[0]
      const unknown = [txidOf(random.uuid), "a".repeat(26), "Z".repeat(35), "1"]
      const answer = yield* callBack(JSON.stringify({ pix: unknown.map(entry) }))
      assert.strictEqual(answer.status, 200)
      assert.strictEqual((yield* Written).units.length, before)
      // One of ours among them is looked at.
      const charge = yield* story.charge()
      yield* story.faults({ operation: "notify", kind: "dropRequest" })
      yield* story.payAtBank(charge)
      const mixed = [...unknown, txidOf(charge.id)]
      assert.strictEqual((yield* callBack(JSON.stringify({ pix: mixed.map(entry) }))).status, 200)
      yield* story.drain
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "completed")
    }).pipe(Effect.provide(world))
  )

  it.effect("in bytes that are no UTF-8 is refused, signed or not", () =>
    Effect.gen(function* () {
      const body = new Uint8Array([...utf8('{"pix":[{"txid":"'), 0xff, ...utf8('"}]}')])
      assert.strictEqual((yield* callBack(body)).status, 401)
      assert.strictEqual((yield* Written).units.length, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("takes neither token nor other headers for a signature", () =>
    Effect.gen(function* () {
      const { api } = yield* TestPagora
      const body = noticeOf("0".repeat(32))
      const psp = "00000000-0000-7000-8000-00000000007e"
      const answer = yield* api("POST", `/psp/${psp}/webhook`, {
        body,
        headers: {
          authorization: "Bearer operator-key-of-tests",
          "x-service-signature": `sha256=${signatureOf(body)}`,
          "x-signature": signatureOf(body)
        }
      })
      assert.strictEqual(answer.status, 401)
    }).pipe(Effect.provide(world))
  )
})

describe("what the PSP says of a charge", () => {
  it.effect("is believed about payments, whatever its status says beside them", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      yield* story.expire(charge)
      // Removed at the PSP, which lets the payment through all the same.
      assert.strictEqual((yield* atPsp(charge.id))?.status, "removed")
      yield* story.payAtBank(charge)
      yield* story.drain
      assert.strictEqual((yield* atPsp(charge.id))?.payments.length, 1)
      assert.strictEqual((yield* story.figures).total, 0)
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "cancelled")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
