import { assert, describe, it } from "@effect/vitest"
import { eventually, startPagora, startReceiver } from "@pagora/testkit"
import type { HttpAnswer, Receiver, RunningPagora } from "@pagora/testkit"
import { freshDatabase } from "@pagora/testkit/postgres"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { TestContext } from "vitest"

/** What clients were told. */
interface Told {
  /** Charges whose creation was answered, and whether their payment was, too. */
  readonly charges: Map<string, { isPaid: boolean }>
  requests: number
}

const clients = 4
/** Leases of a process that was killed end after a minute. */
const leaseMillis = 60_000
const seed = 20_261_121

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
const chance = (state: number) => () => {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

const withLog = (pagora: RunningPagora, { text }: HttpAnswer<unknown>): string =>
  `${text}\n${pagora.output().stderr.slice(-5_000)}`

/** Creates charges and pays them, one after the other, until the server is gone. */
const client = async (pagora: RunningPagora, told: Told): Promise<void> => {
  const { clientId, clientSecret } = pagora.facts
  try {
    const body = { client_id: clientId, client_secret: clientSecret }
    const { json } = await pagora.api("POST", "/auth", { body })
    const headers = { authorization: `Bearer ${json.access_token}` }
    for (;;) {
      told.requests++
      const created = await pagora.api("POST", "/pix", { headers, body: { amount: 1 } })
      assert.strictEqual(created.status, 201, withLog(pagora, created))
      const id = created.json.id
      told.charges.set(id, { isPaid: false })
      told.requests++
      const paid = await pagora.sandbox("POST", `/charges/${id}/pay`)
      assert.strictEqual(paid.status, 200, withLog(pagora, paid))
      told.charges.set(id, { isPaid: true })
    }
  } catch (error) {
    // A connection that breaks is what this is about; anything else is a failure.
    const isBroken =
      error instanceof Error && "code" in error && /^E[A-Z]+$/.test(String(error.code))
    if (!isBroken) throw error
  }
}

/** Kills it after so many requests, and a moment of chance within the next ones. */
const killWhileBusy = async (
  args: ReadonlyArray<string>,
  told: Told,
  after: { readonly requests: number; readonly millis: number }
) => {
  const pagora = await startPagora(args)
  const until = told.requests + after.requests
  const load = Array.from({ length: clients }, () => client(pagora, told))
  await eventually(() => (told.requests >= until ? true : undefined))
  await sleep(after.millis)
  const { signal } = await pagora.kill()
  await Promise.all(load)
  return signal
}

const eventsIn = ({ received }: Receiver): ReadonlyMap<string, string> => {
  const bodies = new Map<string, string>()
  for (const { body, json } of received) {
    const id = json.eventId
    assert.strictEqual(body, bodies.get(id) ?? body, "one event has two bodies")
    bodies.set(id, body)
  }
  return bodies
}

const transactionOf = async (pagora: RunningPagora, id: string) => {
  const answer = await pagora.shop("GET", `/transactions/${id}`)
  assert.strictEqual(answer.status, 200, `the charge ${id} is lost: ${answer.text}`)
  return answer.json
}

/** Everything that was paid is credited and told of. */
const comesToRest = async (pagora: RunningPagora, told: Told, hook: Receiver) => {
  for (const [id, { isPaid }] of told.charges) {
    if (!isPaid) continue
    await eventually(async () => {
      const { status } = await transactionOf(pagora, id)
      return status === "completed" ? true : undefined
    }, leaseMillis + 20_000)
  }
  // Intents without an answer are given up, charges that nobody paid expire.
  for (const seconds of [120, 86_400]) {
    const moved = await pagora.sandbox("POST", "/clock/advance", { body: { seconds } })
    assert.strictEqual(moved.status, 200, moved.text)
  }
  await eventually(async () => {
    await sleep(200)
    const path = `/accounts/${pagora.facts.accountId}/deliveries?status=queued`
    const { json } = await pagora.operator("GET", path)
    return (json["data"] as unknown as ReadonlyArray<unknown>).length === 0 ? true : undefined
  }, leaseMillis + 20_000)
  return eventsIn(hook)
}

const verify = async (pagora: RunningPagora, told: Told, events: ReadonlyMap<string, string>) => {
  let completed = 0
  for (const [id, { isPaid }] of told.charges) {
    const status = (await transactionOf(pagora, id)).status
    // A payment that was not answered may have been made or not; but all of it, or nothing.
    if (isPaid) assert.strictEqual(status, "completed", `the paid charge ${id}`)
    else assert.include(["completed", "cancelled"], status, `the charge ${id}`)
    if (status === "completed") completed++
    assert.strictEqual(events.has(id), status === "completed", `payment_completed of ${id}`)
    const isExpired = events.has(`payment_expired_${id}`)
    assert.strictEqual(isExpired, status === "cancelled", `payment_expired of ${id}`)
  }
  const { balance } = (await pagora.shop("GET", "/account")).json
  assert.strictEqual(balance?.available?.amount, completed * 100)
  assert.strictEqual(balance?.total?.amount, completed * 100)
  // A charge whose answer was lost is nobody's: it can only have expired.
  for (const id of events.keys()) {
    const charge = id.replace("payment_expired_", "")
    assert.isTrue(told.charges.has(charge) || charge !== id, `an event of nobody's charge: ${id}`)
  }
  const proof = (await pagora.operator("GET", "/audit")).json
  assert.strictEqual(proof.ok, true, JSON.stringify(proof))
  assert.strictEqual(proof.entries, completed * 2)
  return completed
}

/** Kills the server at random moments of a load, and looks at what is left. */
const survives = async (
  args: ReadonlyArray<string>,
  kills: number,
  onTestFinished: TestContext["onTestFinished"]
) => {
  const told: Told = { charges: new Map(), requests: 0 }
  const random = chance(seed)
  const hook = await startReceiver()
  onTestFinished(hook.close)
  const first = await startPagora(args)
  const hooks = `/accounts/${first.facts.accountId}/webhook-endpoints`
  assert.strictEqual((await first.operator("POST", hooks, { body: { url: hook.url } })).status, 201)
  assert.strictEqual((await first.stop()).code, 0)

  for (let kill = 0; kill < kills; kill++) {
    const requests = 2 * clients + Math.floor(random() * 60)
    const signal = await killWhileBusy(args, told, { requests, millis: random() * 30 })
    assert.strictEqual(signal, "SIGKILL")
  }
  const last = await startPagora(args)
  onTestFinished(async () => void (await last.kill()))
  const completed = await verify(last, told, await comesToRest(last, told, hook))
  assert.isAtLeast(completed, kills)
  assert.strictEqual((await last.stop()).code, 0)
}

describe("a server that is killed in the middle of its work", { timeout: 240_000 }, () => {
  it.concurrent("loses nothing and does nothing twice, on PostgreSQL", async ({
    onTestFinished
  }) => {
    const database = await freshDatabase()
    onTestFinished(database.drop)
    await survives(["--database", database.url], 5, onTestFinished)
  })

  it.concurrent("loses nothing and does nothing twice, on a data directory", async ({
    onTestFinished
  }) => {
    const data = mkdtempSync(join(tmpdir(), "pagora-killed-"))
    onTestFinished(() => rmSync(data, { recursive: true, force: true }))
    await survives(["--data", data], 3, onTestFinished)
  })
})
