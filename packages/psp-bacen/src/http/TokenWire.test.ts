import { assert, describe, it } from "@effect/vitest"
import { readToken } from "./TokenWire.ts"

/** How long a token of an hour is used that was asked for these scopes, in seconds. */
const lifeOf = (scopes: string, scope?: string): number | undefined => {
  const text = JSON.stringify({ access_token: "t1", expires_in: 3_600, scope })
  const asked = { clientId: "Loja Um", scopes, now: 0, nowMillis: 0, pauseSeconds: 60 }
  const token = readToken({ _tag: "Answered", status: 200, retryAfter: undefined, text }, asked)
  return token._tag === "Token" ? token.untilMillis / 1_000 : undefined
}

describe("a token", () => {
  it.each([
    ["what was asked for", "cob.read cob.write", "cob.read cob.write"],
    ["less", "cob.read cob.write", "cob.read"],
    ["it with commas between", "cob.read cob.write", "pix.read,cob.read"],
    ["nothing", "cob.read cob.write", undefined],
    ["nothing in words", "cob.read cob.write", ""],
    ["what nobody asked for", "", "pix.read"]
  ] as const)("is used nearly to its end where the bank grants %s", (_, asked, granted) => {
    assert.strictEqual(lifeOf(asked, granted), 3_540)
  })

  it("that is good for nothing of what was asked for is another one soon", () => {
    assert.strictEqual(lifeOf("cob.read cob.write", "pagamento-pix.write"), 30)
  })
})
