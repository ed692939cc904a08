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

  it("names a Pix that is for no charge by its end-to-end id", () =>
    assert.deepStrictEqual(readNotices('{"pix":[{"endToEndId":"E1"},{"txid":"abc"}]}'), [
      { _tag: "Payment", endToEndId: "E1" },
      charge("abc")
    ]))

  it("names nothing in an empty list, as PSPs send it to try an address out", () =>
    assert.deepStrictEqual(readNotices('{"pix":[]}'), []))

  it("claims who has paid, and of what", () => {
    const pix = { txid: "abc", endToEndId: "E1", pagador: { nome: "Ana", cpf: "12345678909" } }
    const payers = [{ endToEndId: "E1", document: "12345678909", name: "Ana" }]
    assert.deepStrictEqual(readNotices(JSON.stringify({ pix })), [{ ...charge("abc"), payers }])
  })

  it("names each infraction", () =>
    assert.deepStrictEqual(readNotices('{"infractions":[{"id":"i1"},{"id":"i2"}]}'), [
      { _tag: "Infraction", id: "i1" },
      { _tag: "Infraction", id: "i2" }
    ]))

  it("names each return of ours inside a Pix, beside its charge", () => {
    const [one, two, three] = ["1".repeat(32), "2".repeat(32), "3".repeat(32)] as const
    const pix = [
      { txid: "c", devolucoes: [{ id: one }, { id: two }] },
      { devolucoes: { id: three } }
    ]
    assert.deepStrictEqual(readNotices(JSON.stringify({ pix })), [
      charge("c"),
      { _tag: "Refund", reference: one },
      { _tag: "Refund", reference: two },
      { _tag: "Refund", reference: three }
    ])
  })

  it("names a payment that the PSP gives back by itself", () => {
    const devolucoes = [{ id: "D1" }, { id: "D2" }]
    assert.deepStrictEqual(readNotices(JSON.stringify({ pix: { endToEndId: "E1", devolucoes } })), [
      { _tag: "Payment", endToEndId: "E1" }
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
