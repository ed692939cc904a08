import type { Check } from "../Check.ts"
import {
  expectEqual,
  expectFields,
  expectShape,
  expectStatus,
  expectThat,
  textAt
} from "../Expect.ts"
import { expectNotFound, expectRefused } from "../Refusals.ts"
import { chargeShape } from "../SpecShapes.ts"
import { charged, documents, pay, transactionIn, unknownId } from "../Steps.ts"
import type { Answer } from "../Wire.ts"

/** The charge ends so many seconds after its creation; making it takes a moment. */
const expectLife = (answer: Answer, seconds: number): void => {
  const life =
    (Date.parse(textAt(answer, "expiresAt")) - Date.parse(textAt(answer, "createdAt"))) / 1000
  const isRight = life >= seconds && life < seconds + 5
  expectThat(`expiresAt is ${seconds} s after createdAt, not ${life}`, isRight, answer)
}

const isPng = (base64: string) =>
  Buffer.from(base64, "base64").subarray(0, 8).toString("hex") === "89504e470d0a1a0a"

const wrongAmounts = [0, -1, 0.001, 10.001, 1e12, "10", null, true, [], {}]

export const chargeChecks: ReadonlyArray<Check> = [
  {
    rules: [
      "S-002",
      "S-003",
      "S-004",
      "S-063",
      "S-065",
      "S-066",
      "S-067",
      "S-068",
      "S-069",
      "S-070",
      "S-071",
      "S-072",
      "S-073",
      "S-074",
      "S-075",
      "S-153",
      "S-179",
      "S-182"
    ],
    title:
      "POST /pix takes an amount alone, and answers 201 with a pending charge that can be paid",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const body = { amount: 10.5 }
      const answer = expectShape(await shop.call("POST", "/pix", { body }), 201, chargeShape)
      expectFields(answer, { amount: 10.5, externalReference: undefined, split: undefined })
      expectLife(answer, 86_400)
      const code = textAt(answer, "pixCopyPaste")
      expectThat("pixCopyPaste is a BR Code", /^000201.*6304[0-9A-F]{4}$/.test(code), answer)
      expectThat("pixCopyPaste holds the amount", code.includes("540510.50"), answer)
      expectThat("qrCodeBase64 is a PNG", isPng(textAt(answer, "qrCodeBase64")))
    }
  },
  {
    rules: [
      "S-030",
      "S-031",
      "S-032",
      "S-034",
      "S-055",
      "S-056",
      "S-058",
      "S-059",
      "S-060",
      "S-061",
      "S-076"
    ],
    title:
      "POST /pix takes every field of the specification, and GET /transactions/{id} gives them back",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const pspCredentialId = textAt(await charged(shop), "pspCredentialId")
      const metadata = { pedido: 7, nested: { a: [1, "dois", null, true] }, "": "é" }
      const body = {
        amount: 99.9,
        description: "Café & pão — 2×",
        customer: {
          name: "Ana Maria",
          document: documents.cpf,
          email: "ana@example.com",
          phone: "+5511987654321"
        },
        pspCredentialId,
        expiresIn: 600,
        externalReference: "pedido-7",
        metadata
      }
      const answer = expectShape(await shop.call("POST", "/pix", { body }), 201, chargeShape)
      expectFields(answer, { amount: 99.9, externalReference: "pedido-7", pspCredentialId })
      expectLife(answer, 600)
      const found = await transactionIn(shop, textAt(answer, "id"), "pending")
      expectFields(found, {
        amount: 99.9,
        description: body.description,
        externalReference: "pedido-7",
        metadata
      })
      textAt(found, "customerId")
    }
  },
  {
    rules: ["S-054", "S-064", "S-207", "S-305"],
    title: "POST /pix takes amounts to the centavo and refuses all others with 400",
    run: async ({ tenant }) => {
      const shop = await tenant()
      for (const amount of [0.01, 0.1, 1, 1.1, 1234.56, 999_999.99]) {
        expectFields(await charged(shop, { amount }), { amount })
      }
      for (const source of ["1.10", "10.00", "1e1"]) {
        const answer = await shop.call("POST", "/pix", { body: `{"amount":${source}}` })
        if (source !== "1e1") expectStatus(answer, 201)
        expectThat(`${source} is taken as it is, or refused`, [201, 400].includes(answer.status))
        if (answer.status === 201) expectFields(answer, { amount: Number(source) })
      }
      for (const amount of wrongAmounts) {
        expectRefused(await shop.call("POST", "/pix", { body: { amount } }), 400)
      }
      expectRefused(await shop.call("POST", "/pix", { body: {} }), 400)
    }
  },
  {
    rules: ["S-064", "S-207", "S-305", "S-317"],
    title: "POST /pix refuses fields of a wrong type or out of bounds with 400 and a code",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const wrong = [
        { description: 7 },
        { customer: "Ana" },
        { customer: { document: "11111111111" } },
        { customer: { document: "52998224724" } },
        { customer: { email: "nobody" } },
        { projectId: "not a uuid" },
        { pspCredentialId: "not a uuid" },
        { expiresIn: 0 },
        { expiresIn: 59 },
        { expiresIn: 1_209_601 },
        { expiresIn: 90.5 },
        { expiresIn: "600" },
        { externalReference: "" },
        { externalReference: 7 },
        { metadata: [] },
        { metadata: "text" },
        { split: {} },
        { split: [{ subAccount: "loja" }] },
        { split: [{ amount: 1 }] }
      ]
      for (const fields of wrong) {
        const answer = await shop.call("POST", "/pix", { body: { amount: 10, ...fields } })
        textAt(expectRefused(answer, 400), "details.code")
      }
      for (const expiresIn of [60, 1_209_600]) {
        expectLife(await charged(shop, { expiresIn }), expiresIn)
      }
    }
  },
  {
    rules: ["S-207", "S-310"],
    title: "POST /pix answers 404 for a project and for a PSP credential that are not there",
    run: async ({ tenant }) => {
      const shop = await tenant()
      for (const [field, code] of [
        ["projectId", "PROJECT_NOT_FOUND"],
        ["pspCredentialId", "PSP_CREDENTIAL_NOT_FOUND"]
      ] as const) {
        const body = { amount: 10, [field]: unknownId }
        expectNotFound(await shop.call("POST", "/pix", { body }), unknownId, code)
      }
    }
  },
  {
    rules: ["S-327"],
    title: "a charge keeps to the account's own bounds, both of them included",
    run: async ({ tenant }) => {
      const shop = await tenant({ limits: { charge: { min: 5, max: 10 } } })
      for (const amount of [5, 7.5, 10]) await charged(shop, { amount })
      for (const amount of [4.99, 10.01]) {
        expectRefused(await shop.call("POST", "/pix", { body: { amount } }), 400)
      }
    }
  },
  {
    rules: ["S-312", "S-319"],
    title: "POST /pix with one Idempotency-Key makes one charge, and another body is 422",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const key = "conformance-key-1"
      const body = { amount: 10, externalReference: "once" }
      const first = expectStatus(await shop.call("POST", "/pix", { body, key }), 201)
      const again = expectStatus(await shop.call("POST", "/pix", { body, key }), 201)
      expectEqual("bytes of the second answer", again.text, first.text, again)
      const other = await shop.call("POST", "/pix", { body: { ...body, amount: 11 }, key })
      expectRefused(other, 422)
      for (const wrong of ["1234567", "x".repeat(256)]) {
        expectRefused(await shop.call("POST", "/pix", { body, key: wrong }), 400)
      }
      for (const right of ["12345678", "x".repeat(255)]) {
        expectStatus(await shop.call("POST", "/pix", { body, key: right }), 201)
      }
    }
  },
  {
    rules: ["S-062", "S-077"],
    title: "POST /pix takes split legs and echoes them in order",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const [loja, filial] = [await shop.subAccount("loja"), await shop.subAccount("filial_2")]
      const split = [
        { subAccount: filial, amount: 3.5 },
        { subAccount: loja, amount: 2 }
      ]
      const answer = await shop.call("POST", "/pix", { body: { amount: 10, split } })
      expectFields(expectShape(answer, 201, chargeShape), { split })
      const tooMuch = [{ subAccount: loja, amount: 10.01 }]
      expectRefused(await shop.call("POST", "/pix", { body: { amount: 10, split: tooMuch } }), 400)
      const nobody = [{ subAccount: "nobody", amount: 1 }]
      const unknown = await shop.call("POST", "/pix", { body: { amount: 10, split: nobody } })
      expectNotFound(unknown, "nobody", "SUB_ACCOUNT_NOT_FOUND")
    }
  },
  {
    rules: ["S-007"],
    title:
      "unknown fields of a request are ignored, and a charge is found at once and after it was paid",
    run: async (world) => {
      const shop = await world.tenant()
      const body = { amount: 10, unheardOf: { of: ["nobody"] } }
      const id = textAt(expectStatus(await shop.call("POST", "/pix", { body }), 201), "id")
      await transactionIn(shop, id, "pending")
      await pay(world, id)
      await transactionIn(shop, id, "completed")
    }
  }
]
