import { assert, describe, it } from "@effect/vitest"
import { eventually, launchPagora, shopOf, startPagora, startReceiver } from "@pagora/testkit"
import type { Receiver, RunningPagora } from "@pagora/testkit"
import { freshDatabase } from "@pagora/testkit/postgres"
import { execFile, spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { TestContext } from "vitest"
import { answered } from "./Answered.test-data.ts"

/** What a test needs of the world, and leaves tidy behind it. */
const worldOf = ({ onTestFinished }: TestContext) => ({
  started: async (...args: ReadonlyArray<string>): Promise<RunningPagora> => {
    const pagora = await startPagora(args)
    onTestFinished(async () => void (await pagora.kill()))
    return pagora
  },
  receiver: async (): Promise<Receiver> => {
    const running = await startReceiver()
    onTestFinished(running.close)
    return running
  },
  directory: (): string => {
    const path = mkdtempSync(join(tmpdir(), "pagora-dev-"))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return path
  },
  database: async (): Promise<string> => {
    const fresh = await freshDatabase()
    onTestFinished(fresh.drop)
    return fresh.url
  }
})

type World = ReturnType<typeof worldOf>

const hooked = async ({ facts, operator }: RunningPagora, url: string): Promise<string> => {
  const path = `/accounts/${facts.accountId}/webhook-endpoints` as const
  return answered(await operator("POST", path, { body: { url } }), 201).secret
}

const assertSigned = (webhook: Receiver["received"][number], secret: string) => {
  const mac = createHmac("sha256", secret).update(webhook.body).digest("hex")
  assert.strictEqual(webhook.headers["x-service-signature"], `sha256=${mac}`)
  assert.strictEqual(webhook.method, "POST")
  assert.strictEqual(webhook.headers["content-type"], "application/json")
  assert.strictEqual(webhook.headers["user-agent"], "Service-Webhook/1.0")
  assert.isBelow(Math.abs(Number(webhook.headers["x-service-timestamp"]) - Date.now()), 60_000)
}

const available = async (pagora: RunningPagora): Promise<number> => {
  const account = answered(await pagora.shop("GET", "/account"), 200)
  return account.balance?.available?.amount
}

const assertAudited = async (pagora: RunningPagora) => {
  const proof = answered(await pagora.operator("GET", "/audit"), 200)
  assert.strictEqual(proof.ok, true, JSON.stringify(proof))
  assert.deepStrictEqual(proof.violations, [])
}

const hasCurl = spawnSync("curl", ["--version"]).status === 0
const withCurl = hasCurl ? it.concurrent : it.concurrent.skip // The page for people calls curl.

describe("pagora dev", { timeout: 180_000 }, () => {
  it.concurrent("prints its facts as one line of JSON, and takes a charge from its creation to a signed webhook", async (context) => {
    const { receiver, started } = worldOf(context)
    const pagora = await started()
    const { facts, operator, sandbox, shop } = pagora
    assert.deepStrictEqual(Object.keys(facts), [
      "baseUrl",
      "operatorUrl",
      "operatorKey",
      "sandboxUrl",
      "accountId",
      "clientId",
      "clientSecret"
    ])
    const url = `http://127.0.0.1:${pagora.port}`
    assert.strictEqual(facts.baseUrl, `${url}/v2`)
    assert.strictEqual(facts.operatorUrl, `${url}/operator/v1`)
    assert.strictEqual(facts.sandboxUrl, `${url}/sandbox/v1`)
    // The demo credential may do everything, sub-accounts included.
    const asMain = { headers: { "x-sub-account": "principal" } }
    answered(await shop("GET", "/account", asMain), 200)

    const hook = await receiver()
    const fees = { payment: { fixed: 0.5, percent: 1 } }
    answered(await operator("PATCH", `/accounts/${facts.accountId}`, { body: { fees } }), 200)
    const secret = await hooked(pagora, hook.url)
    const body = { amount: 100, externalReference: "pedido-1", metadata: { pedido: 1 } }
    const charge = answered(await shop("POST", "/pix", { body }), 201)
    assert.strictEqual(charge.status, "pending")

    answered(await sandbox("POST", `/charges/${charge.id}/pay`, { body: {} }), 200)
    const webhook = await eventually(() => hook.received[0])
    assertSigned(webhook, secret)
    assert.strictEqual(webhook.headers["x-service-event"], "payment_completed")
    assert.strictEqual(webhook.json.eventId, charge.id)
    assert.strictEqual(webhook.json.data?.feeAmount, 1.5)
    assert.strictEqual(webhook.json.data?.netAmount, 98.5)
    assert.strictEqual(webhook.json.data?.environment, "sandbox")

    assert.strictEqual(await available(pagora), 9_850)
    const found = answered(await shop("GET", "/transactions/pedido-1"), 200)
    assert.strictEqual(found.status, "completed")
    await assertAudited(pagora)
    assert.strictEqual(hook.received.length, 1)
    // Standard output belongs to the facts, whatever happened since.
    assert.strictEqual(pagora.output().stdout, `${JSON.stringify(facts)}\n`)
  })

  it.concurrent("lets business time pass, charges expire, the PSP go wrong, and webhooks be repeated", async (context) => {
    const { database, receiver, started } = worldOf(context)
    const pagora = await started("--database", await database())
    const hook = await receiver()
    const { sandbox, shop } = pagora
    const secret = await hooked(pagora, hook.url)

    const brief = answered(await shop("POST", "/pix", { body: { amount: 1, expiresIn: 60 } }), 201)
    const moved = answered(await sandbox("POST", "/clock/advance", { body: { seconds: 60 } }), 200)
    assert.isAtLeast(Date.parse(moved.now), Date.parse(brief.expiresAt))
    // What became due has been worked off when it answers.
    const ended = answered(await shop("GET", `/transactions/${brief.id}`), 200)
    assert.strictEqual(ended.status, "cancelled")

    const long = answered(await shop("POST", "/pix", { body: { amount: 1 } }), 201)
    const expired = answered(await sandbox("POST", `/charges/${long.id}/expire`), 200)
    assert.strictEqual(expired.status, "cancelled")
    await eventually(() => (hook.received.length === 2 ? true : undefined))
    assert.deepStrictEqual(
      hook.received.map(({ json }) => json.eventId).toSorted(),
      [brief, long].map(({ id }) => `payment_expired_${id}`).toSorted()
    )

    const faults = [{ operation: "createCharge", kind: "dropAnswer", times: 1 }]
    const set = answered(await sandbox("PUT", "/faults", { body: { faults } }), 200)
    assert.deepStrictEqual<unknown>(set.faults, faults)
    answered(await shop("POST", "/pix", { body: { amount: 1 } }), 500)
    const left = answered(await sandbox("GET", "/faults"), 200)
    assert.deepStrictEqual<unknown>(left.faults, [{ ...faults[0], times: 0 }])

    hook.status = 503
    const charge = answered(await shop("POST", "/pix", { body: { amount: 5 } }), 201)
    answered(await sandbox("POST", `/charges/${charge.id}/pay`), 200)
    await eventually(() => hook.received[2])
    hook.status = 200
    answered(await sandbox("POST", "/clock/advance", { body: { seconds: 3 } }), 200)
    const repeated = await eventually(() => hook.received[3])
    assertSigned(repeated, secret)
    assert.strictEqual(repeated.body, hook.received[2]?.body)
    const { "x-service-webhook-id": id } = repeated.headers
    assert.strictEqual(id, hook.received[2]?.headers["x-service-webhook-id"])
    await assertAudited(pagora)
  })

  withCurl(
    "prints a page for people without --json, whose curl creates a charge (needs curl)",
    async (context) => {
      const { database } = worldOf(context)
      const page = launchPagora(["dev", "--port", "0", "--database", await database()])
      context.onTestFinished(() => page.signal("SIGKILL"))
      const text = await eventually(() => {
        const { stdout } = page.output()
        return stdout.includes("Ctrl-C") ? stdout : undefined
      }, 60_000)
      const curls = text.slice(text.indexOf("TOKEN="), text.indexOf("Operate it"))
      const { stdout } = await promisify(execFile)("sh", ["-c", curls])
      assert.deepInclude(JSON.parse(stdout), { status: "pending", amount: 10, currency: "BRL" })
      page.signal("SIGINT")
      assert.strictEqual((await page.ended).code, 0)
    }
  )
})

/** Keys lie in files that only their owner may read. */
const assertPrivate = (data: string, operatorKey: string) => {
  for (const name of ["secret", "operator-key"]) {
    assert.strictEqual(statSync(join(data, name)).mode & 0o777, 0o600, name)
  }
  assert.strictEqual(statSync(data).mode & 0o777, 0o700)
  assert.strictEqual(readFileSync(join(data, "operator-key"), "utf8"), operatorKey)
}

describe("pagora dev, started again", { timeout: 180_000 }, () => {
  it.concurrent.for(["secret", "operator-key"])(
    "after it was killed in the middle of its first %s, makes it whole",
    async (name, context) => {
      const { directory, started } = worldOf(context)
      const data = directory()
      const killed = launchPagora(["dev", "--json", "--port", "0", "--data", data], {
        NODE_OPTIONS: `--import ${new URL("dies-writing.mjs", import.meta.url).href}`,
        DIES_WRITING: name
      })
      const end = await killed.ended
      assert.strictEqual(end.signal, "SIGKILL", end.stderr)
      const { facts } = await started("--data", data)
      assertPrivate(data, facts.operatorKey)
      assert.match(facts.operatorKey, /^opk_[\w-]{43}$/)
      assert.match(readFileSync(join(data, "secret"), "utf8"), /^[\w-]{43}$/)
    }
  )

  /** A data directory is made by the first start, with those above it. */
  const places = [
    ["--data", ({ directory }: World) => Promise.resolve(join(directory(), "not", "yet", "there"))],
    ["--database", ({ database }: World) => database()]
  ] as const

  it.concurrent.for(places)(
    "on the same %s goes on where it was",
    async ([flag, place], context) => {
      const { receiver, started, ...world } = worldOf(context)
      const args = [flag, await place({ receiver, started, ...world })] as const
      const hook = await receiver()
      const first = await started(...args)
      const secret = await hooked(first, hook.url)
      const body = { amount: 10, externalReference: "antes" }
      const charge = answered(await first.shop("POST", "/pix", { body }), 201)
      answered(await first.sandbox("POST", "/clock/advance", { body: { seconds: 3_600 } }), 200)
      const end = await first.stop()
      assert.deepStrictEqual([end.code, end.signal], [0, null])
      if (args[0] === "--data") assertPrivate(args[1], first.facts.operatorKey)

      const second = await started(...args)
      assert.strictEqual(second.facts.operatorKey, first.facts.operatorKey)
      assert.strictEqual(second.facts.accountId, first.facts.accountId)
      assert.notStrictEqual(second.facts.clientId, first.facts.clientId)
      // The credential of the first start is still good, and so is its token's key.
      answered(await shopOf(second, first.facts)("GET", "/account"), 200)
      // The business clock goes on from where it was.
      const { now } = answered(
        await second.sandbox("POST", "/clock/advance", { body: { seconds: 0 } }),
        200
      )
      assert.isAbove(Date.parse(now) - Date.now(), 3_590_000)

      answered(await second.sandbox("POST", `/charges/${charge.id}/pay`), 200)
      assertSigned(await eventually(() => hook.received[0]), secret)
      assert.strictEqual(await available(second), 1_000)
      const found = answered(await second.shop("GET", "/transactions/antes"), 200)
      assert.strictEqual(found.status, "completed")
      await assertAudited(second)
    }
  )

  it.concurrent("two at once on one --database share accounts, keys and work", async (context) => {
    const { database, started } = worldOf(context)
    const url = await database()
    const [one, two] = await Promise.all([started("--database", url), started("--database", url)])
    assert.strictEqual(one.facts.operatorKey, two.facts.operatorKey)
    assert.strictEqual(one.facts.accountId, two.facts.accountId)
    const charges = await Promise.all(
      Array.from({ length: 10 }, async (_, index) =>
        answered(
          await (index % 2 === 0 ? one : two).shop("POST", "/pix", { body: { amount: 1 } }),
          201
        )
      )
    )
    await Promise.all(
      charges.map(async ({ id }, index) =>
        answered(await (index % 2 === 0 ? two : one).sandbox("POST", `/charges/${id}/pay`), 200)
      )
    )
    assert.strictEqual(await available(one), 1_000)
    assert.strictEqual(await available(two), 1_000)
    await assertAudited(one)
  })
})
