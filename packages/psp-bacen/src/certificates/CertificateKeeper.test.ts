import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Effect, Fiber, Logger, Redacted, References } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bacen } from "../Bacen.ts"
import { cob, optionsFor, startBank, txid } from "../Bank.test-data.ts"
import { clientOne, clientOneP12, clientTwo } from "../Certificates.test-data.ts"
import { aDay, aMachine } from "../Machine.test-data.ts"
import type { CertificateSource } from "./Certificate.ts"
import { Certificate } from "./Certificate.ts"
import { endFinding } from "./CertificateEnd.ts"
import { makeKeeper } from "./CertificateKeeper.ts"

const keeperOf = (source: CertificateSource) =>
  makeKeeper({ bank: "efi", source, authorities: undefined })

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pagora-certificates-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const { base64, passphrase } = clientOneP12

describe("a certificate", () => {
  it.live("is a .p12 or a PEM pair, out of a file, a variable or a function", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const at = (name: string) => join(path, name)
      writeFileSync(at("one.p12"), Buffer.from(base64, "base64"))
      writeFileSync(at("one.pem"), clientOne.certificate)
      writeFileSync(at("one.key"), clientOne.privateKey)
      const identity = {
        p12: Buffer.from(base64, "base64"),
        passphrase: Redacted.make(passphrase)
      }
      const sources = [
        Certificate.p12File(at("one.p12"), { passphrase }),
        Certificate.pemFiles({ certificate: at("one.pem"), privateKey: at("one.key") }),
        Certificate.p12Base64(base64, { passphrase }),
        Certificate.pem(clientOne),
        Certificate.provider(async () => identity),
        Certificate.provider(() => Effect.succeed(identity))
      ]
      const prints = new Set<string | undefined>()
      for (const source of sources) {
        const { facts } = yield* keeperOf(source).current
        assert.strictEqual(facts?.subject, "O=Loja,CN=Loja Um")
        prints.add(facts?.fingerprint)
      }
      assert.strictEqual(prints.size, 1)
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be opened says why, and no secret", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [CertificateSource, string]> = [
        [Certificate.p12File("no-such.p12"), "no-such.p12"],
        [Certificate.p12Base64(base64, { passphrase: "outra-senha" }), "passphrase"],
        [Certificate.p12Base64("AAAA"), "no .p12"],
        [
          Certificate.pem({ ...clientOne, privateKey: clientOne.certificate }),
          "no private key in PEM"
        ],
        [Certificate.pem({ ...clientOne, privateKey: clientTwo.privateKey }), "does not belong"],
        [Certificate.provider(() => Promise.reject(new Error("token s3cr3t"))), "function"],
        [
          Certificate.provider(() => {
            throw new Error("token s3cr3t")
          }),
          "function"
        ]
      ]
      for (const [source, words] of wrong) {
        const { message } = yield* Effect.flip(keeperOf(source).current)
        assert.include(message, words)
        assert.notMatch(message, /outra-senha|s3cr3t/)
        const psp = bacen(optionsFor("efi", "https://localhost:1", { certificate: source }))
        assert.strictEqual((yield* psp.findCharge(txid))._tag, "NotSent")
      }
    })
  )

  it.live(
    "that was renewed is shown without a restart, while a call with the one before goes on",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const [certificate, privateKey] = [join(path, "c.pem"), join(path, "c.key")]
        const put = (identity: typeof clientOne) => {
          writeFileSync(certificate, identity.certificate)
          writeFileSync(privateKey, identity.privateKey)
        }
        put(clientOne)
        const bank = yield* startBank(() => ({ json: cob() }))
        const source = Certificate.pemFiles({ certificate, privateKey }, { every: "50 millis" })
        const psp = bacen(optionsFor("efi", bank.origin, { certificate: source }))
        const calls = psp.findCharge(txid).pipe(
          Effect.tap(() => Effect.sleep("10 millis")),
          Effect.repeat({ times: 30 })
        )
        const renewing = Effect.sleep("100 millis").pipe(
          Effect.repeat({ until: () => bank.asks.length > 0 }),
          Effect.andThen(Effect.sync(() => put(clientTwo)))
        )
        const [outcomes] = yield* Effect.all(
          [Effect.all([calls, calls, calls], { concurrency: "unbounded" }), renewing],
          { concurrency: "unbounded" }
        )
        for (const outcome of outcomes) assert.strictEqual(outcome._tag, "Done")
        assert.strictEqual(bank.asks.length, 93)
        assert.strictEqual(bank.asks[0]?.client, "Loja Um")
        assert.strictEqual(bank.asks.at(-1)?.client, "Loja Dois")
      }).pipe(Effect.scoped)
  )

  it.live("whose renewal cannot be read stays, and the next one that can is shown", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const file = join(path, "c.p12")
      writeFileSync(file, Buffer.from(base64, "base64"))
      const keeper = keeperOf(Certificate.p12File(file, { passphrase, every: "10 millis" }))
      const before = yield* keeper.current
      writeFileSync(file, "half a file")
      yield* Effect.sleep("1100 millis")
      yield* keeper.doubt
      assert.strictEqual(yield* keeper.current, before)
      writeFileSync(file, Buffer.from(base64, "base64"))
      yield* Effect.sleep("1100 millis")
      yield* keeper.doubt
      assert.notStrictEqual(yield* keeper.current, before)
    }).pipe(Effect.scoped)
  )
})

describe("a function that provides a certificate", () => {
  it.effect("has 10 seconds, and one that hangs does not take the one away that is there", () =>
    Effect.gen(function* () {
      const hanging = yield* Effect.forkChild(
        Effect.flip(keeperOf(Certificate.provider(() => Effect.never)).current)
      )
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(hanging.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.include((yield* Fiber.join(hanging)).message, "function")

      let isHanging = false
      const identity = { p12: Buffer.from(base64, "base64"), passphrase: Redacted.make(passphrase) }
      const keeper = keeperOf(
        Certificate.provider(() => (isHanging ? Effect.never : Effect.succeed(identity)))
      )
      const before = yield* keeper.current
      isHanging = true
      yield* TestClock.adjust("2 hours")
      // It is looked for in the background, and nobody waits for that.
      assert.strictEqual(yield* keeper.current, before)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* keeper.current, before)
      yield* keeper.doubt
      const doubted = yield* Effect.forkChild(keeper.current)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(doubted), before)
    })
  )
})

describe("a certificate on a machine whose clock was a day ahead and is set right", () => {
  it.effect("is looked for again where the bank has refused it, and as often as ever", () =>
    Effect.gen(function* () {
      const machine = yield* aMachine
      let pair = clientOne
      let reads = 0
      const source = Certificate.provider(() =>
        Effect.sync(() => {
          reads++
          const { certificate, privateKey } = pair
          return { certificate, privateKey: Redacted.make(privateKey) }
        })
      )
      const keeper = keeperOf(source)
      machine.setAhead(aDay)
      const before = yield* machine.on(keeper.current)
      machine.setAhead(0)
      pair = clientTwo
      yield* TestClock.adjust("2 seconds")
      yield* machine.on(keeper.doubt)
      assert.notStrictEqual(yield* machine.on(keeper.current), before)
      const seen = reads
      yield* TestClock.adjust("2 hours")
      yield* machine.on(keeper.current)
      // It is looked for in the background.
      yield* TestClock.adjust("1 second")
      assert.isAbove(reads, seen)
    })
  )
})

describe("the end of a certificate", () => {
  const notAfter = DateTime.makeUnsafe("2119-09-17T17:29:48Z")

  it.effect("is told of 30, 7 and 1 days before, once each", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ fiber, message }) => {
        const { bank, daysLeft } = Context.get(fiber.context, References.CurrentLogAnnotations)
        logged.push(`${String(message)} ${String(bank)} ${String(daysLeft)}`)
      })
      const keeper = keeperOf(Certificate.pem(clientOne))
      const tell = (days: number) =>
        Effect.andThen(
          TestClock.setTime(DateTime.toEpochMillis(DateTime.subtract(notAfter, { days }))),
          keeper.current
        )
      yield* Effect.forEach([90, 31, 30, 29, 8, 7, 6, 1, 0.5, -1], tell).pipe(
        Effect.provide(Logger.layer([logger]))
      )
      assert.deepStrictEqual(
        logged.map((line) => line.split(" ").slice(-2).join(" ")),
        ["efi 30", "efi 7", "efi 1"]
      )
    })
  )

  it.effect("is told to whoever measures it, where there is a certificate that can be read", () =>
    Effect.gen(function* () {
      const endsOf = (certificate: CertificateSource) =>
        bacen({ ...optionsFor("efi", "https://localhost:1"), certificate }).certificateEnds?.() ??
        Effect.die("left out")
      assert.deepStrictEqual(yield* endsOf(Certificate.pem(clientOne)), notAfter)
      assert.isUndefined(yield* endsOf(Certificate.p12Base64("AAAA")))
    })
  )

  it("is a finding of a check", () => {
    const facts = {
      subject: "CN=x",
      fingerprint: "ab",
      notAfterMillis: DateTime.toEpochMillis(notAfter)
    }
    const at = (days: number) => endFinding(facts, facts.notAfterMillis - days * 86_400_000)
    assert.deepStrictEqual(
      [31, 30, 1, 0, -1].map((days) => at(days).state),
      ["ok", "warning", "warning", "failed", "failed"]
    )
    assert.include(at(7).message, "2119-09-17, in 7 days")
  })
})
