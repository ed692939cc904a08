import { assert, describe, it } from "@effect/vitest"
import type { Centavos } from "@pagora/core"
import type { IndoorBank } from "@pagora/fake-bank"
import { makeFakeBank } from "@pagora/fake-bank"
import type { Exchanged, Transport } from "@pagora/psp-bacen"
import { bacen } from "@pagora/psp-bacen"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const reference = "c".repeat(32)
const charge = { reference, amount: 1999n as Centavos, expiresInSeconds: 3600 }

const aBank = (): IndoorBank =>
  makeFakeBank({
    bank: "efi",
    seed: 1,
    clock: {
      now: () => new Date(0),
      later: () => undefined,
      advance: async () => undefined,
      stop: () => undefined
    },
    deliver: () => undefined
  })

const pspAt = (bank: IndoorBank, transport: Transport) =>
  bacen({
    bank: "efi",
    environment: "production",
    pixKey: bank.pixKey,
    clientId: bank.client.clientId,
    clientSecret: bank.client.clientSecret,
    origin: bank.urls.origin,
    transport
  })

/** To a bank in this process. */
const to =
  (bank: IndoorBank): Transport =>
  (request) =>
    Effect.map(
      Effect.promise(() => bank.ask(request)),
      (told): Exchanged =>
        told === undefined
          ? { _tag: "Lost", detail: "no answer" }
          : { _tag: "Answered", retryAfter: told.headers["retry-after"], ...told }
    )

describe("a transport", () => {
  it.effect("carries all that is asked of the bank, and needs no certificate", () =>
    Effect.gen(function* () {
      const bank = aBank()
      const psp = pspAt(bank, to(bank))
      const made = yield* psp.createCharge(charge)
      assert.strictEqual(made._tag, "Done")
      bank.pay(reference)
      const found = yield* psp.findCharge(reference)
      if (found._tag !== "Done") return assert.fail(found._tag)
      assert.deepStrictEqual(
        found.value?.payments.map(({ amount }) => amount),
        [1999n]
      )
      assert.deepStrictEqual(
        bank.requests.map(({ operation }) => operation),
        ["token", "createCharge", "findCharge"]
      )
      assert.deepStrictEqual(bank.findings, [])
    })
  )

  it.effect("that says nothing is waited for no longer than the bank would be", () =>
    Effect.gen(function* () {
      const bank = aBank()
      const whole = to(bank)
      const psp = pspAt(bank, (request) =>
        request.method === "PUT" ? Effect.never : whole(request)
      )
      const asking = yield* Effect.forkChild(psp.createCharge(charge))
      yield* Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(asking))._tag, "Unknown")
    })
  )

  it.effect("that has sent nothing leaves nothing in doubt", () =>
    Effect.gen(function* () {
      const bank = aBank()
      const psp = pspAt(bank, () => Effect.succeed({ _tag: "NotSent", detail: "no way" }))
      assert.strictEqual((yield* psp.createCharge(charge))._tag, "NotSent")
    })
  )
})
