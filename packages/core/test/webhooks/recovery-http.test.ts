import { assert, describe, it } from "@effect/vitest"
import type { PagoraInstance } from "@pagora/core"
import { WebhookTransportNode } from "@pagora/core/node"
import { startReceiver } from "@pagora/testkit"
import type { Receiver } from "@pagora/testkit"
import { until, withPagora } from "../world/Embedding.test-data.ts"

const transport = WebhookTransportNode.layer({ allowLoopbackHttp: true })

/** Something to tell of: a charge that ends. Answers the id of its event. */
const happens = async (pagora: PagoraInstance, account: string): Promise<string> => {
  const { id } = await pagora.charges.create(account, { amount: 5 })
  await pagora.sandbox.expire(id)
  return `payment_expired_${id}`
}

const passes = async (pagora: PagoraInstance, steps: number, seconds: number) => {
  for (let step = 0; step < steps; step++) await pagora.sandbox.advance({ seconds })
}

const eventsAt = ({ received }: Receiver) => received.map(({ json }) => json.eventId)

describe("a receiver that answers 500 for two minutes", () => {
  it("has every event that it missed after the next one it takes, and nobody asked it before", async () => {
    const receiver = await startReceiver()
    const { received } = receiver
    try {
      await withPagora({ transport }, async (pagora) => {
        const { id } = await pagora.accounts.create({ name: "Loja Azul" })
        await pagora.webhooks.create(id, { url: receiver.url })
        receiver.status = 500
        const missed: Array<string> = []
        for (let step = 0; step < 12; step++) {
          missed.push(await happens(pagora, id))
          await passes(pagora, 1, 10)
        }
        await passes(pagora, 6, 10)
        // Five tries of each, and nothing else reached it.
        const triesOf = (event: string) => eventsAt(receiver).filter((one) => one === event).length
        assert.deepStrictEqual(
          missed.map(triesOf),
          missed.map(() => 5)
        )
        assert.strictEqual(received.length, 12 * 5)

        // It is well again. For two hours nobody asks whether it is, not even by a connection.
        receiver.status = 200
        const { connections } = receiver
        await passes(pagora, 24, 300)
        assert.deepStrictEqual([received.length, receiver.connections], [60, connections])

        const next = await happens(pagora, id)
        await passes(pagora, 2, 10)
        await until(() => received.length >= 73)
        assert.strictEqual(eventsAt(receiver)[60], next)
        assert.sameMembers(eventsAt(receiver).slice(61), missed)
        const [first, again] = received.filter(({ json }) => json.eventId === missed[0])
        assert.strictEqual(first?.body, again?.body)

        // Once each: time and another event bring nothing back.
        const last = await happens(pagora, id)
        await passes(pagora, 24, 300)
        assert.deepStrictEqual(eventsAt(receiver).slice(73), [last])
        const { data } = await pagora.webhooks.deliveries(id)
        const count = (status: string) => data.filter((one) => one.status === status).length
        assert.deepStrictEqual([count("delivered"), count("resent")], [14, 12])
        assert.isTrue((await pagora.audit()).ok)
      })
    } finally {
      await receiver.close()
    }
  })
})
