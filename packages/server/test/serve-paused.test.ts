import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@pagora/testkit"
import { execute, rowsOf } from "@pagora/testkit/postgres"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { TestContext } from "vitest"
import { asShop, readiness, tokenOf, worldOf } from "./ServeWorld.test-data.ts"
import type { Deployment, Env } from "./ServeWorld.test-data.ts"

/** A process under the clocks of a machine of its own. */
const onMachine = (kind: "keeps time" | "suspends"): Env => ({
  NODE_OPTIONS: `--import ${new URL("machine-clocks.mjs", import.meta.url).href}`,
  PAGORA_TEST_MACHINE: kind
})

/** The value of a metric, the sum of its series with these labels. */
const metric = async (deployment: Deployment, name: string, labels = ""): Promise<number> =>
  (await deployment.probe("GET", "/metrics")).text
    .split("\n")
    .filter((line) => line.startsWith(name) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)

const skewOf = (deployment: Deployment): Promise<number> =>
  metric(deployment, "pagora_clock_skew_seconds")

/** How many payouts it told the PSP of. */
const toldBy = (deployment: Deployment): Promise<number> =>
  metric(deployment, "pagora_psp_call_duration_seconds_count", '"sendPayout"')

const isReady = (deployment: Deployment): Promise<true> =>
  eventually(async () => (await readiness(deployment)).status === 200 || undefined)

interface Sent {
  readonly id: string
  readonly body: string
}

/** A receiver that leaves its first request without an answer until it is let go. */
const startSlowReceiver = async ({ onTestFinished }: TestContext) => {
  const received: Array<Sent> = []
  let letGo: () => void = () => {}
  const gate = new Promise<void>((done) => (letGo = done))
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      received.push({ id: String(request.headers["webhook-id"]), body })
      const answer = () => response.writeHead(200).end()
      if (received.length > 1) answer()
      else void gate.then(answer)
    })
  })
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, received, letGo }
}

/** Holds the row of every wallet until it is let go. */
const holdWallets = async (url: string) => {
  const held = execute(
    url,
    "begin; select 1 from pagora.wallet for update; select pg_sleep(60)"
  ).catch(() => undefined)
  const others =
    "from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()"
  const isSeen = (what: string) =>
    eventually(
      async () => (await rowsOf(url, `select 1 ${others} and ${what}`)).length > 0 || undefined
    )
  await isSeen("wait_event = 'PgSleep'")
  return {
    isWaitedFor: () => isSeen("wait_event_type = 'Lock'"),
    letGo: async () => {
      await execute(url, `select pg_terminate_backend(pid) ${others} and wait_event = 'PgSleep'`)
      await held
    }
  }
}

const payouts = "select 1 from pagora.operation where kind = 'sandbox_payout'"
/** As when a minute has gone by. */
const leasesEnd =
  "update pagora.job set leased_until = clock_timestamp() where leased_until is not null"

/** Longer than what is known of the storage's clock is good for, and than the bound of a skew. */
const pauseMillis = 6_500

const body = { amount: 10, pixKey: "ana@example.com", pixKeyType: "email" }

/** A shop with money whose events go there, and its calls by each process. */
const aShop = async (deployment: Deployment, hook: string) => {
  const { accountId, ...pair } = await deployment.shop()
  const path = `/accounts/${accountId}` as const
  await deployment.operator("POST", `${path}/adjustments`, {
    body: { amount: 100, reason: "funds" }
  })
  await deployment.operator("POST", `${path}/webhook-endpoints`, { body: { url: hook } })
  const token = await tokenOf(deployment.api, pair)
  return { path, by: ({ api }: Deployment) => asShop(api, token) }
}

const queuedOf = async ({ operator }: Deployment, path: string): Promise<number> =>
  ((await operator("GET", `${path}/deliveries?status=queued`)).json["data"] as unknown as []).length

/** An event may come twice; then it is the same delivery, with the same bytes. */
const onceEach = (received: ReadonlyArray<Sent>): ReadonlyArray<string> => {
  const bodies = new Map<string, string>()
  for (const { body: text, id } of received) {
    assert.strictEqual(text, bodies.get(id) ?? text)
    bodies.set(id, text)
  }
  return [...bodies.values()].map((text) => (JSON.parse(text) as { event: string }).event)
}

describe(
  "a process whose machine stands still in the middle of its work while another takes it over",
  {
    timeout: 60_000
  },
  () => {
    it("does nothing twice when it goes on, and knows the time again", async (context) => {
      const world = await worldOf(context)
      const receiver = await startSlowReceiver(context)
      const stopped = await world.start({
        ...onMachine("suspends"),
        PAGORA_DB_LOCK_MILLIS: "15000",
        PAGORA_DB_STATEMENT_SECONDS: "20",
        PAGORA_DB_ANSWER_SECONDS: "25"
      })
      const shop = await aShop(stopped, receiver.url)
      const call = shop.by(stopped)

      // A payout that was told and is not answered, a delivery that is not answered, and a write that is not done.
      const faults = [{ operation: "sendPayout", kind: "delay", delaySeconds: 8, times: 1 }]
      await stopped.sandbox("PUT", "/faults", { body: { faults } })
      const first = await call("POST", "/withdrawals", { body })
      const charge = await call("POST", "/pix", { body: { amount: 10 } })
      await stopped.sandbox("POST", `/charges/${charge.json.id}/pay`)
      await eventually(() => receiver.received.length > 0 || undefined)
      await eventually(async () => (await rowsOf(world.url, payouts)).length === 1 || undefined)
      const wallets = await holdWallets(world.url)
      const keyed = { body, headers: { "idempotency-key": "pay-once-0001" } }
      const writing = call("POST", "/withdrawals", keyed)
      await wallets.isWaitedFor()
      stopped.signal("SIGSTOP")
      const pause = sleep(pauseMillis)
      await wallets.letGo()

      const other = await world.start()
      await execute(world.url, leasesEnd)
      const second = await shop.by(other)("POST", "/withdrawals", keyed)
      assert.strictEqual(second.status, 201)
      const settle = `/withdrawals/${first.json.id}/settle` as const
      const ended = await other.sandbox("POST", settle, { body: { outcome: "completed" } })
      assert.deepStrictEqual([ended.status, ended.json.status], [200, "completed"])
      await eventually(async () => (await rowsOf(world.url, payouts)).length === 2 || undefined)
      await eventually(() => receiver.received.length > 1 || undefined)
      await pause
      stopped.signal("SIGCONT")
      receiver.letGo()

      assert.strictEqual((await writing).text, second.text)
      await isReady(stopped)
      assert.isBelow(Math.abs(await skewOf(stopped)), 1)
      // What it tells the time by is right again, too.
      const nowhere = (await stopped.api("GET", "/nowhere")).json.timestamp
      assert.isBelow(Math.abs(Date.parse(String(nowhere)) - Date.now()), 1_000)
      await eventually(async () => (await queuedOf(stopped, shop.path)) === 0 || undefined)
      assert.deepStrictEqual(onceEach(receiver.received).toSorted(), [
        "payment_completed",
        "withdrawal_completed"
      ])
      // Its own answer came, late, to a withdrawal that is another's by now.
      await eventually(async () => (await toldBy(stopped)) === 1 || undefined)
      assert.strictEqual(await toldBy(other), 1)
      const seen = await call("GET", `/transactions/${first.json.id}`)
      assert.strictEqual(seen.json.status, "completed")
      const { balance } = (await call("GET", "/account")).json
      assert.deepStrictEqual(
        [balance?.available?.amount, balance?.held?.amount].map(Number),
        [9_000, 1_000]
      )
      assert.deepInclude(JSON.parse((await other.operator("GET", "/audit")).text), {
        ok: true,
        violations: []
      })
      assert.strictEqual((await stopped.stop()).code, 0)
    })
  }
)

describe("a process whose machine's clock is set wrong", { timeout: 60_000 }, () => {
  it("is not ready and says why, its metric tells by how much, and both are over with it", async (context) => {
    const world = await worldOf(context)
    const deployment = await world.start(onMachine("keeps time"))
    await isReady(deployment)
    assert.isBelow(Math.abs(await skewOf(deployment)), 1)
    deployment.signal("SIGUSR2")
    const { json } = await eventually(async () => {
      const answer = await deployment.probe("GET", "/health/ready")
      return answer.status === 503 ? answer : undefined
    })
    assert.strictEqual(String(json["checks"]?.["clock"]), "failed")
    assert.include(JSON.stringify(json["reasons"]), "is 600 s ahead of the storage's: set it right")
    await eventually(async () => Math.abs((await skewOf(deployment)) - 600) < 1 || undefined)
    // It serves all the same.
    assert.strictEqual((await deployment.api("GET", "/account")).status, 401)
    deployment.signal("SIGUSR2")
    await isReady(deployment)
    await eventually(async () => Math.abs(await skewOf(deployment)) < 1 || undefined)
    const lines = deployment
      .output()
      .stderr.split("\n")
      .filter((line) => line.includes("The clock of this machine is"))
    assert.deepStrictEqual(
      lines.map((line) => (JSON.parse(line) as { readonly level: string }).level),
      ["ERROR", "WARN"]
    )
  })
})
