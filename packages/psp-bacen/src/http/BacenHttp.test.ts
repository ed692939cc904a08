import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Layer } from "effect"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { bacen } from "../Bacen.ts"
import type { Asked, Says } from "../Bank.test-data.ts"
import { cob, optionsFor, secret, startBank, txid } from "../Bank.test-data.ts"
import { stranger } from "../Certificates.test-data.ts"
import { Certificate } from "../certificates/Certificate.ts"
import { banks } from "../profiles/Banks.ts"

const charge = { reference: txid, amount: 1234n, expiresInSeconds: 3600 } as Parameters<
  ReturnType<typeof bacen>["createCharge"]
>[0]

const bearer = ({ headers }: Asked) => headers.authorization

// Real sockets on the real clock.
layer(Layer.empty, { excludeTestServices: true })("calls of a bank", (it) => {
  it.effect("show our certificate and a token, which is asked for once", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(() => ({ json: cob() }))
      const psp = bacen(optionsFor("efi", bank.origin))
      const outcomes = yield* Effect.all(
        Array.from({ length: 8 }, () => psp.findCharge(txid)),
        { concurrency: "unbounded" }
      )
      for (const outcome of outcomes) assert.strictEqual(outcome._tag, "Done")
      assert.strictEqual(bank.tokens.length, 1)
      for (const asked of bank.asks) {
        assert.strictEqual(asked.client, "Loja Um")
        assert.strictEqual(bearer(asked), "Bearer t1")
      }
    }).pipe(Effect.scoped)
  )

  it.effect("that are denied are made once more with another token, and then are not sent", () =>
    Effect.gen(function* () {
      const bank = yield* startBank((asked) =>
        bearer(asked) === "Bearer t2" ? { json: cob() } : { status: 401 }
      )
      const psp = bacen(optionsFor("efi", bank.origin))
      assert.strictEqual((yield* psp.findCharge(txid))._tag, "Done")
      assert.deepStrictEqual(bank.asks.map(bearer), ["Bearer t1", "Bearer t2"])

      const closed = yield* startBank(() => ({ status: 401 }))
      const other = bacen(optionsFor("efi", closed.origin))
      assert.strictEqual((yield* other.findCharge(txid))._tag, "NotSent")
      assert.strictEqual(closed.asks.length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("renew a token before its end", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(
        () => ({ json: cob() }),
        (_, count) => ({ json: { access_token: `t${count}`, expires_in: "1" } })
      )
      const psp = bacen(optionsFor("efi", bank.origin))
      yield* psp.findCharge(txid)
      yield* Effect.sleep("600 millis")
      yield* psp.findCharge(txid)
      assert.deepStrictEqual(bank.asks.map(bearer), ["Bearer t1", "Bearer t2"])
    }).pipe(Effect.scoped)
  )

  it.effect("are not sent without a token, and say why without the secret", () =>
    Effect.gen(function* () {
      const says: ReadonlyArray<readonly [Says, string]> = [
        [
          { status: 401, json: { error: "invalid_client", error_description: secret } },
          "invalid_client"
        ],
        [{ status: 500, text: "<html/>" }, "status 500"],
        [{ json: { token: "x" } }, "without a token"],
        [{ json: { access_token: "x", client_id: "somebody" } }, "another client"],
        ["drop", "no token"]
      ]
      for (const [token, words] of says) {
        const bank = yield* startBank(
          () => ({ json: cob() }),
          () => token
        )
        const outcome = yield* bacen(optionsFor("efi", bank.origin)).findCharge(txid)
        if (outcome._tag !== "NotSent") return assert.fail(outcome._tag)
        assert.include(outcome.detail, words)
        assert.notInclude(JSON.stringify(outcome), secret)
        assert.strictEqual(bank.asks.length, 0)
      }
    }).pipe(Effect.scoped)
  )

  it.effect(
    "that lack a token are told by a check: a bank that refuses, is silent or is not there",
    () =>
      Effect.gen(function* () {
        const told = Effect.fnUntraced(function* (origin: string) {
          const findings = yield* bacen(optionsFor("efi", origin)).check?.() ?? Effect.succeed([])
          return findings.find(({ name }) => name === "scopes")?.message ?? ""
        })
        const says: ReadonlyArray<readonly [Says, RegExp]> = [
          [
            { status: 401, json: { error: "invalid_client" } },
            /the bank refuses the credentials \(status 401, invalid_client\): look in its portal/
          ],
          [{ status: 503, text: "" }, /the bank (gives none now|is left alone).*try again/iu],
          ["drop", /the bank did not answer .*: try again/]
        ]
        for (const [token, words] of says) {
          const bank = yield* startBank(
            () => ({ json: cob() }),
            () => token
          )
          assert.match(yield* told(bank.origin), words)
        }
        const gone = yield* told("https://localhost:1")
        assert.match(gone, /the bank was not reached \(ECONNREFUSED\): look at its address/)
      }).pipe(Effect.scoped)
  )

  it.effect(
    "are not sent to who is not there, does not take our certificate, or is not the bank",
    () =>
      Effect.gen(function* () {
        const gone = bacen(optionsFor("efi", "https://localhost:1"))
        assert.strictEqual((yield* gone.createCharge(charge))._tag, "NotSent")

        const bank = yield* startBank(() => ({ json: cob() }))
        const strange = bacen(
          optionsFor("efi", bank.origin, { certificate: Certificate.pem(stranger) })
        )
        assert.strictEqual((yield* strange.createCharge(charge))._tag, "NotSent")
        const distrusted = bacen(
          optionsFor("efi", bank.origin, { certificateAuthority: stranger.certificate })
        )
        assert.strictEqual((yield* distrusted.createCharge(charge))._tag, "NotSent")
        assert.strictEqual(bank.asks.length + bank.tokens.length, 0)
      }).pipe(Effect.scoped)
  )

  it.effect("that were read and not answered are unknown", () =>
    Effect.gen(function* () {
      const endless = "x".repeat(3_000_000)
      for (const says of ["drop", { text: endless }, { status: 502, text: "<html/>" }] as const) {
        const bank = yield* startBank(() => says)
        const outcome = yield* bacen(optionsFor("efi", bank.origin)).createCharge(charge)
        assert.strictEqual(outcome._tag, "Unknown")
        assert.strictEqual(bank.asks.length, 1)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("that cannot be written break down, and leave nothing behind", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(() => ({ json: cob() }))
      const psp = bacen(optionsFor("inter", bank.origin, { account: "1\n2" }))
      const exit = yield* Effect.exit(psp.findCharge(txid))
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual(bank.asks.length, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("stop when nobody waits any more", () =>
    Effect.gen(function* () {
      const heard = yield* Deferred.make<void>()
      const bank = yield* startBank(() => {
        Effect.runSync(Deferred.succeed(heard, undefined))
        return "hang"
      })
      const call = bacen(optionsFor("efi", bank.origin)).createCharge(charge)
      const outcome = yield* Effect.race(call, Effect.as(Deferred.await(heard), "left" as const))
      assert.strictEqual(outcome, "left")
    }).pipe(Effect.scoped)
  )

  it.effect("of one kind leave the bank alone once it had too many, and others go on", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(({ method }) =>
        method === "PUT" ? { status: 429, headers: { "retry-after": "120" } } : { json: cob() }
      )
      const psp = bacen(optionsFor("efi", bank.origin))
      for (const _ of [1, 2]) {
        const outcome = yield* psp.createCharge(charge)
        if (outcome._tag !== "NotNow") return assert.fail(outcome._tag)
        assert.isAbove(Duration.toSeconds(outcome.after), 100)
      }
      assert.strictEqual(bank.asks.length, 1)
      assert.strictEqual((yield* psp.findCharge(txid))._tag, "Done")
    }).pipe(Effect.scoped)
  )

  it.effect("keep to the bank's budget", () =>
    Effect.gen(function* () {
      const bank = yield* startBank(() => ({ json: cob() }))
      const profile = { ...banks.efi, budget: { ...banks.efi.budget, callsPerMinute: 2 } }
      const psp = bacen(optionsFor(profile, bank.origin))
      const tags = yield* Effect.all([1, 2, 3].map(() => psp.findCharge(txid)))
      assert.deepStrictEqual(
        tags.map(({ _tag }) => _tag),
        ["Done", "Done", "NotNow"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("to a place that never finishes the handshake are not sent", () =>
    Effect.gen(function* () {
      const silent = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const listener = createServer(() => undefined)
          listener.listen(0, "127.0.0.1", () => resume(Effect.succeed(listener)))
        }),
        (listener) => Effect.sync(() => listener.close())
      )
      const { port } = silent.address() as AddressInfo
      const outcome = yield* bacen(optionsFor("efi", `https://localhost:${port}`)).createCharge(
        charge
      )
      assert.strictEqual(outcome._tag, "NotSent")
    }).pipe(Effect.scoped)
  )
})
