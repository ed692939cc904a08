import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectShape, expectStatus, textAt } from "../Expect.ts"
import { expectNotFound, expectRefused } from "../Refusals.ts"
import { transactionShape, withdrawalShape } from "../SpecShapes.ts"
import {
  adjusted,
  documents,
  expectFigures,
  settleWithdrawal,
  transactionIn,
  unknownId,
  withdrawalBody,
  withdrawn
} from "../Steps.ts"

const keys = [
  { pixKey: documents.cpf, pixKeyType: "cpf" },
  { pixKey: documents.cnpj, pixKeyType: "cnpj" },
  { pixKey: "ana.maria@example.com", pixKeyType: "email" },
  { pixKey: "+5511987654321", pixKeyType: "phone" },
  { pixKey: "123e4567-e89b-42d3-a456-426655440000", pixKeyType: "random" }
] as const

const wrong = [
  { pixKey: undefined },
  { pixKey: "" },
  { pixKey: 7 },
  { pixKeyType: undefined },
  { pixKeyType: "iban" },
  { pixKey: "52998224724", pixKeyType: "cpf" },
  { pixKey: "nobody", pixKeyType: "email" },
  { pixKey: "12", pixKeyType: "phone" },
  { pixKey: "not-random", pixKeyType: "random" },
  { holderDocument: "52998224724" },
  { holderDocument: documents.cpf, holderDocumentType: "passport" },
  { holderDocument: documents.cpf, holderDocumentType: "cnpj" },
  { holderName: 7 },
  { projectId: "not a uuid" },
  { externalReference: "" },
  { amount: 0 },
  { amount: -1 },
  { amount: 1.001 },
  { amount: "1" },
  { amount: null }
]

const keyed = { key: "conformance-withdrawal" }

export const withdrawalChecks: ReadonlyArray<Check> = [
  {
    rules: [
      "S-005",
      "S-078",
      "S-079",
      "S-085",
      "S-089",
      "S-090",
      "S-091",
      "S-092",
      "S-093",
      "S-096",
      "S-097",
      "S-098",
      "S-101",
      "S-102",
      "S-160",
      "S-183"
    ],
    title: "POST /withdrawals takes a key and an amount, answers 201 and holds the gross amount",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100, fees: { withdrawal: { fixed: 1.5 } } })
      const body = withdrawalBody({ amount: 40 })
      const made = await shop.call("POST", "/withdrawals", { body })
      expectFields(expectShape(made, 201, withdrawalShape), {
        amount: 40,
        feeAmount: 1.5,
        netAmount: 38.5,
        snapshotPixKey: "ana@example.com",
        snapshotPixKeyType: "email",
        failureReason: null,
        externalReference: undefined,
        projectId: undefined
      })
      const isOpen = ["pending", "processing", "completed"].includes(textAt(made, "status"))
      expectEqual("status is one of an accepted withdrawal", isOpen, true, made)
    }
  },
  {
    rules: ["S-080", "S-081", "S-082", "S-087", "S-094", "S-095", "S-103"],
    title: "POST /withdrawals keeps the holder as at creation and echoes externalReference",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      for (const [holderDocumentType, holderDocument] of Object.entries(documents)) {
        const holder = { holderName: "Ana Maria", holderDocument, holderDocumentType }
        const externalReference = `saque-${holderDocumentType}`
        const made = await withdrawn(shop, { ...holder, externalReference })
        expectFields(expectShape(made, 201, withdrawalShape), {
          snapshotHolderName: "Ana Maria",
          snapshotHolderDocument: holderDocument,
          externalReference
        })
      }
    }
  },
  {
    rules: ["S-078", "S-079", "S-096", "S-097"],
    title: "POST /withdrawals takes keys of all five types",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      for (const { pixKey, pixKeyType } of keys) {
        const made = await withdrawn(shop, { pixKey, pixKeyType })
        expectFields(made, { snapshotPixKey: pixKey, snapshotPixKeyType: pixKeyType })
      }
    }
  },
  {
    rules: ["S-086", "S-090", "S-091", "S-092"],
    title: "POST /withdrawals of a netAmount debits that and the fee of the gross amount",
    run: async ({ tenant }) => {
      const fees = { withdrawal: { fixed: 1, percent: 1 } }
      const shop = await tenant({ balance: 200, fees })
      const made = await withdrawn(shop, { netAmount: 98 })
      // 1.00 + 1 % of 100.00 = 2.00.
      expectFields(made, { amount: 100, feeAmount: 2, netAmount: 98 })
    }
  },
  {
    rules: ["S-088", "S-209", "S-212", "S-305"],
    title: "POST /withdrawals with both amounts or none is 400",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      const both = withdrawalBody({ amount: 10, netAmount: 10 })
      const none = { pixKey: "ana@example.com", pixKeyType: "email" }
      for (const body of [both, none]) {
        expectRefused(await shop.call("POST", "/withdrawals", { body }), 400)
      }
      await expectFigures(shop, { available: 10_000, held: 0 })
    }
  },
  {
    rules: ["S-079", "S-082", "S-209", "S-212", "S-305"],
    title: "POST /withdrawals refuses invalid data with 400, and nothing is held",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      for (const fields of wrong) {
        const body = { ...withdrawalBody(), ...fields }
        expectRefused(await shop.call("POST", "/withdrawals", { body }), 400)
      }
      await expectFigures(shop, { available: 10_000, held: 0 })
    }
  },
  {
    rules: ["S-209", "S-328"],
    title: "POST /withdrawals over the balance or a limit is an error of the call itself",
    run: async ({ tenant }) => {
      const limits = { withdrawal: { min: 5, max: 50, daily: 60 } }
      const shop = await tenant({ balance: 100, limits })
      const poor = await tenant({ balance: 9.99 })
      const body = withdrawalBody({ amount: 10 })
      expectRefused(await poor.call("POST", "/withdrawals", { body }), 400, "INSUFFICIENT_BALANCE")
      for (const amount of [4.99, 50.01]) {
        const outside = { body: withdrawalBody({ amount }) }
        expectRefused(await shop.call("POST", "/withdrawals", outside), 400)
      }
      await withdrawn(shop, { amount: 50 })
      const more = { body: withdrawalBody({ amount: 10.01 }) }
      expectRefused(await shop.call("POST", "/withdrawals", more), 400, "LIMIT_EXCEEDED")
      await withdrawn(shop, { amount: 10 })
    }
  },
  {
    rules: ["S-208", "S-212", "S-226", "S-309"],
    title: "an allowed IP list refuses withdrawals from elsewhere with 403, and nothing else",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      // Addresses for documentation (RFC 5737, RFC 3849): nobody calls from there.
      const allowedIps = ["203.0.113.7", "2001:db8::/32"]
      const elsewhere = await shop.credential({ permissions: ["FULL_ACCESS"], allowedIps })
      const body = withdrawalBody()
      const headers = { "x-forwarded-for": "203.0.113.7" }
      expectRefused(await elsewhere.call("POST", "/withdrawals", { body }), 403)
      expectRefused(await elsewhere.call("POST", "/withdrawals", { body, headers }), 403)
      expectStatus(await elsewhere.call("GET", "/account"), 200)
      expectStatus(await elsewhere.call("POST", "/pix", { body: { amount: 1 } }), 201)
      const anywhere = await shop.credential({ allowedIps: ["0.0.0.0/0", "::/0"] })
      expectStatus(await anywhere.call("POST", "/withdrawals", { body }), 201)
      await expectFigures(shop, { available: 9_000 })
    }
  },
  {
    rules: ["S-184", "S-210", "S-211", "S-312", "S-319"],
    title: "POST /withdrawals with one Idempotency-Key pays once, and another body is 422",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      const body = withdrawalBody({ amount: 30 })
      const first = expectStatus(await shop.call("POST", "/withdrawals", { body, ...keyed }), 201)
      const again = expectStatus(await shop.call("POST", "/withdrawals", { body, ...keyed }), 201)
      expectEqual("bytes of the second answer", again.text, first.text, again)
      const other = { body: { ...body, amount: 31 }, ...keyed }
      expectRefused(await shop.call("POST", "/withdrawals", other), 422)
      for (const key of ["1234567", "x".repeat(256)]) {
        expectRefused(await shop.call("POST", "/withdrawals", { body, key }), 400)
      }
      await expectFigures(shop, { available: 7_000 })
    }
  },
  {
    rules: ["S-022", "S-204"],
    title:
      "a withdrawal still being processed is found by its id, externalReference and Idempotency-Key",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      const id = textAt(await withdrawn(shop, { externalReference: "saque-1" }, keyed), "id")
      for (const name of [id, "saque-1", keyed.key]) {
        const found = await shop.call("GET", `/transactions/${name}`)
        expectShape(found, 200, transactionShape)
        expectFields(found, { type: "withdrawal", amount: 10, externalReference: "saque-1" })
      }
    }
  },
  {
    rules: ["S-022", "S-040", "S-099", "S-151", "S-161"],
    title: "a withdrawal that is processed is completed, and its transaction tells the recipient",
    run: async (world) => {
      const shop = await world.tenant({ balance: 100, fees: { withdrawal: { fixed: 1 } } })
      const holder = { holderName: "Ana Maria", holderDocument: documents.cpf }
      const id = textAt(await withdrawn(shop, { ...holder, amount: 40 }), "id")
      await settleWithdrawal(world, id, "completed")
      const found = await transactionIn(shop, id, "completed")
      expectFields(expectShape(found, 200, transactionShape), { type: "withdrawal" })
      for (const field of ["e2eId", "counterpartName"]) textAt(found, field)
      const read = await shop.call("GET", `/withdrawals/${id}`)
      expectFields(expectShape(read, 200, withdrawalShape), {
        id,
        status: "completed",
        failureReason: null
      })
      for (const field of ["processedAt", "pspReference"]) textAt(read, field)
      await expectFigures(shop, { available: 6_000, held: 0, total: 6_000 })
    }
  },
  {
    rules: ["S-101", "S-151", "S-162"],
    title: "a withdrawal that fails gives everything back and says why",
    run: async (world) => {
      const shop = await world.tenant({ balance: 100, fees: { withdrawal: { fixed: 1 } } })
      const id = textAt(await withdrawn(shop, { amount: 40 }), "id")
      await expectFigures(shop, { available: 6_000, held: 4_000, total: 10_000 })
      await settleWithdrawal(world, id, "failed")
      const found = await transactionIn(shop, id, "failed")
      expectShape(found, 200, transactionShape)
      textAt(found, "failureReason")
      const read = await shop.call("GET", `/withdrawals/${id}`)
      expectFields(expectShape(read, 200, withdrawalShape), { status: "failed" })
      textAt(read, "failureReason")
      await expectFigures(shop, { available: 10_000, held: 0, total: 10_000 })
    }
  },
  {
    rules: ["S-163"],
    title: "a completed withdrawal that the PSP reverses gives the gross amount back",
    run: async (world) => {
      const shop = await world.tenant({ balance: 100, fees: { withdrawal: { fixed: 1 } } })
      const id = textAt(await withdrawn(shop, { amount: 40 }), "id")
      await settleWithdrawal(world, id, "completed")
      await settleWithdrawal(world, id, "reversed")
      const read = await shop.call("GET", `/withdrawals/${id}`)
      expectFields(expectShape(read, 200, withdrawalShape), { status: "reversed" })
      const found = await transactionIn(shop, id, "completed")
      expectShape(found, 200, transactionShape)
      await expectFigures(shop, { available: 10_000, held: 0, total: 10_000 })
    }
  },
  {
    rules: ["S-212", "S-310"],
    title: "POST /withdrawals answers 401, 403 and 404 as the specification documents",
    run: async ({ api, tenant }) => {
      const shop = await tenant({ balance: 100 })
      const body = withdrawalBody()
      expectRefused(await api("POST", "/withdrawals", { body }), 401)
      const poor = await shop.credential({ permissions: ["PIX:WRITE"] })
      expectRefused(await poor.call("POST", "/withdrawals", { body }), 403, "PERMISSION_DENIED")
      const unknown = { body: { ...body, projectId: unknownId } }
      expectNotFound(await shop.call("POST", "/withdrawals", unknown), unknownId)
    }
  },
  {
    rules: ["S-010"],
    title: "a withdrawal of a sub-account takes from its own balance",
    run: async (world) => {
      const shop = await world.tenant({ balance: 100 })
      const subAccount = await shop.subAccount("loja")
      const body = withdrawalBody()
      const refused = await shop.call("POST", "/withdrawals", { body, subAccount })
      expectRefused(refused, 400, "INSUFFICIENT_BALANCE")
      await adjusted(world, shop.id, 10, { subAccount })
      await withdrawn(shop, {}, { subAccount })
      await expectFigures(shop, { available: 0 }, subAccount)
      await expectFigures(shop, { available: 10_000 })
    }
  }
]
