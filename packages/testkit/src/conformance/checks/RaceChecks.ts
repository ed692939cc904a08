import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectStatus, expectThat, textAt } from "../Expect.ts"
import { expectRefused } from "../Refusals.ts"
import { charged, expectFigures, figuresOf, paid, pay, withdrawalBody } from "../Steps.ts"
import type { Answer } from "../Wire.ts"
import { at } from "../Wire.ts"
import { eventually } from "../World.ts"

const times = <A>(count: number, make: (index: number) => Promise<A>): Promise<Array<A>> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

const withStatus = (answers: ReadonlyArray<Answer>, status: number) =>
  answers.filter((answer) => answer.status === status)

/** The books of the whole deployment balance. */
const expectAudited = (answer: Answer) => {
  expectFields(expectStatus(answer, 200), { ok: true, violations: [] })
}

export const raceChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-125", "S-209"],
    title: "60 withdrawals of R$ 1 at once on a balance of R$ 20 are exactly 20",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 20 })
      await shop.token()
      const body = withdrawalBody({ amount: 1 })
      const answers = await times(60, () => shop.call("POST", "/withdrawals", { body }))
      expectEqual("accepted", withStatus(answers, 201).length, 20)
      const refused = answers.filter(({ status }) => status !== 201)
      for (const answer of refused) expectRefused(answer, 400, "INSUFFICIENT_BALANCE")
      await expectFigures(shop, { available: 0 })
    }
  },
  {
    rules: ["S-210", "S-320"],
    title:
      "30 equal withdrawals with one Idempotency-Key at once are one, with the same bytes for all",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      await shop.token()
      const asked = { body: withdrawalBody({ amount: 7 }), key: "one-of-thirty" }
      const answers = await times(30, () => shop.call("POST", "/withdrawals", asked))
      expectEqual("accepted", withStatus(answers, 201).length, 30)
      expectEqual("different bytes", new Set(answers.map(({ text }) => text)).size, 1)
      expectEqual("available", (await figuresOf(shop)).available, 9_300)
    }
  },
  {
    rules: ["S-319"],
    title: "30 equal charges with one Idempotency-Key at once are one, with the same bytes for all",
    run: async ({ tenant }) => {
      const shop = await tenant()
      await shop.token()
      const asked = { body: { amount: 7 }, key: "one-of-thirty" }
      const answers = await times(30, () => shop.call("POST", "/pix", asked))
      expectEqual("accepted", withStatus(answers, 201).length, 30)
      expectEqual("different bytes", new Set(answers.map(({ text }) => text)).size, 1)
    }
  },
  {
    rules: ["S-213"],
    title: "20 refunds of one payment at once are one",
    run: async (world) => {
      const shop = await world.tenant({ balance: 1000 })
      const id = await paid(world, shop, { amount: 10 })
      const answers = await times(20, () =>
        shop.call("POST", `/transactions/${id}/refund`, { body: {} })
      )
      expectEqual("accepted", withStatus(answers, 201).length, 1)
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        expectThat(
          "the others are refused as 400 or 409",
          [400, 409].includes(answer.status),
          answer
        )
        expectRefused(answer, answer.status)
      }
      // Held or already gone: either way it left the available balance once.
      await expectFigures(shop, { available: 100_000 })
    }
  },
  {
    rules: ["S-154", "S-155"],
    title:
      "a payment and the expiry of its charge at once end in one of the two, and the money agrees",
    run: async (world) => {
      const shop = await world.tenant()
      const ids = await times(10, async () => textAt(await charged(shop, { amount: 1 }), "id"))
      await Promise.all(
        ids.flatMap((id) => [
          world.sandbox("POST", `/charges/${id}/pay`, { body: {} }),
          world.sandbox("POST", `/charges/${id}/expire`)
        ])
      )
      const completed = await eventually("every charge ends", async () => {
        const found = await Promise.all(ids.map((id) => shop.call("GET", `/transactions/${id}`)))
        const statuses = found.map(({ json }) => String(at(json, "status")))
        if (statuses.includes("pending")) return undefined
        const count = statuses.filter((status) => status === "completed").length
        const { available } = await figuresOf(shop)
        return available === count * 100 ? count : undefined
      })
      await expectFigures(shop, { available: completed * 100, total: completed * 100 })
    }
  },
  {
    rules: ["S-154", "S-243"],
    title: "a payment that is told many times is credited once, with one event",
    run: async (world) => {
      const shop = await world.tenant()
      const hook = await shop.hook()
      const id = await paid(world, shop, { amount: 10 })
      await hook.event("payment_completed")
      // Paid again: the second payment is not credited but returned.
      await pay(world, id, { times: 3 })
      await expectFigures(shop, { available: 1_000 })
      expectEqual("events payment_completed", hook.told("payment_completed"), 1)
    }
  },
  {
    rules: ["S-111", "S-119"],
    title: "20 projects of one name, or sub-accounts of one reference, at once are one",
    run: async ({ tenant }) => {
      const shop = await tenant()
      await shop.token()
      const bodies = {
        "/projects": { name: "Loja" },
        "/sub-accounts": { reference: "loja", name: "L" }
      }
      for (const [path, body] of Object.entries(bodies)) {
        const answers = await times(20, () => shop.call("POST", path, { body }))
        expectEqual(`${path} accepted`, withStatus(answers, 201).length, 1)
        expectEqual(`${path} refused`, withStatus(answers, 409).length, 19)
      }
    }
  },
  {
    rules: ["S-125"],
    title: "the books of the deployment balance after everything",
    alone: true,
    run: async ({ operator }) => {
      expectAudited(await operator("GET", "/audit"))
    }
  }
]
