import type { Check } from "../Check.ts"
import { expectEqual, expectStatus, expectThat, textAt } from "../Expect.ts"
import { expectRefused } from "../Refusals.ts"
import { charged, expectFigures, paid, pay, transactionIn, withdrawalBody } from "../Steps.ts"
import { at } from "../Wire.ts"

const day = 86_400

export const clockChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-199", "S-223", "S-318"],
    title: "a token is good for 290 seconds, and not for 300",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant()
      const authorization = `Bearer ${await shop.token()}`
      const look = () => world.api("GET", "/account", { headers: { authorization } })
      await world.advance(290)
      expectStatus(await look(), 200)
      await world.advance(10)
      expectRefused(await look(), 401)
    }
  },
  {
    rules: ["S-065", "S-152", "S-155", "S-233"],
    title: "a charge that nobody pays expires when its time ends, and not before",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook()
      const id = textAt(await charged(shop, { expiresIn: 600 }), "id")
      await world.advance(590)
      await transactionIn(shop, id, "pending")
      await world.advance(10)
      await transactionIn(shop, id, "cancelled")
      const { json } = await hook.event("payment_expired")
      expectEqual("eventId", at(json, "eventId"), `payment_expired_${id}`)
    }
  },
  {
    rules: ["S-155", "S-157"],
    title: "a payment after the end of its charge is not credited",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant()
      const id = textAt(await charged(shop, { expiresIn: 60 }), "id")
      await world.advance(61)
      await transactionIn(shop, id, "cancelled")
      // A PSP may refuse to take it at all.
      await world.sandbox("POST", `/charges/${id}/pay`, { body: {} })
      await world.advance(60)
      await transactionIn(shop, id, "cancelled")
      await expectFigures(shop, { available: 0, total: 0 })
    }
  },
  {
    rules: ["S-203", "S-210", "S-320"],
    title: "an idempotent answer is repeated for 24 hours, and the key is free afterwards",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant({ balance: 100 })
      const key = "for-one-day-only"
      const ask = (amount: number) =>
        shop.call("POST", "/withdrawals", { body: withdrawalBody({ amount }), key })
      const first = expectStatus(await ask(10), 201)
      await world.advance(day - 60)
      expectEqual("bytes", expectStatus(await ask(10), 201).text, first.text)
      expectRefused(await ask(11), 422)
      await world.advance(61)
      const next = expectStatus(await ask(11), 201)
      const found = expectStatus(await shop.call("GET", `/transactions/${key}`), 200)
      expectEqual("the newest of the key", textAt(found, "id"), textAt(next, "id"), found)
    }
  },
  {
    rules: ["S-209", "S-327", "S-328"],
    title: "daily limits count what was paid and withdrawn of a day, and begin anew with the next",
    alone: true,
    run: async (world) => {
      const limits = { charge: { daily: 20 }, withdrawal: { daily: 20 } }
      const shop = await world.tenant({ balance: 100, limits })
      const charge = { body: { amount: 10 } }
      const withdrawal = { body: withdrawalBody({ amount: 10 }) }
      await paid(world, shop, { amount: 15 })
      expectStatus(
        await shop.call("POST", "/withdrawals", { body: withdrawalBody({ amount: 15 }) }),
        201
      )
      expectRefused(await shop.call("POST", "/pix", charge), 400, "LIMIT_EXCEEDED")
      expectRefused(await shop.call("POST", "/withdrawals", withdrawal), 400, "LIMIT_EXCEEDED")
      await world.advance(day)
      expectStatus(await shop.call("POST", "/pix", charge), 201)
      expectStatus(await shop.call("POST", "/withdrawals", withdrawal), 201)
    }
  },
  {
    rules: ["S-186", "S-213"],
    title: "a payment can be refunded for 90 days, and not later",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant()
      const [one, two] = [await paid(world, shop), await paid(world, shop)]
      const refund = (id: string) => shop.call("POST", `/transactions/${id}/refund`, { body: {} })
      await world.advance(90 * day - 600)
      expectStatus(await refund(one), 201)
      await world.advance(1_200)
      expectRefused(await refund(two), 400)
      await expectFigures(shop, { available: 1_000 })
    }
  },
  {
    rules: ["S-207", "S-313", "S-319"],
    title: "a lost answer of the PSP is a 500, and the same Idempotency-Key resumes the one charge",
    alone: true,
    run: async (world) => {
      const shop = await world.tenant()
      const faults = [{ operation: "createCharge", kind: "dropAnswer", times: 1 }]
      expectStatus(await world.sandbox("PUT", "/faults", { body: { faults } }), 200)
      const asked = { body: { amount: 10 }, key: "lost-and-found" }
      const lost = await shop.call("POST", "/pix", asked)
      expectStatus(await world.sandbox("PUT", "/faults", { body: { faults: [] } }), 200)
      expectRefused(lost, 500)
      const resumed = expectStatus(await shop.call("POST", "/pix", asked), 201)
      await pay(world, textAt(resumed, "id"))
      await transactionIn(shop, textAt(resumed, "id"), "completed")
      await expectFigures(shop, { available: 1_000 })
      expectThat("it has a code", textAt(resumed, "pixCopyPaste") !== "", resumed)
    }
  }
]
