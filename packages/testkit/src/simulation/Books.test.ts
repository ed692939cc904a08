import { assert, describe, it } from "@effect/vitest"
import { isToBeSent } from "./Books.ts"

describe("a withdrawal of which nothing is under way", () => {
  const isUnsent = (status: string, document: object) =>
    isToBeSent({ status, document: JSON.stringify(document) })

  it("was never sent, or is to be sent again", () => {
    assert.isTrue(isUnsent("pending", {}))
    assert.isTrue(isUnsent("processing", { unknownSince: "2026-11-24T13:00:00Z" }))
  })

  it("is none that the bank may have heard of, or has taken", () => {
    assert.isFalse(isUnsent("processing", { sentAt: "2026-11-24T13:00:00Z" }))
    assert.isFalse(isUnsent("processing", { pspReference: "A-000006" }))
    assert.isFalse(isUnsent("completed", {}))
  })
})
