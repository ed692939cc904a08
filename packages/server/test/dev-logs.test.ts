import { assert, describe, it } from "@effect/vitest"
import { eventually, startPagora, startReceiver } from "@pagora/testkit"
import { freshDatabase } from "@pagora/testkit/postgres"
import { onTestFinished } from "vitest"

/** What must never be read in a log. The numbers are valid and used in examples all over Brazil. */
const canaries = {
  payerCpf: "52998224725",
  customerCpf: "39053344705",
  customerCnpj: "11444777000161",
  payerName: "Zacarias Canario",
  customerName: "Zenaide Canario",
  email: "canario@example.com",
  phone: "+55 11 91234-5678",
  description: "canary-description",
  reference: "canary-reference",
  metadata: "canary-metadata",
  wrongSecret: "psk_canary-secret-that-opens-nothing",
  wrongToken: "canary.token.that-opens-nothing",
  urlPassword: "canary-password"
} as const

describe("the log", { timeout: 90_000 }, () => {
  it("holds no secret, no token and nothing of a person, whatever happened", async () => {
    const database = await freshDatabase()
    onTestFinished(database.drop)
    const pagora = await startPagora(["--database", database.url])
    onTestFinished(async () => void (await pagora.kill()))
    const hook = await startReceiver()
    onTestFinished(hook.close)
    const { api, facts, operator, sandbox, shop } = pagora
    const { clientId, clientSecret } = facts

    // Good requests that carry everything.
    const hooks = `/accounts/${facts.accountId}/webhook-endpoints` as const
    const endpoint = await operator("POST", hooks, { body: { url: hook.url } })
    await operator("POST", hooks, { body: { url: "http://127.0.0.1:1/nobody-listens" } })
    await operator("POST", hooks, {
      body: { url: `https://u:${canaries.urlPassword}@example.com/` }
    })
    const auth = await api("POST", "/auth", {
      body: { client_id: clientId, client_secret: clientSecret }
    })
    const body = {
      amount: 10,
      description: canaries.description,
      externalReference: canaries.reference,
      metadata: { note: canaries.metadata, cpf: canaries.customerCpf },
      customer: {
        name: canaries.customerName,
        document: canaries.customerCpf,
        email: canaries.email,
        phone: canaries.phone
      }
    }
    const charge = await shop("POST", "/pix", { body })
    assert.strictEqual(charge.status, 201)
    const payer = { payerName: canaries.payerName, payerDocument: canaries.payerCpf }
    const path = `/charges/${charge.json.id}/pay` as const
    await sandbox("POST", path, { body: { ...payer, times: 2 } })
    await sandbox("POST", path, { body: { ...payer, amount: 1 } })
    await eventually(() => hook.received[2])

    // Bad ones.
    const wrong = { client_id: clientId, client_secret: canaries.wrongSecret }
    await api("POST", "/auth", { body: wrong })
    const headers = { authorization: `Bearer ${canaries.wrongToken}` }
    await api("GET", `/transactions/${canaries.payerCpf}`, { headers })
    await shop("GET", `/transactions/${canaries.payerCpf}`)
    await shop("POST", "/pix", { body: JSON.stringify(body).slice(0, -1) })
    await shop("POST", "/pix", { body: { ...body, amount: -1 } })
    await shop("POST", "/pix", { body: { ...body, customer: { document: "52998224724" } } })
    await operator("POST", "/accounts", { body: { name: 1, document: canaries.customerCnpj } })
    await api("POST", "/psp/00000000-0000-7000-8000-00000000005b/webhook", {
      body: JSON.stringify({ pix: [{ txid: "x", pagador: { cpf: canaries.payerCpf } }] }),
      headers: { "x-sandbox-signature": canaries.wrongToken }
    })

    // Trouble at the PSP, which is logged.
    const faults = [{ kind: "dropAnswer" }]
    await sandbox("PUT", "/faults", { body: { faults } })
    assert.strictEqual((await shop("POST", "/pix", { body })).status, 500)
    await sandbox("PUT", "/faults", { body: { faults: [] } })
    await sandbox("POST", "/clock/advance", { body: { seconds: 120 } })
    const { stderr, stdout } = await pagora.stop()

    assert.strictEqual(stdout, `${JSON.stringify(facts)}\n`)
    const lines = stderr.split("\n").filter((line) => line !== "")
    assert.isAbove(lines.length, 2)
    for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), line)
    assert.include(stderr, "The PSP did not answer a new charge")
    const secrets = {
      ...canaries,
      clientSecret,
      operatorKey: facts.operatorKey,
      token: auth.json.access_token,
      webhookSecret: endpoint.json.secret,
      databasePassword:
        new URL(database.url).password === "" ? "\0" : `:${new URL(database.url).password}@`
    }
    for (const [name, secret] of Object.entries(secrets)) {
      assert.notInclude(stderr, secret, name)
    }
  })
})
