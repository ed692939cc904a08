import { assert, describe, it } from "@effect/vitest"
import type { PagoraInstance, PagoraOptions } from "@pagora/core"
import { Pagora } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { eventually, RecordingTransport } from "@pagora/testkit"
import { freshDatabase } from "@pagora/testkit/postgres"
import { postgres } from "../src/index.ts"

const payments = 12

/** Two processes over one database: one answers and settles, the other one only answers. */
const twoServices = async (
  use: (settling: PagoraInstance, other: PagoraInstance) => Promise<void>
): Promise<void> => {
  const { drop, url } = await freshDatabase()
  const options: Omit<PagoraOptions, "workers"> = {
    storage: postgres({ url }),
    psp: sandbox(),
    secret: "a master secret that is long enough for every test",
    logger: false,
    // Every receiver takes everything at once.
    transport: RecordingTransport.layer
  }
  const settling = await Pagora.start(options)
  const other = await Pagora.start({ ...options, workers: false })
  try {
    await use(settling, other)
  } finally {
    await other.stop()
    await settling.stop()
    await drop()
  }
}

/** Changes an endpoint again and again, each time as soon as the last change is answered. */
const changing = (pagora: PagoraInstance, account: string, endpoint: string) => {
  let changes = 0
  let isOver = false
  const run = async () => {
    while (!isOver) {
      const events = [changes % 2 === 0 ? "payment_expired" : "payment_completed"] as const
      // One that loses against the others too often is refused; it goes on all the same.
      const made = await pagora.webhooks
        .change(account, endpoint, { events })
        .catch(() => undefined)
      if (made !== undefined) changes++
    }
  }
  const ended = run()
  return {
    changes: () => changes,
    stop: () => {
      isOver = true
      return ended
    }
  }
}

/** The sum of a metric's series that have these labels. */
const counted = async (pagora: PagoraInstance, name: string, labels: string): Promise<number> =>
  Array.from(
    (await pagora.metrics()).matchAll(new RegExp(`^${name}\\{([^}]*)\\} (\\S+)$`, "gm")),
    ([, found = "", value]) => (found.includes(labels) ? Number(value) : 0)
  ).reduce((sum, value) => sum + value, 0)

describe("payments of an account whose endpoints are changed without end", () => {
  it("are settled at the first look, and written anew once at most", { timeout: 120_000 }, () =>
    twoServices(async (settling, other) => {
      const { id: account } = await settling.accounts.create({ name: "Loja Azul" })
      const endpoints = await Promise.all(
        [1, 2, 3].map((n) =>
          settling.webhooks.create(account, { url: `https://shop.example.com/hooks/${n}` })
        )
      )
      // Of one routing table: these get into each other's way, and into that of the settlement.
      const loops = endpoints.map(({ id }) => changing(other, account, id))
      const changes = () => loops.reduce((sum, loop) => sum + loop.changes(), 0)
      const staleBefore = await counted(settling, "pagora_commits_total", 'outcome="StaleVersion"')
      try {
        for (let payment = 0; payment < payments; payment++) {
          const { id } = await settling.charges.create(account, { amount: 5 })
          const before = changes()
          await settling.sandbox.pay(id)
          await eventually(async () =>
            (await settling.transactions.find(account, id)).status === "completed"
              ? true
              : undefined
          )
          // They went on all the time.
          await eventually(() => (changes() > before ? true : undefined))
        }
      } finally {
        await Promise.all(loops.map(({ stop }) => stop()))
      }
      const looks = "pagora_psp_call_duration_seconds_count"
      assert.strictEqual(await counted(settling, looks, 'operation="findCharge"'), payments)
      assert.strictEqual(
        await counted(settling, "pagora_jobs_total", 'queue="inbox",outcome="finished"'),
        payments
      )
      assert.strictEqual(await counted(settling, "pagora_jobs_total", 'queue="inbox"'), payments)
      const stale = await counted(settling, "pagora_commits_total", 'outcome="StaleVersion"')
      assert.isAbove(stale - staleBefore, 0)
      assert.isAtMost(stale - staleBefore, payments)
      assert.isTrue((await settling.audit()).ok)
    })
  )
})
