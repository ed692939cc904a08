import { assert, describe, it } from "@effect/vitest"
import type { FakeBank } from "@pagora/fake-bank"
import { eventually } from "@pagora/testkit"
import { rowsOf } from "@pagora/testkit/postgres"
import { atEfi, callbackSecret, freePort } from "./EfiWorld.test-data.ts"
import type { Deployment, Env } from "./ServeWorld.test-data.ts"
import {
  asShop,
  launch,
  operatorKey,
  productionConfig,
  tokenOf,
  worldOf
} from "./ServeWorld.test-data.ts"

/** Every row of every table, as text. */
const dumpOf = async (url: string): Promise<string> =>
  JSON.stringify(
    await rowsOf(
      url,
      `SELECT query_to_xml(format('SELECT * FROM %I.%I', table_schema, table_name), true, false, '')::text AS rows
       FROM information_schema.tables
       WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`
    )
  )

/** Calls of a shop at one process, whose charges are of an amount of their own. */
const shopAt = async (deployment: Deployment, psp: string) => {
  const shop = await deployment.shop()
  const { status } = await deployment.operator("PATCH", `/accounts/${shop.accountId}`, {
    body: { psps: { default: psp } }
  })
  assert.strictEqual(status, 200)
  return async (at: Deployment) => asShop(at.api, await tokenOf(at.api, shop))
}
type Call = ReturnType<typeof asShop>

const charged = async (ask: Call, amount: number) => {
  const { json, status } = await ask("POST", "/pix", { body: { amount } })
  assert.strictEqual(status, 201, JSON.stringify(json))
  return json
}

const paidAt = async (
  bank: FakeBank,
  ask: Call,
  { amount, id }: { amount: number; id: string }
) => {
  const stored = bank.world.charges.find(({ terms }) => terms.centavos === amount * 100)
  bank.pay(stored?.txid ?? "")
  await eventually(async () => {
    const { json } = await ask("GET", `/transactions/${id}` as "/transactions/{id}")
    return json.status === "completed" ? json : undefined
  })
}

describe("Efí, kept by two processes of a service", { timeout: 180_000 }, () => {
  it("is added, charges, is paid, is rotated with a charge open, and is revoked", async (context) => {
    const { bank, envOf } = await atEfi(context)
    const world = await worldOf(context)
    const port = String(await freePort())
    const publicUrl = `http://127.0.0.1:${port}/v2`
    const one = await world.start({ PAGORA_CONFIG: productionConfig, PAGORA_PORT: port })
    const other = await world.start({ PAGORA_CONFIG: productionConfig })
    const told: Array<string> = []
    /** `pagora psp …` from somewhere else, where only the operator's API is reached. */
    const psp = async (args: ReadonlyArray<string>, env: Env = {}) => {
      const { code, stderr, stdout } = await launch(["psp", ...args], {
        PAGORA_OPERATOR_URL: `${one.facts.operatorUrl}/operator/v1`,
        PAGORA_OPERATOR_KEY: operatorKey,
        ...env
      }).ended
      told.push(stdout, stderr)
      assert.strictEqual(code, 0, stderr)
      return stdout
    }

    const first = envOf(bank.client)
    const added = JSON.parse(await psp(["add", "--label", "Matriz", "--json"], first)) as {
      readonly pspCredentialId: string
      readonly certificateEndsAt: string
    }
    const id = added.pspCredentialId
    assert.isAbove(Date.parse(added.certificateEndsAt), Date.now())
    await psp(["setup", "--kept", "--public-url", publicUrl])
    assert.deepStrictEqual([...bank.callbacks.webhooks.keys()], [bank.pixKey])
    await psp(["check", "--kept", "--psp", id])
    assert.include(await psp(["list", "--kept"]), bank.client.clientId)

    const shop = await shopAt(other, id)
    await paidAt(bank, await shop(other), await charged(await shop(other), 25.9))

    // The bank gives out another certificate, and takes the first one no longer.
    const open = await charged(await shop(other), 12.5)
    const renewed = await bank.certificates.renewClient()
    await psp(["rotate", id, "--json"], envOf(renewed))
    bank.certificates.revokeClient(bank.client.certificate)
    await paidAt(bank, await shop(one), open)
    const late = await charged(await shop(other), 13.5)

    const rows = await dumpOf(world.url)
    await psp(["revoke", id, "--yes"])
    for (const process of [one, other]) {
      const { json, status } = await (await shop(process))("POST", "/pix", { body: { amount: 14 } })
      assert.strictEqual(status, 500)
      assert.strictEqual(json.details?.code, "PSP_UNAVAILABLE")
    }
    const after = await dumpOf(world.url)
    assert.include(rows, "sealedSettings")
    assert.notInclude(after, "sealedSettings")

    await psp(["rotate", id], envOf(renewed))
    await paidAt(bank, await shop(other), late)
    const audit = await one.operator("GET", "/audit")
    assert.isTrue(audit.json.ok)
    assert.deepStrictEqual(bank.findings, [])

    const secrets = [
      bank.client.clientSecret ?? "",
      // The passphrase of the fake bank is a word that is everywhere: the name that it has where it is kept.
      "certificatePassphrase",
      callbackSecret,
      Buffer.from(bank.client.pfx).toString("base64").slice(0, 60)
    ]
    const logs = [one.output(), other.output()].map(({ stderr, stdout }) => `${stdout}${stderr}`)
    for (const text of [rows, after, ...logs, ...told])
      assert.deepStrictEqual(
        secrets.flatMap((secret) => {
          const at = text.indexOf(secret)
          return at < 0 ? [] : [text.slice(Math.max(0, at - 60), at + 60)]
        }),
        []
      )
  })

  it("fails a start where it is configured, too, and where the secret is another one", async (context) => {
    const { bank, envOf } = await atEfi(context)
    const world = await worldOf(context)
    const one = await world.start({ PAGORA_CONFIG: productionConfig })
    const { code, stderr } = await launch(["psp", "add"], {
      PAGORA_OPERATOR_URL: `${one.facts.operatorUrl}/operator/v1`,
      PAGORA_OPERATOR_KEY: operatorKey,
      ...envOf(bank.client)
    }).ended
    assert.strictEqual(code, 0, stderr)
    await one.stop()

    const both = await world.refused(["serve"], envOf(bank.client))
    assert.strictEqual(both.code, 1)
    assert.match(
      both.stderr,
      /is kept in the database, and one that is configured has the same client id/
    )
    assert.notInclude(both.stderr, bank.client.clientSecret ?? "-")
  })
})
