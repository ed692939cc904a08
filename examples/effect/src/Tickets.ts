import { Accounts, Charges, Money } from "@pagora/core"
import type { AccountNotFound, Charge, SubAccountNotFound } from "@pagora/core"
import { Context, Effect, Layer } from "effect"

type ChargeError = Effect.Error<ReturnType<Charges["Service"]["create"]>>

const price = Money.Centavos.make(12_000n)

/** Sells tickets of a festival. A service of yours like any other; Pagora's are what it is made of. */
export class Tickets extends Context.Service<
  Tickets,
  {
    /** A ticket that is reserved for half an hour, as the charge that pays it. */
    readonly reserve: (
      seat: string
    ) => Effect.Effect<Charge, ChargeError | AccountNotFound | SubAccountNotFound>
  }
>()("example/Tickets") {
  static readonly layer = Layer.effect(
    Tickets,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const charges = yield* Charges
      const festival = yield* accounts.create({ name: "Festival de Inverno" })

      const reserve = Effect.fn("Tickets.reserve")(function* (seat: string) {
        const account = yield* accounts.find(festival.id)
        const wallet = yield* accounts.acting(account, undefined)
        return yield* charges.create(wallet, {
          amount: price,
          expiresIn: 30 * 60,
          externalReference: seat
        })
      })
      return Tickets.of({ reserve })
    })
  )
}
