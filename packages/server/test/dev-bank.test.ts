import { assert, describe, it } from "@effect/vitest"
import { startPagora } from "@pagora/testkit"
import { answered } from "./Answered.test-data.ts"

/** What happens at the bank that nobody asked it for, by the hands of the sandbox. */
describe("pagora dev", { timeout: 90_000 }, () => {
  it("has somebody pay to the key, the bank give money back, and fraud reported", async (context) => {
    const pagora = await startPagora([])
    context.onTestFinished(async () => void (await pagora.kill()))
    const { operator, sandbox, shop } = pagora
    const payer = { payerName: "Bia", payerDocument: "529.982.247-25" }
    const payment = answered(
      await sandbox("POST", "/payments", { body: { amount: 25, ...payer } }),
      200
    )
    assert.strictEqual(payment.amount, 25)
    assert.deepInclude(payment, { payerName: "Bia", payerDocument: "52998224725" })
    const { data: suspense } = answered(await operator("GET", "/suspense"), 200)
    assert.deepStrictEqual(
      suspense.map(({ amount, e2eId, reason }) => [reason, e2eId, amount]),
      [["unidentified", payment.endToEndId, 25]]
    )

    const charge = answered(await shop("POST", "/pix", { body: { amount: 10 } }), 201)
    const paid = answered(await sandbox("POST", `/charges/${charge.id}/pay`, { body: {} }), 200)
    const endToEndId = paid.payments[0]?.endToEndId ?? assert.fail("Nobody paid.")
    const back = answered(
      await sandbox("POST", `/payments/${endToEndId}/return`, { body: { amount: 4 } }),
      200
    )
    assert.deepStrictEqual([back.status, back.amount], ["confirmed", 4])
    assert.match(String(back.returnId), /^D/)
    const reported = answered(
      await sandbox("POST", `/payments/${endToEndId}/infraction`, { body: { reason: "Fraude" } }),
      200
    )
    assert.deepStrictEqual([reported.endToEndId, reported.amount], [endToEndId, 10])

    const { data: reviews } = answered(await operator("GET", "/reviews"), 200)
    assert.deepStrictEqual(
      reviews.map(({ amount, reason, type }) => [type, reason, amount]),
      [
        ["deposit_return", "unidentified", 25],
        ["psp_return", "returned_by_psp", 4],
        ["discrepancy", "infraction_reported", undefined]
      ]
    )
    const { data: discrepancies } = answered(await operator("GET", "/discrepancies"), 200)
    assert.deepStrictEqual(
      discrepancies.map(({ reason, subjectId }) => [reason, subjectId]),
      [["infraction_reported", charge.id]]
    )
    assert.strictEqual(answered(await operator("GET", "/audit"), 200).ok, true)

    const nobodys = "/payments/E9999999920261121120000000000000" as const
    for (const [path, body, status] of [
      [`${nobodys}/return`, {}, 404],
      [`${nobodys}/infraction`, {}, 404],
      [`/payments/${endToEndId}/return`, { amount: 6.01 }, 400],
      [`/payments/${endToEndId}/return`, { amount: "4" }, 400],
      ["/payments", { payerDocument: "12345678901" }, 400]
    ] as const)
      assert.strictEqual((await sandbox("POST", path, { body })).status, status, path)
  })
})
