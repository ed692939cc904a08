import { assert, describe, it } from "@effect/vitest"
import { eventually, startPagora } from "@pagora/testkit"
import { answered } from "./Answered.test-data.ts"
import { runPagora } from "./RunCommand.test-data.ts"

describe("pagora dev --bank", { timeout: 120_000 }, () => {
  it("goes with neither --data nor --database, and plays no other bank", async () => {
    for (const [flag, value] of [
      ["--data", "./somewhere"],
      ["--database", "postgres://127.0.0.1/pagora"]
    ] as const) {
      const { code, stderr } = await runPagora(["dev", "--bank", "efi", flag, value])
      assert.notStrictEqual(code, 0)
      assert.include(stderr, "--bank goes with neither --data nor --database")
    }
    const { code, stderr, stdout } = await runPagora(["dev", "--bank", "banco"])
    assert.notStrictEqual(code, 0)
    assert.match(stderr + stdout, /efi.*inter.*woovi/)
  })

  it.for(["efi", "inter", "woovi"] as const)(
    "has %s do what the hands of the sandbox say, and what nobody asked it for",
    async (bank, context) => {
      const pagora = await startPagora(["--bank", bank])
      context.onTestFinished(async () => void (await pagora.kill()))
      const { operator, sandbox, shop } = pagora

      const payer = { payerName: "Bia", payerDocument: "529.982.247-25" }
      const body = { amount: 25, ...payer }
      const payment = answered(await sandbox("POST", "/payments", { body }), 200)
      assert.deepInclude(payment, { amount: 25, payerName: "Bia", payerDocument: "52998224725" })
      const { data: suspense } = answered(await operator("GET", "/suspense"), 200)
      assert.deepStrictEqual(
        suspense.map(({ amount, e2eId, reason }) => [reason, e2eId, amount]),
        [["unidentified", payment.endToEndId, 25]]
      )

      const charge = answered(await shop("POST", "/pix", { body: { amount: 10 } }), 201)
      const paid = answered(await sandbox("POST", `/charges/${charge.id}/pay`, { body: {} }), 200)
      const endToEndId = paid.payments[0]?.endToEndId ?? assert.fail("Nobody paid.")
      const give = { body: { amount: 4 } }
      const back = answered(await sandbox("POST", `/payments/${endToEndId}/return`, give), 200)
      assert.deepStrictEqual([back.status, back.amount], ["confirmed", 4])
      const report = { body: { reason: "Fraude" } }
      const reported = answered(
        await sandbox("POST", `/payments/${endToEndId}/infraction`, report),
        200
      )
      assert.deepStrictEqual([reported.endToEndId, reported.status], [endToEndId, "open"])
      const { data: reviews } = answered(await operator("GET", "/reviews"), 200)
      assert.deepStrictEqual(
        reviews.map(({ amount, reason }) => [reason, amount]),
        [
          ["unidentified", 25],
          ["returned_by_psp", 4],
          // The banks tell of no report of fraud by a callback.
          ...(bank === "woovi" ? [["infraction_reported", undefined]] : [])
        ]
      )

      // What is reported is held as soon as somebody tells of it: this is sent of another payment.
      const more = answered(await shop("POST", "/pix", { body: { amount: 10 } }), 201)
      answered(await sandbox("POST", `/charges/${more.id}/pay`, { body: {} }), 200)
      // A block claims the first payment where the bank has told of the report.
      const other = answered(await shop("POST", "/pix", { body: { amount: 10 } }), 201)
      answered(await sandbox("POST", `/charges/${other.id}/pay`, { body: {} }), 200)

      // What nobody settles settles by itself, as it does at the simulated PSP.
      const wanted = { amount: 2, pixKey: "ana@example.com", pixKeyType: "email" }
      const { id } = answered(await shop("POST", "/withdrawals", { body: wanted }), 201)
      await eventually(async () => {
        const { status } = answered(await shop("GET", `/withdrawals/${id}`), 200)
        return status === "completed" ? status : undefined
      })
      assert.strictEqual(answered(await operator("GET", "/audit"), 200).ok, true)

      for (const [path, asked, status] of [
        ["/payments/E9999999920261121120000000000000/return", {}, 404],
        ["/payments/E9999999920261121120000000000000/infraction", {}, 404],
        [`/payments/${endToEndId}/return`, { amount: 6.01 }, 400],
        ["/payments", { payerDocument: "12345678901" }, 400]
      ] as const)
        assert.strictEqual((await sandbox("POST", path, { body: asked })).status, status, path)
    }
  )

  it("finds fraud that is reported at Efí, of which it tells nobody, and how that ends", async (context) => {
    const pagora = await startPagora(["--bank", "efi"])
    context.onTestFinished(async () => void (await pagora.kill()))
    const { operator, sandbox, shop } = pagora

    const pass = async (seconds: number) =>
      answered(await sandbox("POST", "/clock/advance", { body: { seconds } }), 200)
    const report = async () => {
      const charge = answered(await shop("POST", "/pix", { body: { amount: 10 } }), 201)
      const paid = answered(await sandbox("POST", `/charges/${charge.id}/pay`, { body: {} }), 200)
      const endToEndId = paid.payments[0]?.endToEndId ?? assert.fail("Nobody paid.")
      const path = `/payments/${endToEndId}/infraction` as const
      return answered(await sandbox("POST", path, { body: { reason: "Golpe" } }), 200)
    }
    const blocks = async () => {
      const { items } = answered(await shop("GET", "/balance-blocks"), 200)
      return items.map(({ amount, referenceNumber, status }) => [referenceNumber, status, amount])
    }
    const decide = async (id: string, outcome: string) =>
      answered(await sandbox("POST", `/infractions/${id}/decide`, { body: { outcome } }), 200)

    const one = await report()
    const two = await report()
    assert.deepStrictEqual(await blocks(), [])
    await pass(900)
    assert.sameDeepMembers(await blocks(), [
      [one.id, "awaiting_response", 10],
      [two.id, "awaiting_response", 10]
    ])
    const held = answered(await shop("GET", "/account"), 200).balance

    assert.strictEqual((await decide(one.id, "accepted")).status, "accepted")
    await decide(two.id, "rejected")
    await pass(900)
    await pass(60)
    assert.sameDeepMembers(await blocks(), [
      [one.id, "approved", 10],
      [two.id, "rejected", 10]
    ])
    const { balance } = answered(await shop("GET", "/account"), 200)
    assert.strictEqual(balance.available.amount, held.available.amount + 1_000)
    assert.strictEqual(balance.total.amount, held.total.amount - 1_000)
    const { data: reviews } = answered(await operator("GET", "/reviews"), 200)
    assert.deepStrictEqual(
      reviews.map(({ reason }) => reason),
      ["infraction_reported", "infraction_reported"]
    )
    assert.strictEqual(answered(await operator("GET", "/audit"), 200).ok, true)
    const none = await sandbox("POST", "/infractions/none/decide", {
      body: { outcome: "accepted" }
    })
    assert.strictEqual(none.status, 404)
  })
})
