import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { Pagora } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { execute, freshDatabase } from "@pagora/testkit/postgres"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { TestContext } from "vitest"
import { bankProviders } from "../src/serve/BankProviders.ts"
import { loadConfig } from "../src/serve/ServeConfig.ts"
import { atEfi, callbackSecret } from "./EfiWorld.test-data.ts"
import type { Env } from "./ServeWorld.test-data.ts"
import { runPagora } from "./RunCommand.test-data.ts"
import { launch, masterSecret, serveEnv } from "./ServeWorld.test-data.ts"

const bankConfig = join(import.meta.dirname, "bank.config.mjs")
/** Without a check, and of no address. */
const plain = "0190a1b2-0000-7000-8000-0000000000ba"
/** The default, which finds what `BANK_FINDINGS` says. */
const usual = "0190a1b2-0000-7000-8000-0000000000bb"
const nowhere = "postgres://app:hunter2-word@127.0.0.1:1/pagora"

interface Finding {
  readonly part: string
  readonly name: string
  readonly state: string
  readonly message: string
}

/** What a deployment is told by its environment, where a test does not say otherwise. */
const told: Env = { ...serveEnv, PAGORA_CONFIG: bankConfig, DATABASE_URL: nowhere }

/** Settings are read from the environment of the process itself. */
const run = async (args: ReadonlyArray<string>, env: Env) => {
  vi.unstubAllEnvs()
  for (const [name, value] of Object.entries({ ...told, ...env })) vi.stubEnv(name, value)
  const { code, stderr, stdout } = await runPagora(args, env)
  assert.notInclude(`${stdout}${stderr}`, "hunter2")
  return { code, stderr: stderr.trim(), stdout }
}

/** What `… --json` found, and how it ended. */
const found = async (args: ReadonlyArray<string>, env: Env = {}) => {
  const { code, stderr, stdout } = await run([...args, "--json"], env)
  const { findings } = JSON.parse(stdout) as { readonly findings: ReadonlyArray<Finding> }
  const of = (part: string, name: string) =>
    findings.find((one) => one.part === part && one.name === name)
  return { code, stderr, findings, of }
}

/** A server that answers every request alike, as `https://…` of a deployment would. */
const answering = async (
  { onTestFinished }: TestContext,
  status: number,
  body: string
): Promise<{
  readonly url: string
  readonly paths: ReadonlyArray<string>
  readonly close: () => Promise<void>
}> => {
  const paths: Array<string> = []
  const server = createServer(({ url = "" }, response) => {
    paths.push(url)
    response.writeHead(status, { "content-type": "application/json" }).end(body)
  })
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening)
  })
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
    })
  onTestFinished(() => void close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`, paths, close }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("pagora doctor", { timeout: 120_000 }, () => {
  it("finds a deployment well that is, and ends with 0", async (context) => {
    const database = await freshDatabase()
    context.onTestFinished(() => database.drop())
    const env = { DATABASE_URL: database.url }
    assert.strictEqual((await run(["migrate"], env)).code, 0)
    const refused = JSON.stringify({ statusCode: 401, error: "Unauthorized", traceId: "1" })
    const { paths, url } = await answering(context, 401, refused)
    const looked = await found(["doctor"], { ...env, PAGORA_PUBLIC_URL: `${url}/` })
    assert.deepStrictEqual([looked.code, looked.stderr], [0, ""])
    assert.deepStrictEqual(
      looked.findings.map(({ name, part, state }) => [part, name, state]),
      [
        ["settings", "variables", "ok"],
        ["database", "connection", "ok"],
        ["database", "schema", "ok"],
        ["database", "foreign-keys", "ok"],
        ["database", "clock", "ok"],
        ["database", "secret", "ok"],
        [usual, "check", "ok"],
        [plain, "check", "ok"],
        [usual, "webhook-address", "ok"],
        [plain, "webhook-address", "ok"]
      ]
    )
    assert.sameMembers([...paths], [`/v2/psp/${usual}/webhook`, `/v2/psp/${plain}/webhook`])
  })

  it("says all that is amiss at once, each with what to do, and ends with 1", async (context) => {
    const { url } = await answering(context, 404, "<html>no such site</html>")
    const { code, findings, of, stderr } = await found(["doctor"], {
      PAGORA_PUBLIC_URL: url,
      PAGORA_POOL_SIZE: "many",
      BANK_KEY: "hunter2-of-the-bank",
      BANK_FINDINGS: JSON.stringify([
        { name: "certificate", state: "warning", message: "It ends in 7 days: renew it." },
        { name: "scopes", state: "failed", message: "hunter2-of-the-bank lacks pix.write." }
      ])
    })
    assert.strictEqual(code, 1)
    const failed = findings.filter(({ state }) => state === "failed")
    assert.strictEqual(
      stderr,
      `pagora: ${failed.length} of ${findings.length} checks failed: what to do is said beside each.`
    )
    assert.deepStrictEqual(
      failed.map(({ name, part }) => [part, name]),
      [
        ["settings", "variables"],
        ["database", "connection"],
        [usual, "scopes"],
        [usual, "webhook-address"],
        [plain, "webhook-address"]
      ]
    )
    assert.strictEqual(of(usual, "scopes")?.message, "*** lacks pix.write.")
    assert.strictEqual(of(usual, "certificate")?.state, "warning")
    assert.match(of(usual, "webhook-address")?.message ?? "", /answers 404, and not as a Pagora/)
  })

  it("says which migration is missing, and which address is not known", async ({
    onTestFinished
  }) => {
    const database = await freshDatabase()
    onTestFinished(() => database.drop())
    const { code, of } = await found(["doctor"], { DATABASE_URL: database.url })
    assert.strictEqual(code, 1)
    assert.match(of("database", "schema")?.message ?? "", /version 0, .* run pagora migrate/)
    assert.deepStrictEqual(
      [of("database", "connection")?.state, of("database", "clock")?.state],
      ["ok", "ok"]
    )
    assert.match(of("webhooks", "address")?.message ?? "", /^PAGORA_PUBLIC_URL is not set/)
    // One that is set and wrong is told of once, and not as missing.
    const wrong = await found(["doctor"], {
      DATABASE_URL: database.url,
      PAGORA_PUBLIC_URL: "http://pay.example.com/v2"
    })
    assert.match(wrong.of("settings", "variables")?.message ?? "", /^PAGORA_PUBLIC_URL must be/)
    assert.isUndefined(wrong.of("webhooks", "address"))
  })

  it("names the foreign keys onto tables of the schema, and says what to do", async ({
    onTestFinished
  }) => {
    const database = await freshDatabase()
    onTestFinished(() => database.drop())
    const env = { DATABASE_URL: database.url }
    assert.strictEqual((await run(["migrate"], env)).code, 0)
    const { of: without } = await found(["doctor"], env)
    assert.strictEqual(without("database", "foreign-keys")?.state, "ok")

    const referring = (table: string) =>
      `create table ${table} (charge uuid constraint of_charge references pagora.operation (id))`
    await execute(database.url, "create schema shop")
    for (const table of ["shop.sale", "pagora.of_the_shop"])
      await execute(database.url, referring(table))
    const { code, of } = await found(["doctor"], env)
    assert.strictEqual(code, 1)
    assert.strictEqual(of("database", "foreign-keys")?.state, "failed")
    assert.match(
      of("database", "foreign-keys")?.message ?? "",
      /pagora\.of_the_shop \(of_charge\) refers to pagora\.operation, shop\.sale \(of_charge\) refers to pagora\.operation: .*alter table pagora\.of_the_shop drop constraint of_charge; alter table shop\.sale drop constraint of_charge/
    )
  })

  it("tells a deployment of another configuration, and one that does not answer", async (context) => {
    const absent = JSON.stringify({ statusCode: 404, error: "NotFound", traceId: "1" })
    const { close, url } = await answering(context, 404, absent)
    const another = await found(["doctor"], { PAGORA_PUBLIC_URL: url })
    assert.match(another.of(usual, "webhook-address")?.message ?? "", /has no such PSP \(404\)/)
    await close()
    const silent = await found(["doctor"], { PAGORA_PUBLIC_URL: url })
    assert.match(
      silent.of(usual, "webhook-address")?.message ?? "",
      /does not answer \(ECONNREFUSED\)/
    )
  })

  it("shows a table to people, as a process of its own too", async () => {
    const { code, stdout } = await launch(["doctor"], told).ended
    assert.strictEqual(code, 1)
    assert.match(stdout, /^STATE +PART +CHECK +FOUND\n/)
    assert.match(stdout, /^failed +database +connection +PostgreSQL cannot be reached/m)
  })
})

/** A service with this configuration, in this process, and what the operator gives it of Efí. */
const keeping = async (context: TestContext) => {
  const database = await freshDatabase()
  const { bank, envOf } = await atEfi(context)
  const config = await Effect.runPromise(loadConfig(bankConfig, "."))
  const pagora = await Pagora.start({
    storage: postgres({ url: database.url }),
    psp: config.psp,
    pspProviders: bankProviders,
    secret: masterSecret,
    logger: false
  })
  context.onTestFinished(async () => {
    await pagora.stop()
    await database.drop()
  })
  const settingsOf = ({ passphrase, pfx }: { passphrase: string; pfx: Uint8Array }) => ({
    pixKey: bank.pixKey,
    clientId: bank.client.clientId,
    clientSecret: bank.client.clientSecret ?? "",
    certificateP12: Buffer.from(pfx).toString("base64"),
    certificatePassphrase: passphrase,
    callbackSecret,
    callbackAddresses: "127.0.0.1",
    origin: bank.urls.origin,
    authorityPem: bank.ca
  })
  return { bank, envOf, pagora, settingsOf, env: { DATABASE_URL: database.url } }
}

describe("pagora doctor, of PSPs that are kept,", { timeout: 120_000 }, () => {
  it("says what a start would meet, what each finds at its bank, and what to do", async (context) => {
    const { bank, env, envOf, pagora, settingsOf } = await keeping(context)
    const { pspCredentials } = pagora
    const added = { provider: "efi", label: "Matriz", settings: settingsOf(bank.client) }
    const { pspCredentialId: psp } = await pspCredentials.add(added)
    const { url } = await answering(context, 200, JSON.stringify({ received: true }))
    const looked = async (more: Env = {}) => {
      const { code, findings, of } = await found(["doctor"], {
        ...env,
        PAGORA_PUBLIC_URL: url,
        ...more
      })
      const own = findings.filter(({ part }) => part === psp)
      const ofSecret = of("database", "secret")?.message ?? ""
      return { code, own, ofSecret, told: (name: string) => of(psp, name)?.message ?? "" }
    }
    const before = await looked()
    assert.strictEqual(before.code, 1)
    assert.match(before.told("webhook"), /^No webhook is registered.*pagora psp setup, with --kept/)

    await pspCredentials.setUp(psp, { publicUrl: url })
    const well = await looked()
    assert.strictEqual(well.code, 0, JSON.stringify(well.own))
    for (const name of ["credentials", "certificate", "scopes", "webhook", "webhook-address"])
      assert.include(well.own.find((one) => one.name === name) ?? {}, { name, state: "ok" })
    assert.match(well.told("credentials"), /kept in the service \(efi, Matriz\), and open/)

    const elsewhere = "https://elsewhere.example.com/v2"
    const moved = /^The bank calls .*, which is not https:\/\/elsewhere.*pagora psp setup/
    assert.match((await looked({ PAGORA_PUBLIC_URL: elsewhere })).told("webhook"), moved)
    const { findings } = await pspCredentials.check(psp, { publicUrl: elsewhere })
    assert.match(findings.find(({ name }) => name === "webhook")?.message ?? "", moved)

    const locked = await looked({
      PAGORA_SECRET: "another-master-secret-which-nobody-guesses-7c1f"
    })
    assert.strictEqual(locked.code, 1)
    const secretFault = /^The secret is not the one .*PAGORA_SECRET and PAGORA_FORMER_SECRETS/
    assert.match(locked.ofSecret, secretFault)
    assert.match(well.ofSecret, /^PAGORA_SECRET opens/)
    assert.match(locked.told("credentials"), /^They do not open.*PAGORA_FORMER_SECRETS/)
    const both = await looked(envOf(bank.client))
    assert.match(both.told("credentials"), /has the same client id, under .*keep one of them/)

    const soon = await bank.certificates.renewClient(3)
    await pspCredentials.rotate(psp, { settings: settingsOf(soon) })
    const ending = await looked()
    assert.match(ending.told("certificate"), /ends on .* in [23] days.*give the new one by pagora/)
    assert.include(ending.told("certificate"), `pagora psp rotate ${psp}`)
    await pspCredentials.revoke(psp)
    assert.deepStrictEqual((await looked()).own, [])
  })
})

describe("pagora psp", { timeout: 120_000 }, () => {
  it("lists what is configured, the default one first", async () => {
    const { code, stdout } = await run(["psp", "list", "--json"], {})
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(JSON.parse(stdout), {
      psps: [
        {
          id: usual,
          provider: "bank",
          environment: "production",
          default: true,
          can: ["setup", "check"]
        },
        { id: plain, provider: "bank", environment: "production", default: false, can: ["payouts"] }
      ]
    })
  })

  it("sets up those that can be, at the address of each", async () => {
    const { code, of } = await found([
      "psp",
      "setup",
      "--public-url",
      "https://pay.example.com/v2/"
    ])
    assert.strictEqual(code, 0)
    assert.strictEqual(
      of(usual, "webhook")?.message,
      `Registered https://pay.example.com/v2/psp/${usual}/webhook.`
    )
    assert.match(of(plain, "setup")?.message ?? "", /^There is nothing to set up/)
    const one = await found(["psp", "setup", "--psp", usual], {
      PAGORA_PUBLIC_URL: "https://pay.example.com/v2"
    })
    assert.deepStrictEqual(
      one.findings.map(({ part }) => part),
      [usual]
    )
  })

  it("sets nothing up where the address is not known or cannot be called", async () => {
    for (const [url, commands, said] of [
      ["", ["setup"], /^pagora: Where PSPs are to send their notifications is not known/],
      ["http://pay.example.com/v2", ["setup", "check"], /cannot be used: banks call by https only/],
      ["https://pay.example.com/v2?a=1", ["setup", "check"], /cannot be used: it has a query/],
      ["https://u:hunter2@pay.example.com", ["setup", "check"], /cannot be used: it has a user/],
      ["pay.example.com", ["setup", "check"], /cannot be used: it is no URL/]
    ] as const)
      for (const command of commands) {
        const { code, stderr, stdout } = await run(["psp", command], { PAGORA_PUBLIC_URL: url })
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.match(stderr, said)
      }
  })

  it("checks one of several, and ends with 1 where something does not work", async () => {
    const failing = [{ name: "token", state: "failed", message: "Refused: issue a new secret." }]
    const { code, findings } = await found(["psp", "check", "--psp", usual], {
      BANK_FINDINGS: JSON.stringify(failing)
    })
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(
      findings.map(({ message, part }) => [part, message]),
      [[usual, "Refused: issue a new secret."]]
    )
  })

  it("names those that there are where one is asked for that is not, and says so of sandbox()", async () => {
    const stranger = await run(
      ["psp", "check", "--psp", "0190a1b2-0000-7000-8000-0000000000bc"],
      {}
    )
    assert.strictEqual(stranger.code, 1)
    assert.include(stranger.stderr, `it has ${usual}, ${plain}.`)
    const { PAGORA_CONFIG: sandbox = "" } = serveEnv
    const playing = await run(["psp", "list"], { PAGORA_CONFIG: sandbox })
    assert.strictEqual(playing.code, 1)
    assert.match(playing.stderr, /plays with sandbox\(\)/)
  })
})
