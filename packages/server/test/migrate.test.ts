import { assert, describe, it } from "@effect/vitest"
import type { HttpAnswer } from "@pagora/testkit"
import { eventually } from "@pagora/testkit"
import { execute, startTransactionPooler } from "@pagora/testkit/postgres"
import { readFileSync } from "node:fs"
import { DatabaseSchema } from "@pagora/postgres"
import type { TestContext } from "vitest"
import type { Deployment, Env } from "./ServeWorld.test-data.ts"
import { asShop, launch, tokenOf, worldOf } from "./ServeWorld.test-data.ts"

const { needed } = DatabaseSchema

/** What `pagora migrate` says, and that it ended well. */
const migrated = async (url: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await launch(["migrate", ...args], { DATABASE_URL: url }).ended
  assert.strictEqual(code, 0, stderr)
  return stdout
}

/** The one sentence of a command that ends at once and in vain. */
const sentenceOf = async (args: ReadonlyArray<string>, env: Env): Promise<string> => {
  const { code, stderr, stdout } = await launch(args, env).ended
  assert.strictEqual(code, 1, stderr)
  assert.notMatch(stderr, /\bat .*:\d+:\d+/)
  return (stdout + stderr).trim().split("\n").at(-1) ?? ""
}

/** A database with a role that may only run the service on it. */
const withRole = async (context: TestContext) => {
  const world = await worldOf(context)
  const role = `app_${new URL(world.url).pathname.slice(-12)}`
  await execute(world.url, `create role ${role} login password 'app'`)
  const owner = new URL(world.url)
  // Once the database is gone it owns and may do nothing.
  world.afterwards(async () => {
    owner.pathname = "/postgres"
    await execute(owner.href, `drop role ${role}`)
  })
  const url = new URL(world.url)
  url.username = role
  url.password = "app"
  return { ...world, role, roleUrl: url.href }
}

/** What the role must not be able to do, whatever program uses it. */
const forbidden = [
  "update pagora.posting set amount = amount + 1",
  "delete from pagora.posting",
  "update pagora.ledger_tx set amount = amount + 1",
  "delete from pagora.ledger_tx",
  "update pagora.event set body = ''",
  "delete from pagora.event",
  "update pagora.attempt set http_status = 200",
  "delete from pagora.attempt",
  "update pagora.unique_key set key = ''",
  "delete from pagora.unique_key",
  "delete from pagora.wallet",
  "delete from pagora.operation",
  "delete from pagora.registry",
  "delete from pagora.delivery",
  "delete from pagora.counter",
  "truncate pagora.posting",
  "update pagora.schema_version set version = 1",
  "insert into pagora.schema_version values (99, now())",
  "alter table pagora.posting add column x int",
  "alter table pagora.wallet drop constraint wallet_available_floor",
  "drop table pagora.posting",
  "create table pagora.x ()",
  "create or replace function pagora.is_at_work(mark xid) returns boolean language sql as 'select true'",
  "create schema other"
]

/** Fails unless each is refused for want of the right to do it. */
const allForbidden = `do $do$ declare statement text; begin
  foreach statement in array array[${forbidden.map((statement) => `$s$${statement}$s$`).join(", ")}] loop
    begin
      execute statement;
      raise exception 'this is allowed: %', statement;
    exception when insufficient_privilege then null;
    end;
  end loop;
end $do$`

/** Every kind of thing that writes: a paid charge, a refund, a payout, a sub-account, an idempotent request. */
const usedInEveryWay = async ({ api, operator, sandbox, ...deployment }: Deployment) => {
  const shop = await deployment.shop()
  const call = asShop(api, await tokenOf(api, shop))
  const ok = async <Body>(promise: Promise<HttpAnswer<Body>>) => {
    const { json, status, text } = await promise
    assert.oneOf(status, [200, 201], text)
    return json
  }
  const headers = { "idempotency-key": "once-and-again" }
  const charge = await ok(call("POST", "/pix", { body: { amount: 10 }, headers }))
  await ok(call("POST", "/pix", { body: { amount: 10 }, headers }))
  await ok(sandbox("POST", `/charges/${charge.id}/pay`))
  const payout = { amount: 4, pixKey: "loja@example.com", pixKeyType: "email" }
  const withdrawal = await ok(call("POST", "/withdrawals", { body: payout }))
  const settle = { body: { outcome: "completed" } }
  await ok(sandbox("POST", `/withdrawals/${withdrawal.id}/settle`, settle))
  await ok(call("POST", "/projects", { body: { name: "Loja" } }))
  const unpaid = await ok(call("POST", "/pix", { body: { amount: 1 } }))
  await ok(call("POST", `/pix/${unpaid.id}/cancel`))
  await eventually(async () => {
    const { text } = await operator("GET", `/accounts/${shop.accountId}/balances`)
    return text.includes('"amount":600') ? true : undefined
  })
  assert.include((await operator("GET", "/audit")).text, '"ok":true')
}

describe("pagora migrate", { timeout: 120_000 }, () => {
  it.concurrent("says what it would do, does it once, and then finds nothing to do", async (context) => {
    const { url } = await worldOf(context)
    const said = await migrated(url, "--dry-run", "--grant", "app")
    assert.include(said, `There is no schema pagora yet; this Pagora needs version ${needed}.`)
    assert.include(said, "To apply: 1 (tables)")
    assert.include(said, 'To run: grant usage on schema pagora to "app"')
    assert.include(said, "Nothing was changed.")
    // Two at once: one does it, the other one waits.
    const both = await Promise.all([migrated(url), migrated(url)])
    assert.lengthOf(
      both.filter((said) => said.includes(`went from version 0 to ${needed}.`)),
      1
    )
    assert.lengthOf(
      both.filter((said) => said.includes("Nothing to apply")),
      1
    )
    assert.include(
      await migrated(url, "--dry-run"),
      `The schema pagora is at version ${needed}; this Pagora needs ${needed}.`
    )
  })

  it.concurrent("and serve refuse a schema that is newer, and serve one that is missing or behind", async (context) => {
    const { refused, url } = await worldOf(context)
    const without = { PAGORA_MIGRATE: "false" }
    const missing = await refused(["serve"], without)
    assert.strictEqual(missing.code, 1)
    assert.strictEqual(
      missing.stderr.trim(),
      'pagora: There is no schema pagora yet: run "pagora migrate" first, as the owner of the schema.'
    )
    await migrated(url)
    await execute(url, "delete from pagora.schema_version where version > 2")
    assert.strictEqual(
      (await refused(["serve"], without)).stderr.trim(),
      `pagora: The schema pagora is at version 2 and this Pagora needs ${needed}: run "pagora migrate" first, as the owner of the schema.`
    )
    await execute(url, "insert into pagora.schema_version values (1000, now())")
    const newer = `pagora: The schema pagora is at version 1000 and this Pagora knows ${needed}: start the newer one.`
    assert.strictEqual(await sentenceOf(["migrate"], { DATABASE_URL: url }), newer)
    assert.strictEqual((await refused(["serve"])).stderr.trim(), newer)
  })

  it.concurrent("refuses a database over a network in plain text, as serve does", async () => {
    const said = await sentenceOf(["migrate"], {
      DATABASE_URL: "postgres://app:hunter2@db.invalid:5432/pagora"
    })
    assert.match(said, /DATABASE_URL goes over a network without TLS/)
    assert.notInclude(said, "hunter2")
  })

  it.concurrent("lets a role run the service that cannot change the schema or what is in the ledger", async (context) => {
    const { role, roleUrl, start, url } = await withRole(context)
    const none = await sentenceOf(["migrate", "--grant", "nobody"], { DATABASE_URL: url })
    assert.match(none, /There is no role nobody: create it first/)
    assert.include(await migrated(url, "--dry-run"), "There is no schema pagora yet")
    // What is granted once is granted again after each migration.
    for (let again = 0; again < 2; again++)
      assert.include(await migrated(url, "--grant", role), `The role ${role} may run the service`)
    const deployment = await start({ DATABASE_URL: roleUrl, PAGORA_MIGRATE: "false" })
    await usedInEveryWay(deployment)
    await execute(roleUrl, allForbidden)
    const { code, stderr } = await deployment.stop()
    assert.strictEqual(code, 0)
    assert.notMatch(stderr, /"level":"(ERROR|WARN)"/i)
  })

  it.concurrent("gives a role the settings of its sessions, so that it serves behind a pooler at once", async (context) => {
    const { role, roleUrl, start, url } = await withRole(context)
    const database = new URL(url).pathname.slice(1)
    await execute(
      url,
      `alter database ${database} set default_transaction_isolation = 'repeatable read'`
    )
    const alone = await sentenceOf(["migrate", "--pin-role"], { DATABASE_URL: url })
    assert.match(alone, /--pin-role needs --grant/)
    const pinned = ["--grant", role, "--pin-role"]
    const pin = `alter role "${role}" in database "${database}" set statement_timeout = '4000'`
    assert.include(await migrated(url, "--dry-run", ...pinned), `To run: ${pin}`)
    const times = { PAGORA_DB_LOCK_MILLIS: "2000" }
    const { code, stderr, stdout } = await launch(["migrate", ...pinned], {
      ...times,
      DATABASE_URL: url
    }).ended
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, `Sessions of the role ${role} have the settings that the service needs`)
    const pooler = await startTransactionPooler(roleUrl)
    context.onTestFinished(() => pooler.close())
    const deployment = await start({
      ...times,
      DATABASE_URL: pooler.url,
      PAGORA_DB_PREPARE: "false",
      PAGORA_MIGRATE: "false"
    })
    await usedInEveryWay(deployment)
    assert.strictEqual((await deployment.stop()).code, 0)
  })

  it("grants what the guide shows", () => {
    const guide = new URL("../../../docs/guides/run-in-production.md", import.meta.url)
    const text = readFileSync(guide, "utf8")
    for (const statement of DatabaseSchema.grants("pagora", "pagora_app"))
      assert.include(text, `${statement};`)
  })
})
