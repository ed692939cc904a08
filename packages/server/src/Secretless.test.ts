import { assert, it } from "@effect/vitest"
import { withoutSecrets } from "./Secretless.ts"

it.each([
  ["Nothing answers at http://a.example/operator/v1.", undefined],
  ["The key file /run/secrets/key-of-it is empty.", undefined],
  ["The bank refuses hunter2-of-the-bank.", "The bank refuses ***."],
  ["No https://me:hunter2@bank.example.com today.", "No https://***@bank.example.com today."],
  ["Such as postgres://user:password@host:5432/database.", undefined],
  ["Ask pagora@example.com, or see https://example.com/a@b.", undefined],
  ["It is short.", undefined]
])("tells of %s what is no secret", (sentence, told = sentence) => {
  const environment = {
    BANK_API_KEY: "hunter2-of-the-bank",
    BANK_KEY_FILE: "/run/secrets/key-of-it",
    SHORT_KEY: "short",
    PAGORA_OPERATOR_URL: "http://a.example/operator/v1",
    NOTHING_SECRET: undefined
  }
  assert.strictEqual(withoutSecrets(sentence, environment), told)
})
