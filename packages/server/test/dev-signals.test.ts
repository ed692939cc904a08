import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@pagora/testkit"
import type { RunningPagora } from "@pagora/testkit"
import { connect } from "node:net"
import type { TestContext } from "vitest"
import { startOnPostgreSQL } from "./OnPostgreSQL.test-data.ts"

const started = async ({ onTestFinished }: TestContext): Promise<RunningPagora> => {
  const { end, pagora } = await startOnPostgreSQL()
  onTestFinished(end)
  return pagora
}

/** A `POST /pix` that the PSP keeps waiting for two seconds; it is on its way when this answers. */
const inFlight = async ({
  api,
  facts,
  sandbox,
  shop
}: RunningPagora): Promise<{ readonly answer: Promise<Response> }> => {
  const faults = [{ operation: "createCharge", kind: "delay", delaySeconds: 2 }]
  await sandbox("PUT", "/faults", { body: { faults } })
  const { json } = await api("POST", "/auth", {
    body: { client_id: facts.clientId, client_secret: facts.clientSecret }
  })
  const answer = fetch(`${facts.baseUrl}/pix`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${json.access_token}`,
      "content-type": "application/json"
    },
    body: JSON.stringify({ amount: 1, externalReference: "on its way" })
  })
  await eventually(async () => {
    const found = await shop("GET", "/transactions/on%20its%20way")
    return found.status === 200 ? true : undefined
  })
  return { answer }
}

/** Whether somebody still listens. */
const isOpen = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect({ port, host: "127.0.0.1" })
    socket.once("connect", () => {
      socket.destroy()
      done(true)
    })
    socket.once("error", () => done(false))
  })

describe("a stop", { timeout: 60_000 }, () => {
  it.concurrent.for(["SIGTERM", "SIGINT"] as const)(
    "by %s ends an idle server at once, with code 0",
    async (name, context) => {
      const pagora = await started(context)
      // Its connection is kept alive, which holds nothing up.
      await (await fetch(`${pagora.facts.baseUrl}/account`)).text()
      const before = performance.now()
      pagora.signal(name)
      const end = await pagora.ended
      assert.deepStrictEqual([end.code, end.signal], [0, null])
      assert.isBelow(performance.now() - before, 5_000)
      assert.isFalse(await isOpen(pagora.port))
    }
  )

  it.concurrent("answers the request that is on its way, takes no new ones, and ends with code 0", async (context) => {
    const pagora = await started(context)
    const { answer } = await inFlight(pagora)
    pagora.signal("SIGTERM")
    await eventually(async () => ((await isOpen(pagora.port)) ? undefined : true))
    const created = await answer
    assert.strictEqual(created.status, 201)
    assert.deepInclude(await created.json(), { status: "pending", amount: 1 })
    const before = performance.now()
    const end = await pagora.ended
    // The connection would be kept alive for five seconds: that holds nothing up.
    assert.isBelow(performance.now() - before, 3_000)
    assert.deepStrictEqual([end.code, end.signal], [0, null])
  })

  it.concurrent("that is asked for again while it is under way goes on as it was", async (context) => {
    const pagora = await started(context)
    const { answer } = await inFlight(pagora)
    for (let again = 0; again < 4; again++) {
      pagora.signal(again % 2 === 0 ? "SIGTERM" : "SIGINT")
      await eventually(async () => ((await isOpen(pagora.port)) ? undefined : true))
    }
    assert.strictEqual((await answer).status, 201)
    const end = await pagora.ended
    assert.deepStrictEqual([end.code, end.signal], [0, null])
    assert.notMatch(end.stderr, /"level":"(ERROR|FATAL)"/i)
  })
})
