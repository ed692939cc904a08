import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { chargeAmount, payer } from "./Charge.ts"
import type { Access, Job } from "./Load.ts"
import { authCall, connections } from "./Load.ts"
import type { Call } from "./Wire.ts"

const newReference = (): string => `pedido-${randomUUID()}`

const newCharge = (token: string, externalReference = newReference()): Call => ({
  method: "POST",
  path: "/pix",
  token,
  body: {
    amount: chargeAmount,
    description: "Pedido 100123 da Loja Azul",
    externalReference,
    customer: payer
  }
})

/** A charge that is open. */
export interface OpenCharge {
  readonly id: string
  readonly externalReference: string
  /** Under which the PSP knows it. */
  readonly txid: string
}

/** Opens so many, as fast as the server lets them in. */
export const openCharges = ({ send, token }: Access, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, newReference),
    (externalReference) =>
      Effect.map(send(newCharge(token, externalReference)), ({ id, pspPaymentId }): OpenCharge => ({
        id: String(id),
        externalReference,
        txid: String(pspPaymentId)
      })),
    { concurrency: connections }
  )

const requesting = (
  key: string,
  name: string,
  count: number,
  call: (access: Access) => Call
): Job => ({
  key,
  name,
  count,
  prepare: (access) =>
    Effect.succeed({ _tag: "Each", one: Effect.suspend(() => access.send(call(access))) })
})

/** Of so many charges in turn, so that no way lives on one row that it has just read. */
const read = 100

/** Reads charges that were just made by what they are called. */
const reading = (key: string, name: string, nameOf: (charge: OpenCharge) => string): Job => ({
  key,
  name,
  count: 8_000,
  prepare: Effect.fnUntraced(function* (access) {
    const { send, token } = access
    const names = (yield* openCharges(access, read)).map(nameOf)
    let turn = 0
    const one = Effect.suspend(() =>
      send({ method: "GET", path: `/transactions/${names[turn++ % read]}`, token })
    )
    return { _tag: "Each", one }
  })
})

const withdrawal = ({ token }: Access): Call => ({
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

export const newCharges = requesting("pix", "POST /pix", 4_000, ({ token }) => newCharge(token))

/** What is one request and its answer. */
export const requests: ReadonlyArray<Job> = [
  requesting("auth", "POST /auth", 8_000, ({ server }) => authCall(server.shop)),
  newCharges,
  reading("get", "GET /transactions/{id}", ({ id }) => id),
  reading("reference", "GET by reference", ({ externalReference }) => externalReference),
  requesting("withdrawals", "POST /withdrawals, one wallet", 2_000, withdrawal)
]
