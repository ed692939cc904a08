import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Job } from "./Load.ts"
import { authCall } from "./Load.ts"
import type { Call } from "./Wire.ts"

const newReference = (): string => `pedido-${randomUUID()}`

const newCharge = (token: string, externalReference = newReference()): Call => ({
  method: "POST",
  path: "/pix",
  token,
  body: {
    amount: 129.9,
    description: "Pedido 100123 da Loja Azul",
    externalReference,
    customer: { name: "Maria da Silva", document: "52998224725" }
  }
})

/** Of so many charges in turn, so that no way lives on one row that it has just read. */
const read = 100

/** Reads charges that were just made by what they are called. */
const reading = (name: string, nameOf: (id: string, reference: string) => string): Job => ({
  name,
  count: 8_000,
  prepare: Effect.fnUntraced(function* ({ send, token }) {
    const names: Array<string> = []
    for (let made = 0; made < read; made++) {
      const reference = newReference()
      const { id } = yield* send(newCharge(token, reference))
      names.push(nameOf(String(id), reference))
    }
    let turn = 0
    return () => ({ method: "GET", path: `/transactions/${names[turn++ % read]}`, token })
  })
})

const withdrawal = (token: string): Call => ({
  method: "POST",
  path: "/withdrawals",
  token,
  idempotencyKey: randomUUID(),
  body: {
    pixKey: "52998224725",
    pixKeyType: "cpf",
    holderName: "Maria da Silva",
    holderDocument: "52998224725",
    amount: 12.5,
    externalReference: `repasse-${randomUUID()}`
  }
})

/** Everything that is measured, in the order in which it is. */
export const jobs: ReadonlyArray<Job> = [
  {
    name: "POST /auth",
    count: 8_000,
    prepare: ({ shop }) => Effect.succeed(() => authCall(shop))
  },
  {
    name: "POST /pix",
    count: 4_000,
    prepare: ({ token }) => Effect.succeed(() => newCharge(token))
  },
  reading("GET /transactions/{id}", (id) => id),
  reading("GET by reference", (_, reference) => reference),
  {
    name: "POST /withdrawals, one wallet",
    count: 2_000,
    prepare: ({ token }) => Effect.succeed(() => withdrawal(token))
  }
]
