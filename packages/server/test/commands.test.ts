import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { eventually, startReceiver } from "@pagora/testkit"
import type { HttpAnswer, Receiver, RunningPagora } from "@pagora/testkit"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startOnPostgreSQL } from "./OnPostgreSQL.test-data.ts"
import { runPagora, settled } from "./RunCommand.test-data.ts"

const id = "00000000-0000-7000-8000-000000000000"
const time = "2026-11-21T12:00:00.000Z"
const folder = mkdtempSync(join(tmpdir(), "pagora-commands-"))
const keyFile = join(folder, "operator-key")

let end: () => Promise<void>
let pagora: RunningPagora
let receiver: Receiver

beforeAll(async () => {
  ;({ end, pagora } = await startOnPostgreSQL(["--manual"]))
  receiver = await startReceiver()
  writeFileSync(keyFile, `${pagora.facts.operatorKey}\n`, { mode: 0o600 })
})

afterAll(async () => {
  await end()
  await receiver.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...args: ReadonlyArray<string>) =>
  runPagora(args, {
    PAGORA_OPERATOR_URL: pagora.facts.operatorUrl,
    PAGORA_OPERATOR_KEY: pagora.facts.operatorKey
  })

/** What the command printed for a person, and its remark. */
const done = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await run(...args)
  assert.strictEqual(code, 0, stderr)
  return { said: settled(stdout), remark: settled(stderr) }
}

/** What the command printed for a program: one document and nothing else. */
const answer = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await run(...args, "--json")
  assert.strictEqual(code, 0, stderr)
  assert.strictEqual(stderr, "")
  assert.strictEqual(stdout.split("\n").length, 2, stdout)
  return JSON.parse(stdout) as HttpAnswer["json"]
}

const refused = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await run(...args)
  assert.strictEqual(code, 1, stderr)
  assert.strictEqual(stdout, "")
  assert.notMatch(stderr, /\bat .*:\d+:\d+/)
  return stderr
}

const api = async <const Method extends string, const Path extends string>(
  method: Method,
  path: Path,
  body?: unknown
) => {
  const got = await pagora.operator(method, path, body === undefined ? {} : { body })
  assert.isBelow(got.status, 300, got.text)
  return got.json
}

const account = async (name: string): Promise<string> =>
  (await api("POST", "/accounts", { name })).id

const lines = (...texts: ReadonlyArray<string>) => texts.map((text) => `${text}\n`).join("")

describe("pagora account", { timeout: 120_000 }, () => {
  it.concurrent("opens an account under terms, for a person", async () => {
    const { remark, said } = await done(
      "account",
      "create",
      "--name=Loja da Ana",
      "--document=529.982.247-25",
      "--fee-payment=percent=0.99,min=0.10",
      "--limit-withdrawal=max=5000,daily=20000.50",
      "--block-cnpj-payers"
    )
    assert.strictEqual(
      said,
      lines(
        `Account               ${id}`,
        "Name                  Loja da Ana",
        "Document              52998224725",
        "Status                approved",
        "Fee of a payment      0.99 %, min R$ 0,10",
        "Limit of withdrawals  max R$ 5.000,00, daily R$ 20.000,50",
        "Payers with a CNPJ    returned",
        "Unknown payers        accept",
        `Created               ${time}`,
        `Updated               ${time}`
      )
    )
    assert.strictEqual(remark, "")
  })

  it.concurrent("changes and shows one with exactly the API's body", async () => {
    const shop = await account("Loja Verde")
    const changed = await answer(
      "account",
      "change",
      shop,
      "--status=suspended",
      "--fee-refund=fixed=0.29",
      "--allow-cnpj-payers",
      "--on-unknown-payer=return"
    )
    const known = await api("GET", `/accounts/${shop}`)
    assert.deepStrictEqual<unknown>(changed, known)
    assert.deepStrictEqual<unknown>(await answer("account", "show", shop), known)
    assert.strictEqual(JSON.stringify(known.fees), '{"refund":{"fixed":0.29}}')
    assert.strictEqual(known.policy?.blockCnpjPayers, false)
    assert.include((await done("account", "show", shop)).said, "Status           suspended\n")
    // A schedule is replaced whole, by nothing too.
    const free = await answer("account", "change", shop, "--fee-refund=none")
    assert.strictEqual(JSON.stringify(free["fees"]), '{"refund":{}}')
  })

  it.concurrent("corrects balances to the centavo, once under one key, and shows them", async () => {
    const shop = await account("Loja Azul")
    const give = ["account", "adjust", shop, "--amount=1234567.89", "--reason=goodwill"]
    assert.strictEqual(
      (await done(...give)).said,
      lines(
        `Adjustment  ${id}`,
        "Amount      R$ 1.234.567,89",
        "Bucket      available",
        "Reason      goodwill",
        `Created     ${time}`
      )
    )
    const key = `--idempotency-key=fee-${shop}`
    const take = ["account", "adjust", shop, key, "--reason=fee", "--amount"]
    const taken = await answer(...take, "-0.29")
    assert.strictEqual(Number(taken["amount"]), -0.29)
    assert.deepStrictEqual(await answer(...take, "-0.29"), taken)
    assert.match(await refused(...take, "-0.30"), /^pagora: .*\(IDEMPOTENCY_KEY_\w+\)\.\n$/)
    await answer("account", "adjust", shop, "--amount=1", "--bucket=promotional", "--reason=gift")
    assert.strictEqual(
      (await done("account", "balances", shop)).said,
      lines(
        "SUB-ACCOUNT  STATUS          AVAILABLE  PROMOTIONAL     HELD            TOTAL  UPDATED",
        `-            approved  R$ 1.234.567,60      R$ 1,00  R$ 0,00  R$ 1.234.568,60  ${time}`
      )
    )
    const balances = await answer("account", "balances", shop)
    assert.deepStrictEqual<unknown>(balances, await api("GET", `/accounts/${shop}/balances`))
    assert.strictEqual(
      await refused("account", "adjust", shop, "--amount=-9999999", "--reason=x"),
      "pagora: amount: the wallet does not hold that much available balance (INSUFFICIENT_BALANCE).\n"
    )
  })

  it.concurrent("lists them as a table, a page, and all as lines of JSON", async () => {
    for (const name of ["A", "B", "C"]) await account(`List ${name}`)
    const page = await answer("account", "list", "--limit=2")
    assert.strictEqual(Array.from(page["data"] as unknown as ReadonlyArray<unknown>).length, 2)
    const next = await answer(
      "account",
      "list",
      "--limit=2",
      `--cursor=${String(page["nextCursor"])}`
    )
    assert.notDeepEqual(next["data"], page["data"])

    const { remark, said } = await done("account", "list", "--limit=1")
    const [titles = "", row = ""] = said.split("\n")
    assert.strictEqual(titles.split(/\s+/).join(" "), "ACCOUNT STATUS CREATED DOCUMENT NAME")
    assert.strictEqual(row.slice(0, 36), id)
    assert.strictEqual(remark, `There are more: add --cursor ${id}, or --all.\n`)

    const { stdout } = await run("account", "list", "--limit=2", "--all", "--json")
    const rows = stdout.trimEnd().split("\n")
    const names = rows.map((line) => String((JSON.parse(line) as HttpAnswer["json"])["name"]))
    assert.includeMembers(names, ["List A", "List B", "List C"])
    assert.strictEqual(new Set(rows).size, rows.length)
  })

  it.concurrent("closes one only when it is told that this is meant", async () => {
    const shop = await account("Loja Breve")
    const said = await refused("account", "close", shop)
    assert.include(said, `Close the account ${shop}?`)
    assert.include(said, "--yes. Nothing was done.")
    assert.strictEqual((await api("GET", `/accounts/${shop}`)).status, "approved")
    assert.strictEqual(
      String((await answer("account", "close", shop, "--yes"))["status"]),
      "closed"
    )
  })
})

describe("pagora credential", { timeout: 120_000 }, () => {
  it.concurrent("issues one that works, lists it without its secret, and revokes it", async () => {
    const shop = await account("Loja das Chaves")
    const issued = await answer(
      "credential",
      "issue",
      shop,
      "--permission=PIX:WRITE",
      "--permission=ACCOUNT:READ",
      "--allowed-ip=203.0.113.0/24",
      "--sub-account-access"
    )
    const pair = {
      client_id: String(issued["clientId"]),
      client_secret: String(issued["clientSecret"])
    }
    assert.strictEqual((await pagora.api("POST", "/auth", { body: pair })).status, 200)
    const { said } = await done("credential", "list", shop)
    assert.strictEqual(
      said,
      lines(
        "CREDENTIAL                            STATUS  CREATED                   SUB-ACCOUNTS  WITHDRAWALS FROM  PERMISSIONS",
        `${id}  active  ${time}  yes           203.0.113.0/24    PIX:WRITE, ACCOUNT:READ`
      )
    )
    const listed = await answer("credential", "list", shop)
    assert.notInclude(JSON.stringify(listed), pair.client_secret)

    const credential = String(issued["id"])
    assert.include(await refused("credential", "revoke", shop, credential), "--yes")
    const revoked = await done("credential", "revoke", shop, credential, "--yes")
    assert.deepStrictEqual(revoked, { said: "", remark: `The credential ${id} is revoked.\n` })
    assert.strictEqual((await pagora.api("POST", "/auth", { body: pair })).status, 401)
  })

  it.concurrent("tells a person that the secret is shown once", async () => {
    const shop = await account("Loja do Segredo")
    const { remark, said } = await done("credential", "issue", shop, "--permission=FULL_ACCESS")
    assert.match(said, /^Client secret {2}psk_\S{40,}$/m)
    assert.strictEqual(remark, "The secret is shown here and never again: keep it now.\n")
  })
})

describe("pagora webhook and deliveries", { timeout: 120_000 }, () => {
  it.concurrent("add an endpoint, test it, show what came of it, send it again, and take it away", async () => {
    const shop = await account("Loja dos Avisos")
    const added = await answer("webhook", "create", shop, `--url=${receiver.url}`)
    const endpoint = String(added["id"])
    const { said } = await done("webhook", "list", shop)
    assert.strictEqual(
      said,
      lines(
        `ENDPOINT                              STATE  SUB-ACCOUNT  EVENTS  URL`,
        `${id}  on     -            all     ${receiver.url}`
      )
    )
    const tested = await answer("webhook", "test", shop, endpoint)
    const delivery = String(tested["id"])
    await eventually(async () => {
      const now = await api("GET", `/deliveries/${delivery}`)
      return now.status === "delivered" ? now : undefined
    })
    assert.deepStrictEqual<unknown>(
      await answer("deliveries", "show", delivery),
      await api("GET", `/deliveries/${delivery}`)
    )
    assert.strictEqual(
      (await done("deliveries", "show", delivery)).said.replace(/ +\d+\n$/, " MS\n"),
      lines(
        `Delivery  ${id}`,
        "Event     webhook_test",
        "Status    delivered",
        `Endpoint  ${id}`,
        "",
        "TRY  AT                        ANSWER          MILLIS",
        `  1  ${time}  answered (200) MS`
      )
    )
    const unknown = await refused("deliveries", "show", shop)
    assert.strictEqual(unknown, `pagora: There is no delivery with this id (delivery ${shop}).\n`)
    const resent = await answer("deliveries", "resend", delivery)
    assert.notStrictEqual(String(resent["id"]), delivery)
    const page = await answer(
      "deliveries",
      "list",
      shop,
      "--status=delivered",
      `--endpoint=${endpoint}`
    )
    assert.include(JSON.stringify(page), delivery)
    const table = (await done("deliveries", "list", shop, "--all")).said.split("\n")
    assert.strictEqual(
      table[0]?.split(/\s{2,}/).join("|"),
      "DELIVERY|EVENT|STATUS|TRIES|LAST TRY|ANSWER|ENDPOINT"
    )
    assert.strictEqual(table.length, 4)

    const recovery = await answer("webhook", "recover", endpoint, "--since=24h")
    const hours = Date.parse(String(recovery["until"])) - Date.parse(String(recovery["since"]))
    assert.closeTo(hours, 86_400_000, 60_000)
    assert.include(await refused("webhook", "remove", shop, endpoint), "Nothing was done.")
    await done("webhook", "remove", shop, endpoint, "--yes")
    assert.include(await refused("deliveries", "resend", delivery), "(ENDPOINT_GONE).\n")
    assert.deepStrictEqual(await done("webhook", "list", shop), {
      said: "",
      remark: "There are none.\n"
    })
  })

  it.concurrent("narrow an endpoint, switch it off and on, and rotate its secret", async () => {
    const shop = await account("Loja dos Ecos")
    const added = await done(
      "webhook",
      "create",
      shop,
      "--url=http://127.0.0.1:9/hook",
      "--event=payment_completed"
    )
    assert.match(added.said, /^Secret {4}whsec_\S+$/m)
    assert.include(added.remark, "never again")
    const [known] = Array.from(
      (await api("GET", `/accounts/${shop}/webhook-endpoints`)).data as unknown as ReadonlyArray<
        HttpAnswer["json"]
      >
    )
    const endpoint = String(known?.["id"])
    const off = await answer("webhook", "change", shop, endpoint, "--disable")
    assert.strictEqual(String(off["enabled"]), "false")
    const on = await done(
      "webhook",
      "change",
      shop,
      endpoint,
      "--enable",
      "--event=payment_failed",
      "--event=payment_expired"
    )
    assert.include(on.said, "Events    payment_failed, payment_expired\nState     on\n")
    const rotated = await answer("webhook", "rotate-secret", shop, endpoint, "--grace-seconds=60")
    assert.notInclude(added.said, String(rotated["secret"]))
  })
})

describe("pagora block", { timeout: 120_000 }, () => {
  it.concurrent("blocks a payment's money, notes a defence, ends it, and lists it", async () => {
    const { accountId } = pagora.facts
    const charge = (await pagora.shop("POST", "/pix", { body: { amount: 150 } })).json
    const transaction = charge.id
    const paid = await pagora.sandbox("POST", `/charges/${transaction}/pay`, { body: {} })
    assert.strictEqual(paid.status, 200, paid.text)
    const block = await answer(
      "block",
      "create",
      accountId,
      `--transaction=${transaction}`,
      "--type=judicial",
      "--amount=99.90",
      "--reference-number=0001234-56.2026"
    )
    assert.strictEqual(Number(block["amount"]), 99.9)
    const blockId = String(block["id"])
    const table = (await done("block", "list", accountId)).said
    assert.strictEqual(
      table,
      lines(
        "BLOCK                                 TYPE      STATUS               AMOUNT  RETURNED      OWED  TRANSACTION                           CREATED",
        `${id}  judicial  awaiting_response  R$ 99,90   R$ 0,00  R$ 99,90  ${id}  ${time}`
      )
    )
    assert.include((await done("block", "defend", blockId)).said, "Status         defended\n")
    const reject = ["block", "resolve", blockId, "--outcome=rejected", "--reason=delivered"]
    assert.include(await refused(...reject), "The merchant has the money again. There is no")
    const ended = await answer(...reject, "--yes")
    assert.strictEqual(String(ended["status"]), "rejected")
    const again = await refused("block", "resolve", blockId, "--outcome=approved", "--yes")
    assert.match(again, /^pagora: .+\([A-Z_]+\)\.\n$/)
    const rows = (await run("block", "list", accountId, "--all", "--json")).stdout.trimEnd()
    assert.deepStrictEqual(JSON.parse(rows), ended)
    const other = await answer(
      "block",
      "create",
      accountId,
      `--transaction=${transaction}`,
      "--type=med"
    )
    const approve = ["block", "resolve", String(other["id"]), "--outcome=approved", "--amount=40"]
    assert.include(await refused(...approve), "The payer gets R$ 40,00 of it back.")
    const part = (await done(...approve, "--yes")).said
    assert.include(part, "R$ 40,00")
    assert.match(part, /Approved +R\$ 40,00\nReturned +R\$ 40,00\nOwed +R\$ 0,00\n/)
  })
})

describe("pagora audit", { timeout: 120_000 }, () => {
  it.concurrent("proves the books", async () => {
    const { said } = await done("audit", `--operator-key-file=${keyFile}`)
    assert.match(
      said,
      /^Books {7}balanced\nAccounts {4}\d+\nEntries {5}\d+\nViolations {2}0\nLooked at {3}everything\nChecked {5}\S+, in \d+ ms\n$/
    )
    assert.strictEqual(String((await answer("audit"))["ok"]), "true")
  })
})

describe("pagora conformance", { timeout: 120_000 }, () => {
  it.concurrent("runs the sections it is told, on the facts of dev, and on addresses", async () => {
    const facts = join(folder, "facts.json")
    writeFileSync(facts, `a line before\n${JSON.stringify(pagora.facts)}\n`)
    const { remark, said } = await done("conformance", `--facts=${facts}`, "--section=projects")
    assert.match(
      said,
      /^SECTION {3}PASSED {2}FAILED {2}SKIPPED\nprojects {7}7 {7}0 {8}0\n\n7 passed, 0 failed, 0 skipped in \d+ s\n$/
    )
    assert.include(remark, "7 checks.")
    const { code, stdout } = await run("conformance", "--section=account", "--json")
    assert.strictEqual(code, 0)
    const report = JSON.parse(stdout) as Readonly<Record<string, ReadonlyArray<unknown>>>
    assert.deepStrictEqual(Object.keys(report), ["passed", "failed", "skipped"])
    assert.isAbove(report["passed"]?.length ?? 0, 3)
    assert.include(await refused("conformance", "--section=chargs"), "There is no section chargs.")
  })
})
