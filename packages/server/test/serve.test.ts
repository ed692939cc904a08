import { assert, describe, it } from "@effect/vitest"
import { verifyWebhook } from "@pagora/core/webhook"
import { eventually, startReceiver } from "@pagora/testkit"
import { execute } from "@pagora/testkit/postgres"
import { connect } from "node:net"
import type { Deployment, Shop } from "./ServeWorld.test-data.ts"
import {
  asShop,
  masterSecret,
  operatorKey,
  productionConfig,
  readiness,
  tokenOf,
  wireTo,
  worldOf
} from "./ServeWorld.test-data.ts"

const charged = async ({ api }: Deployment, shop: Shop): Promise<string> => {
  const call = asShop(api, await tokenOf(api, shop))
  const { json, status } = await call("POST", "/pix", { body: { amount: 10 } })
  assert.strictEqual(status, 201)
  return json.id
}

const paid = async (deployment: Deployment, shop: Shop): Promise<void> => {
  const id = await charged(deployment, shop)
  assert.strictEqual((await deployment.sandbox("POST", `/charges/${id}/pay`)).status, 200)
}

/** In centavos. */
const balanceOf = async ({ operator }: Deployment, { accountId }: Shop): Promise<number> =>
  (await operator("GET", `/accounts/${accountId}/balances`)).json.available?.amount

const auditIsClean = async ({ operator }: Deployment): Promise<void> => {
  const { text } = await operator("GET", "/audit")
  assert.deepInclude(JSON.parse(text), { ok: true, violations: [] })
}

const hooked = async ({ operator }: Deployment, shop: Shop, url: string): Promise<string> =>
  (await operator("POST", `/accounts/${shop.accountId}/webhook-endpoints`, { body: { url } })).json
    .secret

const endedWell = async (deployment: Deployment): Promise<void> => {
  const { code, signal, stderr } = await deployment.stop()
  assert.deepStrictEqual([code, signal], [0, null], stderr)
}

const isOpen = (url: string): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" })
    socket.once("connect", () => done(socket.destroy() !== undefined))
    socket.once("error", () => done(false))
  })

const allWell = { storage: "ok", schema: "ok", clock: "ok", psps: "ok", accepting: "ok" }

describe("pagora serve", { timeout: 120_000 }, () => {
  it.concurrent("takes a charge from its creation to a signed webhook, over a restart and a rotation of its secret", async (context) => {
    const world = await worldOf(context)
    const receiver = await startReceiver()
    context.onTestFinished(() => receiver.close())
    const first = await world.start()
    assert.strictEqual(first.facts.environment, "sandbox")
    const shop = await first.shop()
    const webhookSecret = await hooked(first, shop, receiver.url)
    const token = await tokenOf(first.api, shop)
    await paid(first, shop)
    await endedWell(first)

    // A secret that nobody told of the former one would answer every client 401, and send nothing.
    const wrong = { PAGORA_SECRET: "another-master-secret-of-this-deployment-which-nobody-guesses" }
    const said = await world.start(wrong).then(
      () => "started",
      (error: unknown) => String(error)
    )
    assert.include(said, "The secret is not the one that this database was last used with")
    const second = {
      PAGORA_SECRET: "the-second-master-secret-of-this-deployment-which-nobody-guesses"
    }
    const rotated = await world.start({
      ...second,
      PAGORA_FORMER_SECRETS: masterSecret,
      PAGORA_MIGRATE: "false"
    })
    // The token, the client secret and the webhook secret were all made under the former one.
    assert.strictEqual((await asShop(rotated.api, token)("GET", "/account")).status, 200)
    await paid(rotated, shop)
    const events = await eventually(() =>
      receiver.received.length >= 2 ? receiver.received : undefined
    )
    for (const { body, headers } of events) {
      const verified = await verifyWebhook({ body, headers, secret: webhookSecret })
      assert.strictEqual(verified.event, "payment_completed")
    }
    assert.strictEqual(await balanceOf(rotated, shop), 2000)
    await auditIsClean(rotated)
    await endedWell(rotated)
    // Without the former secret nothing opens that was made under it.
    const other = await world.start(second)
    const body = { client_id: shop.clientId, client_secret: shop.clientSecret }
    assert.strictEqual((await other.api("POST", "/auth", { body })).status, 401)
    const secrets = [masterSecret, operatorKey, shop.clientSecret, webhookSecret, token]
    for (const { output } of [first, rotated, other]) {
      const said = output().stdout + output().stderr
      for (const secret of secrets) assert.notInclude(said, secret)
    }
  })

  it.concurrent("shows the operator's API, the sandbox's and the probes on a listener of their own only", async (context) => {
    const world = await worldOf(context)
    const deployment = await world.start({ PAGORA_BASE_PATH: "/payments/v2" })
    const { baseUrl = "", operatorUrl } = deployment.facts
    assert.isTrue(baseUrl.endsWith("/payments/v2"))
    const statusOf = async (url: string) => (await fetch(url)).status
    assert.strictEqual(await statusOf(`${baseUrl}/account`), 401)
    const root = new URL(baseUrl).origin
    for (const path of ["/operator/v1/audit", "/sandbox/v1/faults", "/health/live", "/v2/account"])
      assert.strictEqual(await statusOf(`${root}${path}`), 404)
    assert.strictEqual(await statusOf(`${operatorUrl}/operator/v1/audit`), 401)
    assert.strictEqual(await statusOf(`${operatorUrl}/sandbox/v1/faults`), 401)
    assert.strictEqual(await statusOf(`${operatorUrl}/payments/v2/account`), 404)
    assert.deepStrictEqual(await readiness(deployment), { status: 200, checks: allWell })
    assert.strictEqual((await deployment.probe("HEAD", "/health/live")).status, 200)
    assert.strictEqual((await deployment.probe("POST", "/health/ready")).status, 405)
    assert.strictEqual((await deployment.probe("GET", "/health")).status, 404)
  })

  it.concurrent("in production has no sandbox, no operator's API without its key, and a database of its own", async (context) => {
    const world = await worldOf(context)
    const deployment = await world.start({
      PAGORA_CONFIG: productionConfig,
      PAGORA_OPERATOR_KEY: ""
    })
    assert.strictEqual(deployment.facts.environment, "production")
    for (const path of ["/sandbox/v1/faults", "/operator/v1/audit"])
      assert.strictEqual((await deployment.probe("GET", path)).status, 404)
    assert.strictEqual((await deployment.probe("GET", "/health/ready")).status, 200)
    for (const args of [["serve"], ["dev", "--json", "--port", "0", "--database", world.url]]) {
      const { code, stderr } = await world.refused(args)
      assert.strictEqual(code, 1)
      assert.match(stderr, /belongs to a production deployment and the PSP is a sandbox one/)
    }
    const keys = "select 1 from pagora.registry where kind = 'dev_keys'"
    const none = `do $$ begin if exists (${keys}) then raise 'it has keys of dev'; end if; end $$`
    await execute(world.url, none)
  })

  it.concurrent("may be split into processes that answer and processes that work", async (context) => {
    const world = await worldOf(context)
    const receiver = await startReceiver()
    context.onTestFinished(() => receiver.close())
    const [answering, working] = await Promise.all([
      world.start({ PAGORA_WORKERS: "false" }),
      world.start({ PAGORA_API: "false" })
    ])
    assert.isUndefined(working.facts.baseUrl)
    const shop = await answering.shop()
    await hooked(answering, shop, receiver.url)
    await paid(answering, shop)
    await eventually(() => (receiver.received.length > 0 ? true : undefined))
    assert.strictEqual(await balanceOf(working, shop), 1000)
    assert.strictEqual((await readiness(working)).status, 200)
    await auditIsClean(working)
  })
})

describe("a stop", { timeout: 120_000 }, () => {
  it.concurrent("is first told to load balancers, then answers what runs, and loses nothing", async (context) => {
    const world = await worldOf(context)
    const deployment = await world.start({ PAGORA_DRAIN_SECONDS: "4" })
    const { api, facts, sandbox } = deployment
    const shop = await deployment.shop()
    const call = asShop(api, await tokenOf(api, shop))
    const faults = [{ operation: "createCharge", kind: "delay", delaySeconds: 6, times: 1 }]
    await sandbox("PUT", "/faults", { body: { faults } })
    const slow = call("POST", "/pix", { body: { amount: 3, externalReference: "slow" } })
    await eventually(async () =>
      (await call("GET", "/transactions/slow")).status === 200 ? true : undefined
    )
    deployment.signal("SIGTERM")
    const { checks } = await eventually(async () => {
      const seen = await readiness(deployment)
      return seen.status === 503 ? seen : undefined
    })
    assert.deepStrictEqual(checks, {
      storage: "unknown",
      schema: "unknown",
      clock: "unknown",
      psps: "unknown",
      accepting: "failed"
    })
    // Whoever has not heard of it yet is served, and sent elsewhere for the next request.
    const late = await call("POST", "/pix", { body: { amount: 4 } })
    assert.deepStrictEqual([late.status, late.headers.connection], [201, "close"])
    assert.strictEqual((await deployment.probe("GET", "/health/live")).status, 200)
    await eventually(async () => ((await isOpen(facts.baseUrl ?? "")) ? undefined : true))
    const created = await slow
    assert.deepStrictEqual([created.status, created.json.status], [201, "pending"])
    const { code, signal, stderr } = await deployment.ended
    assert.deepStrictEqual([code, signal], [0, null], stderr)
    assert.notMatch(stderr, /"level":"(ERROR|FATAL)"/i)
  })
})

describe("the database", { timeout: 120_000 }, () => {
  it.concurrent("that is lost makes the service not ready, and ready again by itself", async (context) => {
    const world = await worldOf(context)
    const wire = await wireTo(world.url, context)
    const deployment = await world.start({ DATABASE_URL: wire.url })
    const shop = await deployment.shop()
    for (const state of ["away", "hung"] as const) {
      wire.set(state)
      const { checks } = await eventually(async () => {
        const seen = await readiness(deployment)
        return seen.status === 503 ? seen : undefined
      })
      assert.deepStrictEqual(checks, {
        storage: "failed",
        schema: "unknown",
        clock: "ok",
        psps: "ok",
        accepting: "ok"
      })
      assert.strictEqual((await deployment.probe("GET", "/health/live")).status, 200)
      wire.set("whole")
      await eventually(async () =>
        (await readiness(deployment)).status === 200 ? true : undefined
      )
    }
    await paid(deployment, shop)
    await auditIsClean(deployment)
  })
})
