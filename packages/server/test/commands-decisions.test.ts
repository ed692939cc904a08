import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { memory, Pagora } from "@pagora/core"
import type { PagoraInstance } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { json, runPagora, settled, startImpostor } from "./RunCommand.test-data.ts"

// What waits for a person, decided from the command line: a service in memory, whose PSP does what it is told.

const id = "00000000-0000-7000-8000-000000000000"
const operatorKey = "operator-key-of-the-commands-test"
const hour = { seconds: 3_600 }

type Row = Readonly<Record<string, unknown>>

let pagora: PagoraInstance
let door: Awaited<ReturnType<typeof startImpostor>>

beforeAll(async () => {
  pagora = await Pagora.start({
    storage: memory(),
    psp: sandbox({ settleAfter: "manual" }),
    operatorKey,
    logger: false
  })
  door = await startImpostor((response, { body, headers, method, url }) => {
    const request = new Request(`http://127.0.0.1${url.slice("/operator/v1".length)}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body === "" ? {} : { body })
    })
    void pagora
      .operatorFetch(request)
      .then(async (answer) => json(answer.status, await answer.json())(response))
  })
})

afterAll(async () => {
  await door.close()
  await pagora.stop()
})

const environment = () => ({ PAGORA_OPERATOR_URL: door.url, PAGORA_OPERATOR_KEY: operatorKey })
const run = (...args: ReadonlyArray<string>) => runPagora(args, environment())

const done = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await run(...args)
  assert.strictEqual(code, 0, stderr)
  return settled(stdout)
}

const answer = async (...args: ReadonlyArray<string>): Promise<Row> => {
  const { code, stderr, stdout } = await run(...args, "--json")
  assert.deepStrictEqual([code, stderr], [0, ""])
  return JSON.parse(stdout) as Row
}

const rowsOf = async (...args: ReadonlyArray<string>) =>
  (await answer(...args))["data"] as ReadonlyArray<Row>

const refused = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await run(...args)
  assert.deepStrictEqual([code, stdout], [1, ""], stderr)
  return stderr
}

const lines = (...texts: ReadonlyArray<string>) => texts.map((text) => `${text}\n`).join("")
/** One space between columns: some are as wide as references are. */
const words = (table: string) => table.split("\n").map((line) => line.split(/\s{2,}/).join("|"))

const shopWith = async (amount: number) => {
  const shop = await pagora.accounts.create({ name: "Loja Azul" })
  if (amount > 0) await pagora.accounts.adjust(shop.id, { amount, reason: "capital" })
  return shop.id
}

const withdrawal = { amount: 30, pixKey: "529.982.247-25", pixKeyType: "cpf" } as const

/** A payout of which the PSP says nothing for a day. */
const unanswered = async (shop: string) => {
  await pagora.sandbox.setFaults({
    faults: [
      { operation: "sendPayout", kind: "dropAnswer" },
      { operation: "findPayout", kind: "dropRequest" },
      { operation: "notify", kind: "dropRequest" }
    ]
  })
  const { id: payout } = await pagora.withdrawals.create(shop, withdrawal)
  for (let hours = 0; hours < 26; hours++) await pagora.sandbox.advance(hour)
  return payout
}

describe("pagora review, suspense and discrepancies", { timeout: 60_000 }, () => {
  it("send back what the PSP refused, when a person says so", async () => {
    const shop = await shopWith(0)
    await pagora.sandbox.setFaults({
      faults: [{ operation: "refund", kind: "refuse", times: 3 }]
    })
    const charge = await pagora.charges.create(shop, { amount: 25.9 })
    await pagora.sandbox.pay(charge.id, { amount: 1234.5, payerName: "Bia\u001b[2J" })
    for (const seconds of [1, 60, 600]) await pagora.sandbox.advance({ seconds })

    const table = words(await done("review", "list", `--account=${shop}`))
    assert.strictEqual(table[0], "TYPE|REVIEW|REASON|AMOUNT|SINCE|REFERENCE|ACCOUNT|DECISIONS")
    assert.match(table[1] ?? "", /^deposit_return\|0{8}-\S+\|refused\|R\$ 1\.234,50\|/)
    assert.match(table[1] ?? "", /\|retry, resolve$/)
    const [held] = words(await done("suspense", "list", "--needs-review")).slice(1)
    assert.match(held ?? "", /\|R\$ 1\.234,50\|amount_mismatch\|\w+\|refused\|/)
    assert.include(held, String.raw`Bia\u001b[2J`)
    const [row] = await rowsOf("review", "list", `--account=${shop}`)
    const review = String(row?.["id"])
    const suspended = await rowsOf("suspense", "list", `--account=${shop}`)
    assert.strictEqual(suspended[0]?.["id"], review)

    const retry = ["review", "retry", review, "--reason=Their limit was raised."]
    assert.include(await refused(...retry), "--yes. Nothing was done.")
    const key = `--idempotency-key=retry-${review}`
    const sent = await answer(...retry, "--by=Ana", "--yes", key)
    assert.deepStrictEqual(await answer(...retry, "--by=Ana", "--yes", key), sent)
    assert.strictEqual(sent["replaces"], review)
    assert.match(await refused(...retry, "--yes"), /\(RETURN_NOT_IN_REVIEW\)\.\n$/)
    const nothing = await run("review", "list", `--account=${shop}`)
    assert.deepStrictEqual([nothing.stdout, nothing.stderr], ["", "There are none.\n"])
  })

  it("give up a return, by a person who says why", async () => {
    const shop = await shopWith(0)
    await pagora.sandbox.setFaults({
      faults: [{ operation: "refund", kind: "refuse", times: 3 }]
    })
    const charge = await pagora.charges.create(shop, { amount: 9 })
    await pagora.sandbox.pay(charge.id, { amount: 8 })
    for (const seconds of [1, 60, 600]) await pagora.sandbox.advance({ seconds })
    const [row] = await rowsOf("review", "list", `--account=${shop}`)
    const review = String(row?.["id"])
    const resolve = ["review", "resolve", "deposit_return", review, "--outcome=failed"]
    const said = await refused(...resolve, "--reason=x")
    assert.include(said, "Its money moves out of suspense to the equity account.")
    const shown = await done(...resolve, "--reason=No such payer.", "--by=Ana", "--yes")
    assert.include(shown, `Return         ${id}\n`)
    assert.include(shown, "Reason         No such payer.\nDecided by     Ana\n")
    assert.deepStrictEqual(await rowsOf("suspense", "list", `--account=${shop}`), [])
    assert.isTrue((await pagora.audit()).ok)
  })

  it("decide a payout that the PSP says nothing of", async () => {
    const shop = await shopWith(100)
    const payout = await unanswered(shop)
    const [row] = await rowsOf("review", "list", `--account=${shop}`)
    assert.deepStrictEqual([row?.["type"], row?.["id"]], ["withdrawal", payout])
    const resolve = ["review", "resolve", "withdrawal", payout, "--outcome=failed"]
    assert.include(await refused(...resolve, "--reason=x"), "Its money is the wallet's again.")
    const foreign = await refused(
      "review",
      "resolve",
      "refund",
      payout,
      ...resolve.slice(4),
      "--reason=x",
      "--yes"
    )
    assert.strictEqual(foreign, `pagora: There is no refund with this id (refund ${payout}).\n`)
    const shown = await done(...resolve, "--reason=Not at the PSP.", "--by=Ana", "--yes")
    assert.include(shown, `Withdrawal  ${id}\nStatus      failed\nAmount      R$ 30,00\n`)
    assert.strictEqual((await pagora.withdrawals.find(shop, payout)).status, "failed")
  })

  it("say who bears what a PSP gave back by itself", async () => {
    await pagora.sandbox.setFaults({ faults: [] })
    const shop = await shopWith(0)
    const charge = await pagora.charges.create(shop, { amount: 10 })
    const { payments } = await pagora.sandbox.pay(charge.id)
    const endToEndId = payments[0]?.endToEndId ?? assert.fail("Nobody paid.")
    await pagora.sandbox.returnPayment(endToEndId, { amount: 4 })
    const table = words(await done("review", "list", `--account=${shop}`))
    assert.match(table[1] ?? "", /^psp_return\|0{8}-\S+\|returned_by_psp\|R\$ 4,00\|.*\|resolve$/)
    const [row] = await rowsOf("review", "list", `--account=${shop}`)
    const review = String(row?.["id"])
    const resolve = ["review", "resolve", "psp_return", review, "--reason=The shop sold nothing."]
    const mismatched =
      "pagora: A psp_return is charged or absorbed; anything else is completed or failed.\n"
    assert.strictEqual(await refused(...resolve, "--outcome=failed", "--yes"), mismatched)
    const charged = [...resolve, "--outcome=charged"]
    const meaning = "The wallet that the payment was credited to bears it."
    assert.include(await refused(...charged), meaning)
    const shown = await done(...charged, "--by=Ana", "--yes")
    assert.match(shown, /^Return of the PSP +0{8}-/)
    assert.match(shown, /\nStatus +charged\nAmount +R\$ 4,00\n/)
    assert.match(shown, new RegExp(`\\nEnd-to-end id +${endToEndId}\\n`))
    assert.match(shown, /\nReason +The shop sold nothing\.\nDecided by +Ana\n/)
    assert.strictEqual((await pagora.balances.get(shop)).available?.amount, 600)
    assert.match(await refused(...charged, "--yes"), /\(PSP_RETURN_RESOLVED\)\.\n$/)
    assert.isTrue((await pagora.audit()).ok)
  })

  it("close what a PSP says against what is booked", async () => {
    const open = {
      id,
      accountId: id,
      subjectId: id,
      subjectType: "withdrawal",
      reason: "failed_but_paid",
      evidence: { status: "completed" },
      status: "open",
      createdAt: "2026-11-21T12:00:00.000Z"
    }
    const resolution = { reason: "Claimed.", by: "Ana", at: "2026-11-21T12:00:00.000Z" }
    const service = await startImpostor((response, { method }) =>
      method === "GET"
        ? json(200, { data: [open], nextCursor: null })(response)
        : json(200, { ...open, status: "resolved", resolution })(response)
    )
    const elsewhere = { PAGORA_OPERATOR_URL: service.url, PAGORA_OPERATOR_KEY: operatorKey }
    const listed = await runPagora(["discrepancies", "list", "--status=open"], elsewhere)
    assert.deepStrictEqual(words(listed.stdout), [
      "DISCREPANCY|STATUS|REASON|ABOUT|ID|CREATED|ACCOUNT",
      `${id}|open|failed_but_paid|withdrawal|${id}|2026-11-21T12:00:00.000Z|${id}`,
      ""
    ])
    const close = ["discrepancies", "resolve", id, "--reason=Claimed.", "--by=Ana"]
    const closed = await runPagora([...close, "--idempotency-key=once"], elsewhere)
    assert.include(closed.stdout, `About          withdrawal ${id}\n`)
    assert.include(closed.stdout, 'Evidence       {"status":"completed"}\n')
    assert.include(closed.stdout, "Reason         Claimed.\nDecided by     Ana\n")
    const [list, resolve] = service.asked
    assert.strictEqual(list?.url, "/operator/v1/discrepancies?status=open")
    assert.deepStrictEqual(
      [resolve?.url, resolve?.body, resolve?.headers["idempotency-key"]],
      [`/operator/v1/discrepancies/${id}/resolve`, '{"reason":"Claimed.","by":"Ana"}', "once"]
    )
    await service.close()
  })

  it("ask at a terminal, and only a yes is one", async () => {
    const shop = await shopWith(0)
    const close = ["account", "close", shop, "--json"]
    for (const [keys, why] of [
      ["n", "no"],
      ["\r", "the default"],
      ["\u0003", "Ctrl-C"]
    ] as const) {
      const { code, stderr, stdout } = await runPagora(close, environment(), keys)
      assert.deepStrictEqual([code, stdout], [1, ""], why)
      assert.include(stderr, `Close the account ${shop}?`, why)
      assert.match(stderr, /pagora: Nothing was done\.\n$/, why)
      assert.strictEqual((await pagora.accounts.get(shop)).status, "approved", why)
    }
    const { code, stdout } = await runPagora(close, environment(), "y")
    assert.strictEqual(code, 0)
    assert.strictEqual((JSON.parse(stdout) as Row)["status"], "closed")
  })

  it("are used wrongly without an outcome, a reason or a type", async () => {
    for (const args of [
      ["review", "resolve", "discrepancy", id, "--outcome=failed", "--reason=x"],
      ["review", "resolve", "withdrawal", id, "--outcome=failed"],
      ["review", "resolve", "withdrawal", id, "--reason=x"],
      ["review", "retry", id],
      ["discrepancies", "resolve", id]
    ]) {
      const { code, stdout } = await run(...args)
      assert.deepStrictEqual([code, stdout], [2, ""], args.join(" "))
    }
  })
})

describe("pagora account transactions and entries, and sub-account", { timeout: 60_000 }, () => {
  it("show how a balance came to be", async () => {
    const shop = await shopWith(10)
    const table = await done("account", "transactions", shop, "--type=adjustment", "--from=1h")
    assert.strictEqual(
      table,
      lines(
        "TRANSACTION                           TYPE        STATUS       AMOUNT  CREATED                   SUB-ACCOUNT  COUNTERPART",
        `${id}  adjustment  completed  R$ 10,00  2026-11-21T12:00:00.000Z  -            -`
      )
    )
    assert.deepStrictEqual(
      await answer("account", "transactions", shop),
      JSON.parse(JSON.stringify(await pagora.accounts.transactions(shop)))
    )
    const posted = await rowsOf("account", "entries", shop, "--sub-account=principal", "--limit=1")
    assert.deepStrictEqual(
      [posted[0]?.["kind"], posted[0]?.["bucket"], posted[0]?.["amount"]],
      ["adjustment", "available", 10]
    )
    assert.deepStrictEqual(await rowsOf("account", "entries", shop, "--to=2020-01-01"), [])
    const titles = words(await done("account", "entries", shop, "--all"))[0]
    assert.strictEqual(titles, "ENTRY|KIND|BUCKET|AMOUNT|CREATED|SUB-ACCOUNT|SOURCE")
  })

  it("list, change and close sub-accounts", async () => {
    const shop = await shopWith(0)
    await pagora.subAccounts.create(shop, { reference: "filial-sul", name: "Filial Sul" })
    const [row] = await rowsOf("sub-account", "list", shop)
    assert.strictEqual(row?.["reference"], "filial-sul")
    const change = ["sub-account", "change", shop, "filial-sul"]
    const changed = await done(...change, "--status=suspended", "--fee-payment=percent=0.79")
    assert.include(changed, "Status            suspended\nFee of a payment  0.79 %\n")
    assert.include(await refused("sub-account", "close", shop, "filial-sul"), "Nothing was done.")
    const closed = await answer("sub-account", "close", shop, "filial-sul", "--yes")
    assert.strictEqual(closed["status"], "closed")
    assert.include(await refused(...change, "--status=approved"), ").\n")
    const forever = await run("account", "change", shop, "--status=closed")
    assert.strictEqual(forever.code, 2)
  })
})
