import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted, Result } from "effect"
import * as PixKey from "../kernel/PixKey.ts"
import type { SandboxPayoutOutcome } from "./SandboxPayout.ts"
import type { Process } from "./SandboxWorld.test-data.ts"
import {
  anInbox,
  answered,
  aDriver,
  aProcess,
  aSandbox,
  centavos,
  later,
  otherCredential,
  reference,
  seenPayout,
  send,
  signed
} from "./SandboxWorld.test-data.ts"

const key = (type: PixKey.PixKeyType, text: string) => Result.getOrThrow(PixKey.parse(type, text))

const settle = (process: Process, ...outcomes: ReadonlyArray<SandboxPayoutOutcome["_tag"]>) =>
  Effect.forEach(outcomes, (_tag) => process.settlePayout(reference(1), { _tag }))

describe("a payout at the sandbox PSP", () => {
  it.effect("is under way until a hand completes it, and lives by business time", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const sent = yield* answered(send(process))
      assert.strictEqual(sent.status, "processing")
      assert.isUndefined(sent.endToEndId)
      yield* later(process, "1 hour")
      const [completed] = yield* settle(process, "completed")
      assert.deepStrictEqual(yield* seenPayout(process), completed)
      assert.strictEqual(completed?.status, "completed")
      assert.match(completed?.endToEndId ?? "", /^E99999999197001010100/)
      assert.deepStrictEqual(completed?.settledAt, DateTime.makeUnsafe(3_600_000))
    })
  )

  it.effect("stays what it was when it is sent again with other terms", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const first = yield* answered(send(process))
      const again = { amount: centavos(9900n), pixKey: key("cpf", "12345678909") }
      assert.deepStrictEqual(yield* answered(send(process, again)), first)
    })
  )

  it.effect("goes to whoever was expected, or to whom the key names, or to anybody", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const expected = { name: "Rita", document: "52998224725" }
      const one = yield* answered(send(process, { reference: reference(1), holder: expected }))
      assert.deepStrictEqual(one.recipient, expected)
      const pixKey = key("cnpj", "11222333000181")
      const two = yield* answered(send(process, { reference: reference(2), pixKey }))
      assert.deepStrictEqual(two.recipient, {
        name: "Empresa Fictícia Ltda",
        document: "11222333000181"
      })
      const three = yield* answered(send(process, { reference: reference(3) }))
      assert.match(three.recipient?.document ?? "", /^\d{11}$/)
      assert.isNotEmpty(three.recipient?.name)
    })
  )

  it.effect("is refused, and leaves nothing, when nobody could make it", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const wrong = [
        [{ reference: "short" }, "INVALID_REFERENCE"],
        [{ amount: centavos(0n) }, "INVALID_AMOUNT"],
        [{ amount: centavos(10n ** 12n) }, "INVALID_AMOUNT"],
        [{ pixKey: { type: "cpf", value: "12345678900" } as PixKey.PixKey }, "INVALID_KEY"]
      ] as const
      for (const [asked, code] of wrong) {
        const outcome = yield* send(process, asked)
        assert.strictEqual(outcome._tag === "Rejected" ? outcome.code : outcome._tag, code)
      }
      assert.isUndefined(yield* answered(process.psp.findPayout({ reference: reference(1) })))
    })
  )

  it.effect("belongs to its credential", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const ours = yield* aProcess(driver)
      const theirs = yield* aProcess(driver, { credential: otherCredential })
      yield* send(ours)
      assert.isUndefined(yield* answered(theirs.psp.findPayout({ reference: reference(1) })))
      const outcome = yield* send(theirs)
      assert.strictEqual(
        outcome._tag === "Rejected" ? outcome.code : outcome._tag,
        "REFERENCE_TAKEN"
      )
      const unsettled = yield* Effect.flip(settle(theirs, "completed"))
      assert.strictEqual(unsettled._tag, "SandboxPayoutNotFound")
    })
  )
})

describe("a hand that ends a payout", () => {
  const ways: ReadonlyArray<{
    readonly does: ReadonlyArray<SandboxPayoutOutcome["_tag"]>
    readonly status: string
    readonly notices: number
  }> = [
    { does: ["completed"], status: "completed", notices: 1 },
    { does: ["completed", "completed"], status: "completed", notices: 1 },
    { does: ["failed"], status: "rejected", notices: 1 },
    { does: ["failed", "failed"], status: "rejected", notices: 1 },
    { does: ["reversed"], status: "reversed", notices: 2 },
    { does: ["completed", "reversed"], status: "reversed", notices: 2 },
    { does: ["reversed", "reversed"], status: "reversed", notices: 2 }
  ]
  for (const { does, notices, status } of ways) {
    it.effect(`by ${does.join(" and ")} leaves it ${status}, and tells of each step once`, () =>
      Effect.gen(function* () {
        const process = yield* aSandbox
        const inbox = anInbox()
        yield* process.attach(inbox.receive)
        yield* send(process)
        const settled = (yield* settle(process, ...does)).at(-1)
        assert.strictEqual(settled?.status, status)
        assert.deepStrictEqual(yield* seenPayout(process), settled)
        assert.strictEqual(settled?.endToEndId === undefined, status === "rejected")
        assert.strictEqual(inbox.received.length, notices)
        yield* process.resend
        assert.strictEqual(inbox.received.length, notices)
      })
    )
  }

  for (const [first, second, status] of [
    ["completed", "failed", "completed"],
    ["failed", "completed", "rejected"],
    ["failed", "reversed", "rejected"],
    ["reversed", "completed", "reversed"],
    ["reversed", "failed", "reversed"]
  ] as const) {
    it.effect(`cannot say ${second} of what is ${status}, and is told so`, () =>
      Effect.gen(function* () {
        const process = yield* aSandbox
        yield* send(process)
        const [before] = yield* settle(process, first)
        const refused = yield* Effect.flip(settle(process, second))
        assert.strictEqual(
          refused.message,
          `The payout is ${status} at the PSP and can no longer be settled as ${second}.`
        )
        assert.deepStrictEqual(yield* seenPayout(process), before)
      })
    )
  }

  it.effect("gives reasons that the payout shows", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* send(process)
      const failed = yield* process.settlePayout(reference(1), {
        _tag: "failed",
        reason: "Conta encerrada."
      })
      assert.strictEqual(failed.rejection?.message, "Conta encerrada.")
      yield* send(process, { reference: reference(2) })
      const reversed = yield* process.settlePayout(reference(2), {
        _tag: "reversed",
        reason: "BE08"
      })
      assert.strictEqual(reversed.reversal?.code, "BE08")
      assert.match(reversed.reversal?.returnId ?? "", /^D99999999/)
    })
  )

  it.effect("finds nothing under a reference without a payout", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      for (const missing of [reference(2), "", "no\u0000txid"]) {
        const outcome = { _tag: "completed" } as const
        const error = yield* Effect.flip(process.settlePayout(missing, outcome))
        assert.strictEqual(error._tag, "SandboxPayoutNotFound")
      }
    })
  )
})

describe("many hands at one payout", () => {
  it.effect("agree on how it ended, and tell of each step at least once", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const processes = [yield* aProcess(driver), yield* aProcess(driver)]
      for (let number = 0; number < 20; number++) {
        yield* send(processes[0]!, { reference: reference(number) })
        const ends = yield* Effect.forEach(
          ["completed", "failed", "reversed", "completed"] as const,
          (_tag, index) =>
            Effect.result(processes[index % 2]!.settlePayout(reference(number), { _tag })),
          { concurrency: "unbounded" }
        )
        const payout = yield* seenPayout(processes[1]!, number)
        const answers = ends.flatMap((end) => (Result.isSuccess(end) ? [end.success] : []))
        const last = answers.find(({ status }) => status === payout.status)
        assert.deepStrictEqual(last, payout)
        if (payout.status === "rejected") assert.strictEqual(answers.length, 1)
        // Whatever it became later, one completion has one end-to-end id.
        for (const { endToEndId } of answers) assert.strictEqual(endToEndId, payout.endToEndId)
      }
    })
  )
})

describe("a notification of a payout", () => {
  it.effect(
    "is signed, names it, and is sent again until it is accepted, also after a restart",
    () =>
      Effect.gen(function* () {
        const driver = yield* aDriver
        yield* Effect.scoped(
          Effect.gen(function* () {
            const process = yield* aProcess(driver)
            yield* process.attach(anInbox(false).receive)
            yield* send(process)
            yield* settle(process, "completed")
          })
        )
        const process = yield* aProcess(driver)
        const inbox = anInbox()
        yield* process.attach(inbox.receive)
        yield* process.resend
        assert.strictEqual(inbox.received.length, 1)
        for (const notification of inbox.received) {
          assert.deepStrictEqual(yield* process.psp.readNotification(notification), [
            { _tag: "Payout", reference: reference(1) }
          ])
          const text = new TextDecoder().decode(notification.body)
          const forged = signed(text, Redacted.make("another"))
          assert.strictEqual(
            (yield* Effect.flip(process.psp.readNotification(forged))).reason,
            "Unauthenticated"
          )
        }
      })
  )

  it.effect("of its completion does not stand for that of its reversal", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const inbox = anInbox()
      yield* process.attach(inbox.receive)
      yield* send(process)
      yield* settle(process, "completed")
      inbox.isAccepting = false
      yield* settle(process, "reversed")
      inbox.isAccepting = true
      yield* process.resend
      yield* process.resend
      assert.strictEqual(inbox.received.length, 3)
    })
  )

  it.effect("may lie about the amount, and the book does not", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const inbox = anInbox()
      yield* process.attach(inbox.receive)
      yield* process.setFaults([{ operation: "notify", kind: "lie" }])
      yield* send(process)
      yield* settle(process, "completed")
      assert.match(new TextDecoder().decode(inbox.received[0]?.body), /"amount":"10\.01"/)
      assert.strictEqual((yield* seenPayout(process)).amount, centavos(1000n))
    })
  )
})
