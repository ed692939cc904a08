import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectShape, expectStatus, listAt, textAt } from "../Expect.ts"
import { expectNotActive, expectNotFound, expectRefused, expectTaken } from "../Refusals.ts"
import { subAccountShape, subAccountsShape } from "../SpecShapes.ts"
import { charged, expectFigures, paid, transactionIn } from "../Steps.ts"
import { at } from "../Wire.ts"

const setStatus = { approved: { status: "approved" }, suspended: { status: "suspended" } } as const

export const subAccountChecks: ReadonlyArray<Check> = [
  {
    rules: [
      "S-009",
      "S-117",
      "S-118",
      "S-119",
      "S-122",
      "S-123",
      "S-124",
      "S-125",
      "S-192",
      "S-193",
      "S-321",
      "S-322"
    ],
    title: "POST /sub-accounts creates sub-accounts with a balance of zero, and GET lists them",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 5 })
      const references = ["a1", "loja-centro", "9_x", `z${"0".repeat(31)}`]
      for (const [index, reference] of references.entries()) {
        const body = { reference, name: (index === 0 ? "😀" : "N").repeat(255) }
        const made = await shop.call("POST", "/sub-accounts", { body })
        expectFields(expectShape(made, 201, subAccountShape), { ...body, status: "approved" })
        await expectFigures(shop, { available: 0, held: 0, promotional: 0, total: 0 }, reference)
      }
      const list = expectShape(await shop.call("GET", "/sub-accounts"), 200, subAccountsShape)
      const listed = listAt(list, "data").map((item) => at(item, "reference"))
      expectEqual("references", listed.toSorted(), references.toSorted(), list)
      await expectFigures(shop, { available: 500, total: 500 })
    }
  },
  {
    rules: ["S-118", "S-121", "S-215", "S-217", "S-305", "S-321", "S-322"],
    title:
      "POST /sub-accounts refuses principal and malformed references with 400 SUB_ACCOUNT_INVALID_REFERENCE",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const reserved = { reference: "principal", name: "Main" }
      const answer = await shop.call("POST", "/sub-accounts", { body: reserved })
      expectRefused(answer, 400, "SUB_ACCOUNT_INVALID_REFERENCE")
      const wrong = [
        { reference: "a", name: "n" },
        { reference: "x".repeat(33), name: "n" },
        { reference: "Loja", name: "n" },
        { reference: "-loja", name: "n" },
        { reference: "_loja", name: "n" },
        { reference: "loja centro", name: "n" },
        { reference: "lojá", name: "n" },
        { reference: 12, name: "n" },
        { name: "n" },
        { reference: "loja", name: "N".repeat(256) },
        { reference: "loja", name: 7 }
      ]
      for (const body of wrong) {
        expectRefused(await shop.call("POST", "/sub-accounts", { body }), 400)
      }
      const list = await shop.call("GET", "/sub-accounts")
      expectEqual("sub-accounts", listAt(expectStatus(list, 200), "data").length, 0, list)
    }
  },
  {
    rules: ["S-119", "S-120", "S-216", "S-217", "S-311"],
    title:
      "POST /sub-accounts with a used reference is 409 SUB_ACCOUNT_REFERENCE_TAKEN, and changes nothing",
    run: async ({ tenant }) => {
      const [shop, other] = await Promise.all([tenant(), tenant()])
      await shop.subAccount("loja")
      const body = { reference: "loja", name: "Another" }
      const answer = await shop.call("POST", "/sub-accounts", { body })
      expectRefused(answer, 409, "SUB_ACCOUNT_REFERENCE_TAKEN")
      expectTaken(answer, "reference", "loja")
      const list = expectStatus(await shop.call("GET", "/sub-accounts"), 200)
      expectFields(list, { "data.0.name": "Sub-account loja", "data.1": undefined })
      // Unique within the account, not among accounts.
      await other.subAccount("loja")
    }
  },
  {
    rules: ["S-168", "S-169"],
    title: "the /sub-accounts endpoints act on the main account, whatever X-Sub-Account says",
    run: async ({ tenant }) => {
      const shop = await tenant()
      await shop.subAccount("loja")
      const closed = await shop.credential({
        permissions: ["FULL_ACCESS"],
        subAccountAccess: false
      })
      for (const subAccount of ["loja", "nobody", "principal"]) {
        const list = expectStatus(await closed.call("GET", "/sub-accounts", { subAccount }), 200)
        expectFields(list, { "data.0.reference": "loja" })
      }
      const body = { reference: "filial", name: "Filial" }
      expectStatus(await closed.call("POST", "/sub-accounts", { body, subAccount: "loja" }), 201)
      const list = expectStatus(await shop.call("GET", "/sub-accounts"), 200)
      expectEqual("sub-accounts", listAt(list, "data").length, 2, list)
    }
  },
  {
    rules: ["S-010", "S-125", "S-168", "S-170", "S-171"],
    title: "X-Sub-Account makes a charge, its lookup and the balance the sub-account's own",
    run: async (world) => {
      const shop = await world.tenant()
      const subAccount = await shop.subAccount("loja")
      const id = await paid(world, shop, { amount: 10 }, { options: { subAccount } })
      await expectFigures(shop, { available: 1_000 }, subAccount)
      await expectFigures(shop, { available: 0 })
      await expectFigures(shop, { available: 0 }, "principal")
      await transactionIn(shop, id, "completed", { subAccount })
      expectNotFound(await shop.call("GET", `/transactions/${id}`), id)
      const main = textAt(await charged(shop, {}, { subAccount: "principal" }), "id")
      await transactionIn(shop, main, "pending")
      expectNotFound(await shop.call("GET", `/transactions/${main}`, { subAccount }), main)
    }
  },
  {
    rules: ["S-118", "S-172", "S-305", "S-310"],
    title:
      "X-Sub-Account of an unknown reference is 404 SUB_ACCOUNT_NOT_FOUND, a malformed one 400",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const unknown = await shop.call("GET", "/account", { subAccount: "nobody" })
      expectNotFound(unknown, "nobody", "SUB_ACCOUNT_NOT_FOUND")
      for (const subAccount of ["X", "a", "Loja", "a,b", "principal,loja", "x".repeat(33)]) {
        expectRefused(await shop.call("GET", "/account", { subAccount }), 400)
      }
    }
  },
  {
    rules: ["S-174", "S-308"],
    title: "a suspended sub-account is 403 SUB_ACCOUNT_SUSPENDED until it is approved again",
    run: async ({ operator, tenant }) => {
      const shop = await tenant()
      const subAccount = await shop.subAccount("loja")
      const path = `/accounts/${shop.id}/sub-accounts/loja`
      expectStatus(await operator("PATCH", path, { body: setStatus.suspended }), 200)
      for (const [method, of, body] of [
        ["GET", "/account", undefined],
        ["POST", "/pix", { amount: 1 }]
      ] as const) {
        const answer = await shop.call(method, of, { body, subAccount })
        expectNotActive(answer, subAccount, "suspended")
      }
      const list = expectStatus(await shop.call("GET", "/sub-accounts"), 200)
      expectFields(list, { "data.0.status": "suspended" })
      expectStatus(await operator("PATCH", path, { body: setStatus.approved }), 200)
      expectStatus(await shop.call("GET", "/account", { subAccount }), 200)
    }
  },
  {
    rules: ["S-218"],
    title: "GET /sub-accounts answers 401 without a token and 403 without the permission",
    run: async ({ api, tenant }) => {
      expectRefused(await api("GET", "/sub-accounts"), 401)
      const poor = await (await tenant()).credential({ permissions: ["SUBACCOUNT:WRITE"] })
      expectRefused(await poor.call("GET", "/sub-accounts"), 403, "PERMISSION_DENIED")
    }
  }
]
