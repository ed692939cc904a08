import { assert, describe, it } from "@effect/vitest"
import { startFakeWoovi } from "@pagora/fake-bank/woovi"
import { eventually } from "@pagora/testkit"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { atEfi, callbackSecret, freePort } from "./EfiWorld.test-data.ts"
import { asShop, launch, serveEnv, tokenOf, worldOf } from "./ServeWorld.test-data.ts"

/** Efí's number in the payment system is in it. */
const efi = "00000000-0000-7000-8000-000009089356"
interface Findings {
  readonly findings: ReadonlyArray<{ readonly name: string; readonly state: string }>
}

describe("a deployment at a bank, by its environment alone", { timeout: 120_000 }, () => {
  it("is set up, checked, charges, is called back, pays back in part and sends money", async (context) => {
    const { bank, envOf } = await atEfi(context)
    const env = envOf(bank.client)
    const world = await worldOf(context)
    const port = String(await freePort())
    const publicUrl = `http://127.0.0.1:${port}/v2`
    const deployed = { ...env, PAGORA_PORT: port, PAGORA_PUBLIC_URL: publicUrl }
    const deployment = await world.start(deployed)
    assert.strictEqual(deployment.facts.environment, "production")

    const setup = await launch(["psp", "setup", "--json"], { ...serveEnv, ...deployed }).ended
    assert.deepStrictEqual([setup.code, setup.stderr], [0, ""], setup.stdout)
    const doctor = await world.refused(["doctor", "--json"], deployed)
    assert.deepStrictEqual([doctor.code, doctor.stderr], [0, ""], doctor.stdout)
    const { findings } = JSON.parse(doctor.stdout) as Findings
    assert.includeMembers(
      findings.map(({ name }) => name),
      ["certificate", "scopes", "webhook", "webhook-address"]
    )
    for (const { stderr, stdout } of [setup, doctor])
      for (const secret of [callbackSecret, bank.client.clientSecret ?? "", bank.client.passphrase])
        assert.notInclude(`${stdout}${stderr}`, secret)

    assert.include(setup.stdout, `"part":"${efi}"`)
    assert.deepStrictEqual([...bank.callbacks.webhooks.keys()], [bank.pixKey])

    const shop = await deployment.shop()
    const asked = asShop(deployment.api, await tokenOf(deployment.api, shop))
    const charge = await asked("POST", "/pix", { body: { amount: 25.9 } })
    assert.strictEqual(charge.status, 201, JSON.stringify(charge.json))
    const { id } = charge.json
    const stored = bank.world.charges.find(({ terms }) => terms.centavos === 2590)
    bank.pay(stored?.txid ?? "")
    await eventually(async () => {
      const { json } = await asked("GET", `/transactions/${id}` as "/transactions/{id}")
      return json.status === "completed" ? json : undefined
    })

    const refund = await asked(
      "POST",
      `/transactions/${id}/refund` as "/transactions/{id}/refund",
      {
        body: { amount: 5 }
      }
    )
    assert.strictEqual(refund.status, 201, JSON.stringify(refund.json))
    const back = await eventually(() =>
      Promise.resolve([...bank.world.payments.values()].at(0)?.returns.at(0))
    )
    bank.settleReturn(back.id, "DEVOLVIDO")

    const withdrawal = await asked("POST", "/withdrawals", {
      body: { amount: 10, pixKey: "maria@example.com", pixKeyType: "email" }
    })
    assert.strictEqual(withdrawal.status, 201, JSON.stringify(withdrawal.json))
    const payout = await eventually(() => Promise.resolve(bank.world.payouts.at(0)))
    bank.settlePayout(payout.id, "completed")
    await eventually(async () => {
      const { json } = await asked("GET", "/account")
      return json.balance.available.amount === 1090 ? json : undefined
    })
    assert.deepStrictEqual(bank.findings, [])
    const audit = await deployment.operator("GET", "/audit")
    assert.isTrue(audit.json.ok)
  })

  it("is one at Woovi as well, by an AppID", async (context) => {
    const bank = await startFakeWoovi()
    const folder = mkdtempSync(join(tmpdir(), "pagora-woovi-"))
    context.onTestFinished(async () => {
      await bank.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const keys = join(folder, "keys.pem")
    writeFileSync(keys, bank.keys.published().join(""))
    const world = await worldOf(context)
    const port = String(await freePort())
    const deployed = {
      PAGORA_CONFIG: "",
      PAGORA_BANK: "woovi",
      PAGORA_BANK_APP_ID: bank.appId,
      PAGORA_BANK_SIGNING_KEYS_FILE: keys,
      PAGORA_BANK_ORIGIN: bank.url,
      PAGORA_PORT: port,
      PAGORA_PUBLIC_URL: `http://127.0.0.1:${port}/v2`
    }
    const deployment = await world.start(deployed)
    const setup = await launch(["psp", "setup", "--json"], { ...serveEnv, ...deployed }).ended
    assert.deepStrictEqual([setup.code, setup.stderr], [0, ""], setup.stdout)
    const check = await launch(["psp", "check", "--json"], { ...serveEnv, ...deployed }).ended
    const { findings } = JSON.parse(check.stdout) as Findings
    for (const name of ["credential", "webhook", "signing-keys"])
      assert.include(findings.find((one) => one.name === name) ?? {}, { name, state: "ok" })
    const list = await launch(["psp", "list"], { ...serveEnv, ...deployed }).ended
    assert.include(list.stdout, "00000000-0000-7000-8000-000054811417")
    for (const { stderr, stdout } of [setup, check, list])
      assert.notInclude(`${stdout}${stderr}`, bank.appId)

    const asked = asShop(deployment.api, await tokenOf(deployment.api, await deployment.shop()))
    const charge = await asked("POST", "/pix", { body: { amount: 25.9 } })
    assert.strictEqual(charge.status, 201, JSON.stringify(charge.json))
    const { id } = charge.json
    bank.pay(bank.world.charges[0]?.txid ?? "")
    await eventually(async () => {
      const { json } = await asked("GET", `/transactions/${id}` as "/transactions/{id}")
      return json.status === "completed" ? json : undefined
    })
    assert.isTrue((await deployment.operator("GET", "/audit")).json.ok)
  })

  it("does not start where two say which PSP there is, or where something is left out, and tells no secret", async () => {
    const refused = async (env: Readonly<Record<string, string>>) => {
      const url = "postgres://app:word@127.0.0.1:1/pagora"
      const ended = await launch(["serve"], { ...serveEnv, DATABASE_URL: url, ...env }).ended
      assert.strictEqual(ended.code, 1)
      return ended.stderr
    }
    const known = {
      PAGORA_BANK: "efi",
      PAGORA_BANK_PIX_KEY: "11222333000181",
      PAGORA_BANK_CLIENT_ID: "loja",
      PAGORA_BANK_CLIENT_SECRET: "hunter2-of-the-bank"
    }
    assert.match(await refused(known), /PAGORA_BANK and \S+ both say which PSP moves the money/)
    const noCertificate = await refused({ ...known, PAGORA_CONFIG: "" })
    assert.match(noCertificate, /PAGORA_BANK_CERTIFICATE_FILE is missing: in production efi wants/)
    assert.notInclude(noCertificate, "hunter2")
    assert.match(
      await refused({ PAGORA_CONFIG: "", PAGORA_BANK: "efi" }),
      /4 settings must be changed\.\n {2}- PAGORA_BANK_PIX_KEY is missing.*\n {2}- PAGORA_BANK_CLIENT_ID is missing.*\n {2}- PAGORA_BANK_CLIENT_SECRET is missing.*\n {2}- PAGORA_BANK_CERTIFICATE_FILE is missing/
    )
    assert.match(
      await refused({ PAGORA_BANK_CLIENT_ID: "loja" }),
      /There are settings PAGORA_BANK_… without PAGORA_BANK/
    )
    // One fault is told once, not what would follow from it.
    const unknown = await refused({ ...known, PAGORA_CONFIG: "", PAGORA_BANK: "nubank" })
    assert.match(unknown, /^pagora: PAGORA_BANK must be one of efi, inter/)
    assert.notMatch(unknown, /pagora\.config|without PAGORA_BANK/)
    const atWoovi = { PAGORA_CONFIG: "", PAGORA_BANK: "woovi" }
    assert.match(
      await refused({ ...atWoovi, PAGORA_BANK_PIX_KEY: "11222333000181" }),
      /PAGORA_BANK_PIX_KEY means nothing to woovi.*\n.*PAGORA_BANK_APP_ID is missing/
    )
    assert.match(
      await refused({ ...known, PAGORA_CONFIG: "", PAGORA_BANK_APP_ID: "hunter2" }),
      /PAGORA_BANK_APP_ID means nothing to efi/
    )
  })
})
