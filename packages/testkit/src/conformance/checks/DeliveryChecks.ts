import type { Check } from "../Check.ts"
import { expectEqual, expectStatus, expectThat, listAt, textAt } from "../Expect.ts"
import { expectRefused } from "../Refusals.ts"
import { charged, paid, pay } from "../Steps.ts"
import { at } from "../Wire.ts"
import type { World } from "../World.ts"

const endpointsPath = (account: string) => `/accounts/${account}/webhook-endpoints`

/** Nothing more comes: whatever was due has been sent when time has passed. */
const isQuiet = async ({ advance }: World, received: ReadonlyArray<unknown>, count: number) => {
  await advance(120)
  expectEqual("deliveries", received.length, count)
}

export const deliveryChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-228", "S-230"],
    title: "the secret of a webhook endpoint is shown at its creation and never again",
    run: async ({ operator, tenant }) => {
      const shop = await tenant()
      const hook = await shop.hook()
      expectThat("the secret is long", hook.secret.length >= 24)
      const list = expectStatus(await operator("GET", endpointsPath(shop.id)), 200)
      expectEqual("data.0.id", at(list.json, "data.0.id"), hook.id, list)
      expectThat("the list is without secrets", !list.text.includes(hook.secret))
      expectEqual("data.0.secret", at(list.json, "data.0.secret"), undefined)
    }
  },
  {
    rules: ["S-230"],
    title: "an endpoint gets the events it asked for, and one that was removed gets none",
    run: async (world) => {
      const shop = await world.tenant()
      const expiries = await shop.hook({ events: ["payment_expired"] })
      const removed = await shop.hook()
      const path = `${endpointsPath(shop.id)}/${removed.id}`
      expectStatus(await world.operator("DELETE", path), 204)
      const all = await shop.hook()
      await paid(world, shop)
      await all.event("payment_completed")
      const id = textAt(await charged(shop), "id")
      expectStatus(await world.sandbox("POST", `/charges/${id}/expire`), 200)
      await expiries.event("payment_expired")
      await all.event("payment_expired")
      expectEqual("of payment_expired alone", expiries.told(), 1)
      expectEqual("of everything", all.told(), 2)
      expectEqual("of the removed one", removed.told(), 0)
    }
  },
  {
    rules: ["S-256", "S-292", "S-293", "S-294", "S-296", "S-297"],
    title:
      "a delivery that is not answered with 2xx comes again after about 2 seconds, with the same bytes",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook()
      hook.status = 500
      await paid(world, shop)
      const [first] = await hook.count(1)
      hook.status = 204
      const [, second] = await hook.count(2)
      if (first === undefined || second === undefined) return
      const waited = second.at - first.at
      expectThat(`the wait is about 2 s, not ${waited} ms`, waited >= 1_900 && waited <= 10_000)
      expectEqual("bytes", second.body, first.body)
      for (const name of ["x-service-webhook-id", "x-service-signature", "x-service-event"]) {
        expectEqual(name, second.headers[name], first.headers[name])
      }
      const [before, after] = [first, second].map(({ headers }) =>
        Number(headers["x-service-timestamp"])
      )
      expectThat("each attempt has its own time", Number(after) > Number(before))
      await hook.event("payment_completed")
    }
  },
  {
    rules: ["S-254"],
    title: "two endpoints of an event get deliveries with two ids, each signed with its own secret",
    run: async (world) => {
      const shop = await world.tenant()
      const [one, two] = [await shop.hook(), await shop.hook()]
      await paid(world, shop)
      const [first, second] = [
        await one.event("payment_completed"),
        await two.event("payment_completed")
      ]
      expectEqual("bytes", second.body, first.body)
      const id = "x-service-webhook-id"
      expectThat("the ids differ", first.headers[id] !== second.headers[id])
      expectThat("the secrets differ", one.secret !== two.secret)
    }
  },
  {
    rules: ["S-298"],
    title: "an endpoint is refused whose URL is no http address, or one of a private network",
    run: async ({ operator, tenant }) => {
      const shop = await tenant()
      const urls = [
        "ftp://example.com/hook",
        "http://example.com/hook",
        "https://user:secret@example.com/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/hook",
        "not a URL"
      ]
      for (const url of urls) {
        expectRefused(await operator("POST", endpointsPath(shop.id), { body: { url } }), 400)
      }
    }
  },
  {
    rules: ["S-293", "S-294", "S-295", "S-297", "S-325"],
    title:
      "a delivery that nobody takes is tried five times, with one eventId, and is then kept in the log",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook()
      hook.status = 503
      const id = textAt(await charged(shop), "id")
      await pay(world, id)
      await hook.count(1)
      // Each wait of 2, 4, 8 and 16 seconds, a fifth longer at most.
      for (const [index, seconds] of [2.4, 4.8, 9.6, 19.2].entries()) {
        await world.advance(seconds)
        await hook.count(index + 2)
        expectEqual("attempts", hook.received.length, index + 2)
      }
      await isQuiet(world, hook.received, 5)
      expectEqual("different bodies", new Set(hook.received.map(({ body }) => body)).size, 1)
      const log = await world.operator("GET", `/accounts/${shop.id}/deliveries?status=exhausted`)
      expectEqual("attempts", listAt(expectStatus(log, 200), "data.0.attempts").length, 5, log)
      expectEqual("eventId", at(hook.received[4]?.json, "eventId"), id)
    }
  }
]
