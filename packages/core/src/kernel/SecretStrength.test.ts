import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { secretBits, secretBitsMin } from "./SecretStrength.ts"

const bytes = (seed: number) => createHash("sha256").update(String(seed)).digest()

describe("the strength of a secret", () => {
  it.each([
    "changemechangemechangemechangeme",
    "changeme".repeat(20),
    "a".repeat(64),
    "abc".repeat(30),
    "0123456789".repeat(5),
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "passwordPASSWORDpassword12345678",
    "please-change-this-secret-before-production",
    "PagoraMasterSecretForProduction2026!",
    "my super secret master password",
    "secret-secret-secret-secret-secret-secret",
    "00000000-0000-0000-0000-000000000000",
    "test_secret_test_secret_test_secret_1",
    ""
  ])("is less than 128 bits of %s", (text) => assert.isBelow(secretBits(text), secretBitsMin))

  it.each([
    "correct horse battery staple walnut orbit canyon velvet glimmer fossil",
    "a master secret that is long enough for every test",
    "a3f5c9017be24d68a3017f92c4de5b60"
  ])("is 128 bits or more of %s", (text) => assert.isAtLeast(secretBits(text), secretBitsMin))

  it("is that of chance for what chance made, in any usual spelling", () => {
    for (let seed = 0; seed < 2_000; seed++) {
      for (const text of [
        bytes(seed).toString("base64"),
        bytes(seed).toString("base64url"),
        bytes(seed).toString("hex")
      ])
        assert.isAtLeast(secretBits(text), 200, text)
    }
  })
})
