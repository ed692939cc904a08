import { assert, describe, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Effect, Redacted } from "effect"
import { createHmac, hkdfSync } from "node:crypto"
import type { Hmac } from "node:crypto"
import type { TokenClaims } from "../ports/Secrets.ts"
import { Secrets } from "../ports/Secrets.ts"
import * as SecretsNode from "./SecretsNode.ts"
import { tricks } from "./TokenTricks.test-data.ts"

const first = Redacted.make("a master secret of more than 32 bytes")
const second = Redacted.make("another master secret that came later")

const claims: TokenClaims = {
  iss: "pagora",
  aud: "pagora",
  sub: "019a2b3c-0000-7000-8000-000000000001",
  iat: 1_795_176_000,
  exp: 1_795_176_300,
  jti: "019a2b3c-0000-7000-8000-000000000002"
}

/** Runs with the secrets of a process that was started with these options. */
const withSecrets =
  (options: SecretsNode.SecretsOptions) =>
  <A, E>(use: (secrets: Secrets["Service"]) => Effect.Effect<A, E, Scope.Scope>) =>
    Effect.provide(Effect.scoped(Effect.flatMap(Secrets, use)), SecretsNode.layer(options), {
      local: true
    })

const before = withSecrets({ secret: first })
const rotated = withSecrets({ secret: second, former: [first] })
const after = withSecrets({ secret: second })

const kidOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()) as { kid: string })
    .kid

describe("master secret", () => {
  it.effect("must have 32 bytes, and the refusal says how to make one", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        withSecrets({ secret: Redacted.make("x".repeat(31)) })(() => Effect.void)
      )
      assert.strictEqual(error._tag, "SecretTooShort")
      assert.strictEqual(
        error.message,
        "secret has 31 bytes and needs at least 32. Make one with: openssl rand -base64 32"
      )
      yield* withSecrets({ secret: Redacted.make("x".repeat(32)) })(() => Effect.void)
      // Bytes count, not characters.
      yield* withSecrets({ secret: Redacted.make("ç".repeat(16)) })(() => Effect.void)
    })
  )

  it.effect("names the former one that is too short", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        withSecrets({ secret: first, former: [second, Redacted.make("")] })(() => Effect.void)
      )
      assert.deepInclude(error, { _tag: "SecretTooShort", which: "former[1]", bytes: 0 })
    })
  )

  it.effect("shows in nothing that is made under it", () =>
    before((secrets) =>
      Effect.gen(function* () {
        const made = [
          yield* secrets.pepper(Redacted.make("x")),
          yield* secrets.seal(Redacted.make("x"), "place"),
          Redacted.value(yield* secrets.signToken(claims)),
          JSON.stringify(secrets),
          String(yield* secrets.signToken(claims))
        ].join()
        assert.notInclude(made, Redacted.value(first))
        assert.notInclude(made, Buffer.from(Redacted.value(first)).toString("hex"))
      })
    )
  )
})

describe("the sandbox's secret", () => {
  it("is derived by HKDF for that purpose alone, and changes with the master secret", () => {
    const derived = Redacted.value(SecretsNode.sandboxSecret(first))
    const bytes = hkdfSync("sha256", Redacted.value(first), "pagora", "pagora/v1/sandbox", 32)
    assert.strictEqual(derived, Buffer.from(bytes).toString("base64url"))
    assert.notStrictEqual(derived, Redacted.value(SecretsNode.sandboxSecret(second)))
  })
})

describe("randomness and digests", () => {
  it.effect("never gives the same bytes twice, in small pieces and in big ones", () =>
    before((secrets) =>
      Effect.gen(function* () {
        for (const bytes of [8, 16, 17, 32]) {
          const drawn = yield* Effect.replicateEffect(secrets.random(bytes), 3_000)
          assert.isTrue(drawn.every((piece) => piece.length === bytes))
          assert.strictEqual(
            new Set(drawn.map((piece) => Buffer.from(piece).toString("hex"))).size,
            3_000
          )
        }
        assert.strictEqual((yield* secrets.random(0)).length, 0)
      })
    )
  )

  it.effect("a piece of randomness is its owner's alone", () =>
    before((secrets) =>
      Effect.gen(function* () {
        const mine = yield* secrets.random(8)
        const copy = Uint8Array.from(mine)
        yield* Effect.replicateEffect(secrets.random(8), 2_000)
        assert.deepStrictEqual(mine, copy)
        assert.strictEqual(mine.buffer.byteLength, 8)
      })
    )
  )

  it.effect("texts, webhook secrets, digests and HMACs have their written form", () =>
    before((secrets) =>
      Effect.gen(function* () {
        assert.match(yield* secrets.randomText(32), /^[\w-]{43}$/)
        const webhookSecret = yield* secrets.webhookSecret
        assert.match(webhookSecret, /^whsec_[A-Za-z0-9+/]{43}=$/)
        assert.strictEqual(Buffer.from(webhookSecret.slice(6), "base64").length, 32)
        assert.strictEqual(
          yield* secrets.digest("abc"),
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        const signed = yield* secrets.hmac(Redacted.make("key ç"), "text 😀")
        assert.instanceOf(signed, Uint8Array)
        assert.strictEqual(
          Buffer.from(signed).toString("hex"),
          createHmac("sha256", Buffer.from("key ç")).update(Buffer.from("text 😀")).digest("hex")
        )
      })
    )
  )
})

describe("pepper", () => {
  const client = Redacted.make("psk_a client's secret")

  it.effect("matches the same secret and no other, whatever its length", () =>
    before((secrets) =>
      Effect.gen(function* () {
        const stored = yield* secrets.pepper(client)
        assert.match(stored, /^p[0-9a-f]{8}:[0-9a-f]{64}$/)
        assert.strictEqual(stored, yield* secrets.pepper(client))
        assert.isTrue(yield* secrets.matchesPepper(client, stored))
        for (let length = 0; length <= 200; length++) {
          const other = Redacted.make("p".repeat(length))
          assert.isFalse(yield* secrets.matchesPepper(other, stored))
          assert.isFalse(yield* secrets.matchesPepper(client, stored.slice(0, length).slice(0, 73)))
          assert.isFalse(yield* secrets.matchesPepper(client, "f".repeat(length)))
        }
      })
    )
  )

  it.effect("refuses stored values that are not ours", () =>
    before((secrets) =>
      Effect.gen(function* () {
        const stored = yield* secrets.pepper(client)
        const digest = stored.slice(10)
        for (const value of [
          "",
          ":",
          "p:",
          `p00000000:${digest}`,
          `p__proto__:${digest}`,
          digest,
          `${stored} `,
          stored.toUpperCase()
        ]) {
          assert.isFalse(yield* secrets.matchesPepper(client, value), value)
        }
      })
    )
  )

  it.effect("survives a rotation, and ends with the former secret", () =>
    Effect.gen(function* () {
      const old = yield* before((secrets) => secrets.pepper(client))
      const fresh = yield* rotated((secrets) => secrets.pepper(client))
      assert.notStrictEqual(fresh, old)
      assert.isTrue(yield* rotated((secrets) => secrets.matchesPepper(client, old)))
      assert.isTrue(yield* rotated((secrets) => secrets.matchesPepper(client, fresh)))
      assert.isTrue(yield* after((secrets) => secrets.matchesPepper(client, fresh)))
      assert.isFalse(yield* after((secrets) => secrets.matchesPepper(client, old)))
      assert.isFalse(yield* before((secrets) => secrets.matchesPepper(client, fresh)))
    })
  )
})

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

describe("seal", () => {
  const plain = Redacted.make("whsec_ção 😀")

  it.effect("opens in its place and nowhere else", () =>
    before((secrets) =>
      Effect.gen(function* () {
        const sealed = yield* secrets.seal(plain, "webhook-secret:1")
        assert.match(sealed, /^v1\.[0-9a-f]{8}\.[\w-]+$/)
        assert.notStrictEqual(sealed, yield* secrets.seal(plain, "webhook-secret:1"))
        const opened = yield* secrets.open(sealed, "webhook-secret:1")
        assert.strictEqual(Redacted.value(opened), Redacted.value(plain))
        for (const place of ["webhook-secret:2", "webhook-secret:", "", "WEBHOOK-SECRET:1"]) {
          assert.strictEqual((yield* Effect.flip(secrets.open(sealed, place)))._tag, "SealBroken")
        }
        const empty = yield* secrets.seal(Redacted.make(""), "")
        assert.strictEqual(Redacted.value(yield* secrets.open(empty, "")), "")
      })
    )
  )

  it.effect("does not open when anything of it was changed", () =>
    before((secrets) =>
      Effect.gen(function* () {
        const sealed = yield* secrets.seal(plain, "place")
        for (let index = 0; index < sealed.length; index++) {
          const letter = sealed.charAt(index) === "A" ? "B" : "A"
          const changed = sealed.slice(0, index) + letter + sealed.slice(index + 1)
          assert.strictEqual(
            (yield* Effect.flip(secrets.open(changed, "place")))._tag,
            "SealBroken",
            changed
          )
          const cut = sealed.slice(0, index)
          assert.strictEqual(
            (yield* Effect.flip(secrets.open(cut, "place")))._tag,
            "SealBroken",
            cut
          )
        }
        // Where the length leaves bits of the last letter unused, only one letter is right.
        for (const text of ["a", "ab", "abc"]) {
          const whole = yield* secrets.seal(Redacted.make(text), "place")
          for (const letter of alphabet.replace(whole.slice(-1), "")) {
            const changed = whole.slice(0, -1) + letter
            assert.strictEqual(
              (yield* Effect.flip(secrets.open(changed, "place")))._tag,
              "SealBroken",
              changed
            )
          }
        }
        for (const changed of [
          `${sealed}A`,
          `${sealed}=`,
          ` ${sealed}`,
          `${sealed}\n`,
          `v2${sealed.slice(2)}`
        ]) {
          assert.strictEqual(
            (yield* Effect.flip(secrets.open(changed, "place")))._tag,
            "SealBroken",
            changed
          )
        }
      })
    )
  )

  it.effect("survives a rotation, and ends with the former secret", () =>
    Effect.gen(function* () {
      const old = yield* before((secrets) => secrets.seal(plain, "place"))
      const opened = yield* rotated((secrets) => secrets.open(old, "place"))
      assert.strictEqual(Redacted.value(opened), Redacted.value(plain))
      const fresh = yield* rotated((secrets) => secrets.seal(plain, "place"))
      assert.strictEqual(
        Redacted.value(yield* after((secrets) => secrets.open(fresh, "place"))),
        Redacted.value(plain)
      )
      assert.strictEqual(
        (yield* Effect.flip(after((secrets) => secrets.open(old, "place"))))._tag,
        "SealBroken"
      )
    })
  )
})

/** Counts the signatures that are computed, until the scope closes. */
const countSignatures = Effect.gen(function* () {
  let signatures = 0
  const hmac = Object.getPrototypeOf(createHmac("sha256", "")) as Hmac
  const { digest } = hmac
  const value = function (this: Hmac, ...args: ReadonlyArray<unknown>): unknown {
    signatures++
    return Reflect.apply(digest, this, args)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => Object.assign(hmac, { digest: value })),
    () => Effect.sync(() => Object.assign(hmac, { digest }))
  )
  return () => signatures
})

describe("tokens", () => {
  it.effect("verify, again and again, and carry exactly three headers", () =>
    before((secrets) =>
      Effect.gen(function* () {
        const token = yield* secrets.signToken(claims)
        assert.deepStrictEqual(yield* secrets.verifyToken(token), claims)
        assert.deepStrictEqual(
          yield* secrets.verifyToken(Redacted.make(Redacted.value(token))),
          claims
        )
        const [header = ""] = Redacted.value(token).split(".")
        const names = Object.keys(JSON.parse(Buffer.from(header, "base64url").toString()) as object)
        assert.deepStrictEqual(names, ["alg", "kid", "typ"])
        assert.match(kidOf(Redacted.value(token)), /^[0-9a-f]{8}$/)
      })
    )
  )

  it.effect("do not judge the times: a token of long ago is well formed", () =>
    before((secrets) =>
      Effect.gen(function* () {
        const old = { ...claims, iat: 0, exp: 1 }
        assert.deepStrictEqual(yield* secrets.verifyToken(yield* secrets.signToken(old)), old)
      })
    )
  )

  it.effect("survive a rotation, and end with the former secret", () =>
    Effect.gen(function* () {
      const old = yield* before((secrets) => secrets.signToken(claims))
      const fresh = yield* rotated((secrets) => secrets.signToken(claims))
      assert.notStrictEqual(kidOf(Redacted.value(old)), kidOf(Redacted.value(fresh)))
      assert.deepStrictEqual(yield* rotated((secrets) => secrets.verifyToken(old)), claims)
      assert.deepStrictEqual(yield* after((secrets) => secrets.verifyToken(fresh)), claims)
      assert.strictEqual(
        (yield* Effect.flip(after((secrets) => secrets.verifyToken(old))))._tag,
        "TokenRefused"
      )
      assert.strictEqual(
        (yield* Effect.flip(before((secrets) => secrets.verifyToken(fresh))))._tag,
        "TokenRefused"
      )
    })
  )

  it.effect("signed under one key id with the key of another are refused", () =>
    rotated((secrets) =>
      Effect.gen(function* () {
        const old = Redacted.value(yield* before((former) => former.signToken(claims)))
        const fresh = Redacted.value(yield* secrets.signToken(claims))
        const mixed = `${fresh.slice(0, fresh.indexOf("."))}${old.slice(old.indexOf("."))}`
        assert.strictEqual(
          (yield* Effect.flip(secrets.verifyToken(Redacted.make(mixed))))._tag,
          "TokenRefused"
        )
      })
    )
  )

  it.effect("cost a verification once, while they are remembered", () =>
    withSecrets({ secret: first, verifiedMax: 2 })((secrets) =>
      Effect.gen(function* () {
        const count = yield* countSignatures
        const all = [1, 2, 3].map((exp) => ({ ...claims, exp }))
        const [a, b, c] = yield* Effect.forEach(all, secrets.signToken)
        const costs = (token: Redacted.Redacted | undefined) =>
          Effect.gen(function* () {
            const before = count()
            const exit = yield* Effect.exit(secrets.verifyToken(token ?? Redacted.make("")))
            return [exit._tag, count() - before]
          })
        assert.deepStrictEqual(yield* costs(a), ["Success", 1])
        assert.deepStrictEqual(yield* costs(a), ["Success", 0])
        assert.deepStrictEqual(yield* costs(b), ["Success", 1])
        assert.deepStrictEqual(yield* costs(a), ["Success", 0])
        // Takes the place of b, which was asked for the longest ago.
        assert.deepStrictEqual(yield* costs(c), ["Success", 1])
        assert.deepStrictEqual(yield* costs(a), ["Success", 0])
        assert.deepStrictEqual(yield* costs(b), ["Success", 1])

        const text = Redacted.value(a ?? Redacted.make(""))
        const changed = Redacted.make(
          text.slice(0, -43) + text.slice(-43).split("").toReversed().join("")
        )
        const wrong = Redacted.make(`${text.slice(0, -43)}${"A".repeat(43)}`)
        // What is refused is never remembered, and takes nobody's place.
        assert.deepStrictEqual(yield* costs(wrong), ["Failure", 1])
        assert.deepStrictEqual(yield* costs(wrong), ["Failure", 1])
        assert.deepStrictEqual((yield* costs(changed))[0], "Failure")
        assert.deepStrictEqual(yield* costs(b), ["Success", 0])
        // What is too long, or not in form, is not even verified.
        const long = yield* secrets.signToken({ ...claims, sub: "x".repeat(4_000) })
        assert.deepStrictEqual(yield* costs(long), ["Failure", 0])
        assert.deepStrictEqual(yield* costs(Redacted.make("a.b.c")), ["Failure", 0])
      })
    )
  )

  // The key as a thief of the master secret would derive it, to sign what only the form can betray.
  const key = new Uint8Array(
    hkdfSync("sha256", Redacted.value(first), "pagora", "pagora/v1/token", 32)
  )

  it.effect("of every trick are refused, cold and beside the good one in memory", () =>
    before((secrets) =>
      Effect.gen(function* () {
        const token = Redacted.value(yield* secrets.signToken(claims))
        // The vectors sign with the real key, so that nothing but the trick can be what refuses them.
        const [head, text, signature] = token.split(".")
        const again = createHmac("sha256", key).update(`${head}.${text}`).digest("base64url")
        assert.strictEqual(again, signature)
        const vectors = tricks({ token, kid: kidOf(token), claims: { ...claims }, key })
        assert.isAtLeast(vectors.length, 100)
        assert.strictEqual(new Set(vectors.map(([, text]) => text)).size, vectors.length)
        for (const warm of [false, true]) {
          if (warm) yield* secrets.verifyToken(Redacted.make(token))
          for (const [name, text] of vectors) {
            const refused = yield* Effect.flip(secrets.verifyToken(Redacted.make(text))).pipe(
              Effect.catch(() => Effect.die(new Error(`accepted: ${name}`)))
            )
            assert.strictEqual(refused._tag, "TokenRefused", name)
          }
        }
        assert.deepStrictEqual(yield* secrets.verifyToken(Redacted.make(token)), claims)
      })
    )
  )
})
