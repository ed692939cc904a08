import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectShape, textAt } from "../Expect.ts"
import { expectRefused } from "../Refusals.ts"
import { accountShape } from "../SpecShapes.ts"
import { adjusted, expectFigures, figuresOf, paid } from "../Steps.ts"

const nothing = { amount: 0, amountFormatted: 0 }

export const accountChecks: ReadonlyArray<Check> = [
  {
    rules: [
      "S-011",
      "S-126",
      "S-127",
      "S-128",
      "S-129",
      "S-130",
      "S-131",
      "S-132",
      "S-133",
      "S-170",
      "S-180",
      "S-194"
    ],
    title: "GET /account of a new account has its data and four figures of nothing",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const answer = expectShape(await shop.call("GET", "/account"), 200, accountShape)
      expectFields(answer, {
        "account.id": shop.id,
        "account.status": "approved",
        "balance.available": nothing,
        "balance.promotional": nothing,
        "balance.held": nothing,
        "balance.total": nothing
      })
    }
  },
  {
    rules: ["S-128", "S-129", "S-131", "S-133", "S-134"],
    title: "GET /account shows centavos beside BRL, and the total is the sum of the buckets",
    run: async (world) => {
      const shop = await world.tenant({ balance: 1234.56 })
      await adjusted(world, shop.id, 0.44, { bucket: "promotional" })
      const answer = expectShape(await shop.call("GET", "/account"), 200, accountShape)
      expectFields(answer, {
        "balance.available": { amount: 123_456, amountFormatted: 1234.56 },
        "balance.promotional": { amount: 44, amountFormatted: 0.44 },
        "balance.held": nothing,
        "balance.total": { amount: 123_500, amountFormatted: 1235 }
      })
      textAt(answer, "balance.updatedAt")
    }
  },
  {
    rules: ["S-128", "S-263", "S-264", "S-265"],
    title: "a payment credits its amount less the fee, half a centavo rounded up",
    run: async (world) => {
      const shop = await world.tenant({ fees: { payment: { fixed: 0.1, percent: 2.5 } } })
      await paid(world, shop, { amount: 10.2 })
      // 0.10 + 2.5 % of 10.20 = 0.355, so 0.36.
      await expectFigures(shop, { available: 984, total: 984 })
    }
  },
  {
    rules: ["S-129", "S-265"],
    title: "promotional balance pays fees first, and is never spent otherwise",
    run: async (world) => {
      const shop = await world.tenant({ fees: { payment: { fixed: 1 } } })
      await adjusted(world, shop.id, 0.4, { bucket: "promotional" })
      await paid(world, shop, { amount: 10 })
      await expectFigures(shop, { available: 940, promotional: 0, total: 940 })
    }
  },
  {
    rules: ["S-219"],
    title: "GET /account answers 401, 403 and 404 as the specification documents",
    run: async ({ api, tenant }) => {
      const shop = await tenant()
      expectRefused(await api("GET", "/account"), 401)
      const poor = await shop.credential({ permissions: ["PIX:WRITE"] })
      expectRefused(await poor.call("GET", "/account"), 403, "PERMISSION_DENIED")
      const answer = await shop.call("GET", "/account", { subAccount: "nobody" })
      expectRefused(answer, 404, "SUB_ACCOUNT_NOT_FOUND")
    }
  },
  {
    rules: ["S-011"],
    title: "balances of two accounts do not touch each other",
    run: async ({ tenant }) => {
      const [one, two] = [await tenant({ balance: 10 }), await tenant({ balance: 20 })]
      expectEqual("one", (await figuresOf(one)).total, 1_000)
      expectEqual("two", (await figuresOf(two)).total, 2_000)
    }
  }
]
