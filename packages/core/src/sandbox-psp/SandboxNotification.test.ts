import { assert, describe, it } from "@effect/vitest"
import { readNotices } from "./SandboxNotification.ts"

const charge = (reference: string) => ({ _tag: "Charge" as const, reference })

describe("reading a notification", () => {
  it("names each txid once, in order", () => {
    const pix = ["b", "a", "b"].map((txid) => ({ txid, valor: "1.00" }))
    assert.deepStrictEqual(readNotices(JSON.stringify({ pix })), [charge("b"), charge("a")])
  })

  it("takes one object for a list of one", () => {
    assert.deepStrictEqual(readNotices('{"pix":{"txid":"abc"}}'), [charge("abc")])
  })

  it("passes over a Pix that is for no charge, and an empty list", () => {
    assert.deepStrictEqual(readNotices('{"pix":[{"endToEndId":"E1"},{"txid":"abc"}]}'), [
      charge("abc")
    ])
    assert.deepStrictEqual(readNotices('{"pix":[]}'), [])
  })

  it("names each return inside a Pix, beside its charge", () => {
    const body =
      '{"pix":[{"txid":"c","devolucoes":[{"id":"r1"},{"id":"r2"}]},{"devolucoes":{"id":"c"}}]}'
    assert.deepStrictEqual(readNotices(body), [
      charge("c"),
      { _tag: "Refund", reference: "r1" },
      { _tag: "Refund", reference: "r2" },
      { _tag: "Refund", reference: "c" }
    ])
  })

  it("names each payout", () => {
    const body = '{"payouts":[{"reference":"p1"},{"reference":"p2"},{"reference":"p1"}]}'
    assert.deepStrictEqual(readNotices(body), [
      { _tag: "Payout", reference: "p1" },
      { _tag: "Payout", reference: "p2" }
    ])
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
      '{"pix":[{"txid":"abc"}],"pix":[]}',
      '{"pix":[{"txid":"abc","devolucoes":[{}]}]}',
      '{"pix":[{"devolucoes":1}]}',
      '{"pix":[{"devolucoes":[{"id":"a b"}]}]}',
      '{"payouts":[{}]}',
      '{"payouts":null}',
      '{"pix":[{"txid":"abc"}],"payouts":[{"reference":1}]}'
    ]
    for (const body of bodies) assert.isUndefined(readNotices(body), body)
  })
})
