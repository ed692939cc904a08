import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { KeyObject } from "node:crypto"
import { generateKeyPairSync, sign } from "node:crypto"
import { PspOutcome } from "../ports/Psp.ts"
import { failed } from "./Asked.ts"
import { isSame, nameOfSecret, publishedKeys } from "./Signatures.ts"

const pemOf = (publicKey: KeyObject) => publicKey.export({ type: "spki", format: "pem" }).toString()
const one = generateKeyPairSync("rsa", { modulusLength: 2_048 })
const next = generateKeyPairSync("ec", { namedCurve: "P-256" })
const header = "x-signature"
const keys = publishedKeys({
  provider: "Banco",
  header,
  publicKeys: [pemOf(one.publicKey), pemOf(next.publicKey)]
})
const alone = publishedKeys({ provider: "Banco", header, publicKeys: [pemOf(one.publicKey)] })

const body = Buffer.from('{"txid":1}')
const signed = (text: string, bytes: Uint8Array = body) => ({
  headers: { "X-Signature": text },
  body: bytes,
  query: {},
  path: "" as const
})
const signatureBy = (key: KeyObject) => sign("SHA256", body, key).toString("base64")

describe("a signature by a key that a PSP publishes", () => {
  it("is one by any of the keys, over the bytes of the body", () => {
    for (const { privateKey } of [one, next])
      assert.isTrue(keys.isSigned(signed(signatureBy(privateKey))))
    assert.isFalse(alone.isSigned(signed(signatureBy(next.privateKey))))
    const good = signatureBy(one.privateKey)
    assert.isFalse(keys.isSigned(signed(good, Buffer.from('{"txid": 1}'))))
    for (const text of ["", `${good} `, good.replaceAll("=", ""), "bm8="])
      assert.isFalse(keys.isSigned(signed(text)))
    assert.isFalse(keys.isSigned({ ...signed(good), headers: {} }))
  })

  it.effect("is verified by all keys that are published, however they are written", () =>
    Effect.gen(function* () {
      const stateOf = (...args: Parameters<typeof keys.check>) =>
        Effect.map(alone.check(...args), ([found]) => found?.state)
      const other = pemOf(one.publicKey).replaceAll("\n", "\r\n")
      assert.strictEqual(yield* stateOf(Effect.succeed([other])), "ok")
      assert.strictEqual(yield* stateOf(Effect.succeed([other, pemOf(next.publicKey)])), "failed")
      assert.strictEqual(yield* stateOf(Effect.succeed(["no key"])), "warning")
      assert.strictEqual(yield* stateOf(failed(PspOutcome.unknown("status 500"))), "warning")
    })
  )
})

describe("a secret", () => {
  it("is compared with another, and named without being told", () => {
    assert.isTrue(isSame("secret", "secret"))
    for (const other of ["", "secret ", "Secret"]) assert.isFalse(isSame("secret", other))
    assert.match(nameOfSecret("secret"), /^[0-9a-f]{16}$/)
    assert.notStrictEqual(nameOfSecret("secret"), nameOfSecret("secret2"))
  })
})
