import { assert, describe, it } from "@effect/vitest"
import { readTxids } from "./SandboxNotification.ts"

describe("reading a notification", () => {
  it("names each txid once, in order", () => {
    const pix = ["b", "a", "b"].map((txid) => ({ txid, valor: "1.00" }))
    assert.deepStrictEqual(readTxids(JSON.stringify({ pix })), ["b", "a"])
  })

  it("takes one object for a list of one", () => {
    assert.deepStrictEqual(readTxids('{"pix":{"txid":"abc"}}'), ["abc"])
  })

  it("passes over a Pix that is for no charge, and an empty list", () => {
    assert.deepStrictEqual(readTxids('{"pix":[{"endToEndId":"E1"},{"txid":"abc"}]}'), ["abc"])
    assert.deepStrictEqual(readTxids('{"pix":[]}'), [])
  })

  it("refuses what is no notification, as a whole", () => {
    const long = "a".repeat(36)
    const bodies = [
      "",
      "pix",
      "null",
      "1",
      "[]",
      "{}",
      '{"pix":null}',
      '{"pix":"abc"}',
      '{"pix":1}',
      '{"pix":[[]]}',
      '{"pix":[{"txid":"abc"},null]}',
      '{"pix":[{"txid":null}]}',
      '{"pix":[{"txid":1}]}',
      '{"pix":[{"txid":""}]}',
      '{"pix":[{"txid":"a b"}]}',
      `{"pix":[{"txid":"${long}"}]}`,
      '{"pix":[{"txid":"abc"}],"pix":[]}'
    ]
    for (const body of bodies) assert.isUndefined(readTxids(body), body)
  })
})
