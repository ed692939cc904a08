import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { chargeAmount, payer } from "./Charge.ts"
import type { Access, Job } from "./Load.ts"
import type { OpenCharge } from "./Requests.ts"
import { openCharges } from "./Requests.ts"
import { watchSettled } from "./Settled.ts"
import { noticesPath } from "./Shop.ts"
import type { Call } from "./Wire.ts"

/** In the form of the PIX network. */
const newEndToEndId = (): string =>
  `E12345678${new Date().toISOString().replace(/\D/g, "").slice(0, 12)}${randomBytes(6).toString("hex").slice(0, 11)}`

/** What the PSP tells of the payment of a charge. */
export const notice = (path: string, pspSecret: string, txid: string): Call => ({
  method: "POST",
  path,
  token: pspSecret,
  body: {
    txid,
    endToEndId: newEndToEndId(),
    amount: chargeAmount,
    paidAt: new Date().toISOString(),
    payer
  }
})

const patience = "60 seconds"

/** Pays a charge: from the notice of its PSP until it is settled, which plain's answer says and ours does not. */
const makeSettle = Effect.fnUntraced(function* (access: Access) {
  const { send, server } = access
  const path = server.way === "plain" ? "/confirm" : noticesPath
  const settled = server.way === "plain" ? () => Effect.void : yield* watchSettled(server.database)
  return (charge: OpenCharge) =>
    Effect.andThen(send(notice(path, server.shop.pspSecret, charge.txid)), settled(charge.id)).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.die(new Error(`${charge.id} is not settled after ${patience}.`))
      })
    )
})

/** Opens so many charges, and answers what settles the next of them. */
export const settling = Effect.fnUntraced(function* (access: Access, count: number) {
  const settle = yield* makeSettle(access)
  const line = (yield* openCharges(access, count)).values()
  return Effect.suspend(() => {
    const { done, value } = line.next()
    return done === true ? Effect.die(new Error("Every charge is paid.")) : settle(value)
  })
})

/** Notices of payments of charges of one wallet. */
export const confirmations: Job = {
  key: "confirm",
  name: "confirmation of payments, one wallet",
  count: 2_000,
  prepare: (access, count) => Effect.map(settling(access, count), (one) => ({ _tag: "Each", one }))
}
