import { assert, it } from "@effect/vitest"
import type { LogEntry, PagoraInstance } from "@pagora/core"
import { Pagora } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { eventually } from "@pagora/testkit"
import { execute, freshDatabase } from "@pagora/testkit/postgres"
import type { TestContext } from "vitest"
import { aurora } from "../src/aurora/Aurora.ts"
import { keys, startBank } from "./AuroraBank.test-data.ts"

// What docs/guides/back-up-and-restore.md says of an older point: the database has forgotten, the bank has not.

const auroraId = "6f1d7e0a-53f0-4c1e-9f0b-0f8a1c9d2e47"
const key = { pixKey: "ana@example.com", pixKeyType: "email" } as const
const referenceOf = (id: string) => id.replaceAll("-", "")

/** A bank that outlives the service, and processes of the service on databases that are gone after the test. */
const worldOf = async ({ onTestFinished }: TestContext) => {
  const bank = await startBank()
  const database = await freshDatabase()
  const server = new URL(database.url)
  const name = server.pathname.slice(1)
  server.pathname = "/postgres"
  let running: PagoraInstance | undefined
  const logged: Array<LogEntry> = []
  onTestFinished(async () => {
    await running?.stop()
    await execute(server.href, `drop database if exists ${name}_copy with (force)`)
    await database.drop()
    await bank.stop()
  })

  /** The bank's notifications go to the process that runs. */
  const tell = async ({ body, headers }: (typeof bank.notifications)[number]) => {
    const url = `http://localhost/psp/${auroraId}/webhook`
    const request = new Request(url, { method: "POST", headers, body: new Uint8Array(body) })
    const answer = await running?.fetch(request)
    assert.strictEqual(answer?.status, 200)
  }

  return {
    bank,
    logged,
    tell,
    start: async (url: string, workers: boolean): Promise<PagoraInstance> => {
      await running?.stop()
      const settings = { url: bank.url, ...keys, environment: "production" } as const
      running = await Pagora.start({
        storage: postgres({ url }),
        psp: { default: auroraId, psps: { [auroraId]: aurora(settings) } },
        secret: "a master secret that is long enough for every test",
        logger: (entry) => void logged.push(entry),
        workers
      })
      bank.listener = tell
      return running
    },
    url: database.url,
    /** A consistent copy, as a restore to this point brings it. */
    copied: async (): Promise<string> => {
      await running?.stop()
      await execute(server.href, `create database ${name}_copy template ${name}`)
      return `${database.url}_copy`
    }
  }
}

type World = Awaited<ReturnType<typeof worldOf>>

const paid = async ({ bank }: World, pagora: PagoraInstance, shop: string, amount: number) => {
  const { id } = await pagora.charges.create(shop, { amount })
  await bank.pay(referenceOf(id))
  await isCompleted(pagora, shop, id)
  return id
}

const isCompleted = (pagora: PagoraInstance, shop: string, id: string): Promise<true> =>
  eventually(async () => {
    const { status } = await pagora.transactions.find(shop, id)
    return status === "completed" ? true : undefined
  })

const settled = async ({ bank }: World, pagora: PagoraInstance, shop: string, id: string) => {
  await eventually(async () => bank.payouts().includes(referenceOf(id)) || undefined)
  await bank.settlePayout(referenceOf(id), "completed")
  await isCompleted(pagora, shop, id)
}

/** What is available and what is held, in centavos. */
const heldBy = async (pagora: PagoraInstance, shop: string) => {
  const { available, held } = await pagora.balances.get(shop)
  return [available.amount, held.amount]
}

const isForgotten = async (pagora: PagoraInstance, shop: string, id: string) => {
  const error = await pagora.transactions.find(shop, id).catch((cause: unknown) => cause)
  assert.deepInclude(error, { code: "TRANSACTION_NOT_FOUND" })
}

it(
  "a restore to an older point does what its guide says",
  { timeout: 120_000 },
  async (context) => {
    const world = await worldOf(context)
    const { bank } = world
    const first = await world.start(world.url, true)
    const shop = (await first.accounts.create({ name: "Loja Azul" })).id
    await paid(world, first, shop, 100)
    const returned = await paid(world, first, shop, 50)
    await first.on("payment_completed", { name: "orders" }, async () => undefined)

    // At P a charge is open, and a withdrawal is accepted that nobody has told to the bank yet.
    const waiting = await world.start(world.url, false)
    const early = (await waiting.charges.create(shop, { amount: 25.9 })).id
    const told = (await waiting.withdrawals.create(shop, { amount: 30, ...key })).id
    const copy = await world.copied()

    // Between P and N money moves.
    const lost = await world.start(world.url, true)
    const delivered: Array<string> = []
    await lost.on("payment_completed", { name: "orders" }, async ({ eventId }) => {
      delivered.push(eventId)
    })
    await bank.pay(referenceOf(early))
    await isCompleted(lost, shop, early)
    await settled(world, lost, shop, told)
    const later = await paid(world, lost, shop, 15)
    const spent = (await lost.withdrawals.create(shop, { amount: 20, ...key })).id
    await settled(world, lost, shop, spent)
    await lost.refunds.request(shop, returned)
    const [refund = ""] = await eventually(async () =>
      bank.refunds().length > 0 ? bank.refunds() : undefined
    )
    await bank.settleRefund(refund, "confirmed")
    const issued = await lost.credentials.issue(shop, { permissions: ["FULL_ACCESS"] })
    await eventually(async () => (delivered.length === 2 ? true : undefined))
    const bankHolds = bank.holds()
    assert.strictEqual(bankHolds, 10_000 + 2_590 - 3_000 + 1_500 - 2_000)

    // The restored database, without workers: it agrees with itself, and the bank hears nothing.
    const looking = await world.start(copy, false)
    const calls = bank.calls
    assert.deepInclude(await looking.audit(), { ok: true, violations: [] })
    assert.deepStrictEqual(await heldBy(looking, shop), [12_000, 3_000])
    for (const id of [later, spent]) await isForgotten(looking, shop, id)
    const body = { client_id: issued.clientId, client_secret: issued.clientSecret }
    const auth = new Request("http://localhost/auth", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    assert.strictEqual((await looking.fetch(auth)).status, 401)
    // The bank repeats all of its notifications. What is not ours is taken and logged.
    world.logged.length = 0
    for (const notification of bank.notifications) await world.tell(notification)
    const foreign = world.logged.filter(({ message }) =>
      String(message).includes("A PSP notified what is not ours.")
    )
    const forgotten = [later, spent].map(referenceOf)
    const isAboutForgotten = (reference: string) =>
      [...forgotten, refund].some((each) => each === reference)
    assert.strictEqual(
      foreign.length,
      bank.notifications.filter(({ reference }) => isAboutForgotten(reference)).length
    )
    assert.strictEqual(bank.calls, calls)

    // With workers what stood in the database at P comes to its end, and is paid once.
    const payouts = bank.payouts().length
    const working = await world.start(copy, true)
    const again: Array<string> = []
    await working.on("payment_completed", { name: "orders" }, async ({ eventId }) => {
      again.push(eventId)
    })
    await isCompleted(working, shop, early)
    await isCompleted(working, shop, told)
    assert.strictEqual(bank.payouts().length, payouts)
    assert.strictEqual(bank.holds(), bankHolds)
    assert.deepStrictEqual(await heldBy(working, shop), [14_590, 0])
    // Its event was delivered before, and is delivered again under the same name.
    assert.include(delivered, early)
    assert.strictEqual(await eventually(async () => again[0]), early)
    assert.deepStrictEqual((await working.reviews.list()).data, [])
    assert.deepStrictEqual((await working.discrepancies.list()).data, [])
    assert.deepStrictEqual((await working.suspense.list()).data, [])

    // A refund that was forgotten is not paid twice: the bank refuses it.
    await working.refunds.request(shop, returned)
    await eventually(async () => ((await heldBy(working, shop))[0] === 14_590 ? true : undefined))
    assert.strictEqual(bank.holds(), bankHolds)

    // What the operator finds in the bank's statement makes both agree again.
    const correct = (amount: number, id: string) =>
      working.accounts.adjust(shop, { amount, reason: `Restored to an older point: ${id}` })
    await correct(-20, spent)
    await correct(-50, refund)
    await correct(15, later)
    assert.deepStrictEqual(await heldBy(working, shop), [bankHolds, 0])
    assert.deepInclude(await working.audit(), { ok: true, violations: [] })
  }
)
