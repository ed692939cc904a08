import { assert, describe, it } from "@effect/vitest"
import type { TenantAnswers } from "@pagora/core"
import { calling, eventually } from "@pagora/testkit"
import { freshDatabase, startFaultyProxy } from "@pagora/testkit/postgres"
import { factsIn, launch, serveEnv } from "./ServeWorld.test-data.ts"

const waits = "PostgreSQL is not there yet"

describe("pagora serve and a database that is away", { timeout: 180_000 }, () => {
  it("waits for it at the start and says so once; later answers 503, and goes on", async ({
    onTestFinished
  }) => {
    const database = await freshDatabase()
    const proxy = await startFaultyProxy(database.url)
    proxy.setAway(true)
    const { ended, output, signal } = launch(["serve", "--migrate"], {
      ...serveEnv,
      DATABASE_URL: proxy.url,
      PAGORA_DB_START_SECONDS: "120"
    })
    onTestFinished(async () => {
      signal("SIGTERM")
      await ended
      await proxy.close()
      await database.drop()
    })
    await eventually(() => output().stderr.includes(waits) || undefined, 90_000)
    // It goes on trying without another word.
    const tried = proxy.connections()
    await eventually(() => proxy.connections() >= tried + 3 || undefined, 60_000)
    proxy.setAway(false)
    const facts = await eventually(() => factsIn(output().stderr), 90_000)
    assert.lengthOf(output().stderr.split(waits), 2)
    const api = calling<TenantAnswers>(String(facts.baseUrl))
    const probe = calling(facts.operatorUrl)
    const body = { client_id: "01a20290-be65-7000-9823-404112365bdc", client_secret: "nobody" }
    assert.strictEqual((await api("POST", "/auth", { body })).status, 401)

    proxy.blackHole("lost")
    const begun = performance.now()
    const [refused, ready] = await Promise.all([
      api("POST", "/auth", { body }),
      probe("GET", "/health/ready")
    ])
    assert.isBelow(performance.now() - begun, 15_000)
    assert.deepStrictEqual([refused.status, ready.status], [503, 503])
    assert.strictEqual(refused.headers["retry-after"], "1")
    proxy.heal()
    await eventually(async () => {
      const { status } = await api("POST", "/auth", { body })
      return status === 401 || undefined
    }, 60_000)
  })
})
