import type { NewPspPayout, PspBalance, PspPayout } from "@pagora/core"
import { Money, present, PspOutcome } from "@pagora/core"
import * as Psp from "@pagora/core/psp"
import { Duration, Effect } from "effect"
import { reasonOf, saysThatNo, unexplained } from "./WooviCalls.ts"

const aliasTypes = { cpf: "CPF", cnpj: "CNPJ", email: "EMAIL", phone: "PHONE", random: "RANDOM" }
const pause = Duration.minutes(15)

/** Payouts by their `correlationID`: as long as it is the same, money leaves once (docs/payment/payment-idempotency). */
export const makePayouts = ({ ask, find, order }: Psp.JsonApi) => {
  const look = (reference: string) =>
    find(readPayout, `/payment/${reference}`, saysThatNo("payment|pagamento|movement"))

  /** With what came back of it. Whether one that failed was refused or came back is not known before that was told. */
  const withReturn = ({ payout }: Sent): Psp.Asked<PspPayout> => {
    const { endToEndId, status } = payout
    if (status === "processing" || endToEndId === undefined) return Effect.succeed(payout)
    return Effect.catchIf(
      order(readReturned(payout), "GET", `/transaction?withdrawal=${endToEndId}&type=REFUND`),
      ({ _tag }) => status === "completed" || _tag === "Rejected",
      () => Effect.succeed(payout)
    )
  }

  /** What is there once it was told to leave, and why it has not. */
  const approve = (correlationID: string): Psp.Asked<readonly [sent: Sent, why: string]> => {
    const approved = order(() => "not approved", "POST", "/payment/approve", { correlationID })
    const why = Effect.catchTag(approved, "Rejected", ({ code }) => Effect.succeed(code))
    return Effect.flatMap(why, (why) =>
      Effect.map(Psp.orFail(look(correlationID), Psp.another), (sent) => [sent, why])
    )
  }

  return Psp.someCalls({
    sendPayout: (asked) =>
      Effect.gen(function* () {
        const { amount, pixKey, reference } = asked
        const made = order(readPayout, "POST", "/payment", {
          type: "PIX_KEY",
          correlationID: reference,
          value: Number(amount),
          destinationAlias: pixKey.value,
          destinationAliasType: aliasTypes[pixKey.type],
          autoApprove: true
        })
        // A repeat is refused, and so is a request that Woovi keeps: what is there tells which.
        const sent = yield* Psp.unlessThere(made, look(reference))
        if (!isAsked(asked, sent)) return yield* Psp.failed(Psp.another)
        if (!sent.isRequest) return yield* Psp.onceTaken(withReturn(sent))
        const [left, why] = yield* Psp.onceTaken(approve(reference))
        // What stays a request is never refused: somebody may approve it in Woovi's panel.
        if (left.isRequest)
          return yield* Psp.failed(PspOutcome.notNow(`a request waits at Woovi: ${why}`, pause))
        return yield* Psp.onceTaken(withReturn(left))
      }),
    findPayout: ({ reference }) => Psp.whereThere(look(reference), withReturn),
    balance: () => ask(readBalance, "/account/")
  })
}

/** Of the account that charges are paid into and payouts leave from: an AppID may see others besides (`CompanyBankAccount`). */
const readBalance = (answer: Psp.Fields): PspBalance => {
  const ours = answer.list("accounts").find((one) => one.isTrue("isDefault"))
  const centavos = (path: string) =>
    Money.Centavos.make(BigInt((ours ?? answer.at("default")).int(path)))
  return { available: centavos("balance.available"), blocked: centavos("balance.blocked") }
}

type Sent = ReturnType<typeof readPayout>

/** Keys as people write them, and as the directory does. */
const bare = (key: string): string => key.toLowerCase().replaceAll(/[.\-/+() ]/g, "")

/** A repeat is answered by what is there, which must be what was asked for. */
const isAsked = ({ amount, pixKey, reference }: NewPspPayout, { key, payout }: Sent): boolean =>
  payout.reference === reference &&
  payout.amount === amount &&
  (key === undefined || bare(key) === bare(pixKey.value))

/** A status of another name is of one under way. */
const statuses = {
  CONFIRMED: "completed",
  FAILED: "rejected",
  DENIED: "rejected",
  REJECTED: "rejected"
} as const

/** `Payment`, `PaymentTransaction` and `PaymentDestination`. It has no id of its own for a payout. */
const readPayout = (answer: Psp.Fields) => {
  const reference = answer.text("payment.correlationID")
  const status = answer.word<PspPayout["status"]>("payment.status", statuses, "processing")
  const told = answer.textIf("transaction.providerRejectedReason", "error.description") ?? ""
  const ofNetwork = /^([A-Z0-9]{4}) - /.exec(told)?.[1] ?? answer.textIf("error.code")
  const code = answer.textIf("transaction.providerErrorCode") ?? ofNetwork ?? unexplained.code
  const rejection = { code: reasonOf(code, told), message: told || unexplained.message }
  const endToEndId = [answer.textIf("transaction.endToEndId")].find(Psp.isEndToEndId)
  // By that name alone it shows whether money came back that had left.
  if (status === "rejected" && endToEndId === undefined && answer.has("transaction"))
    throw new Psp.Misfit({ place: "transaction.endToEndId" })
  const payout: PspPayout = {
    reference,
    pspReference: reference,
    status,
    amount: answer.centavos("payment.value"),
    recipient: Psp.payerOf(answer.textIf("destination.name"), answer.textIf("destination.taxID")),
    ...present({
      endToEndId,
      settledAt: status === "completed" ? answer.timeIf("transaction.time") : undefined,
      rejection: status === "rejected" ? rejection : undefined
    })
  }
  return {
    payout,
    isRequest: answer.text("payment.status") === "CREATED",
    key: answer.textIf("payment.destinationAlias", "destination.pixKey")
  }
}

/**
 * `CONFIRMED` is not the end (event `OPENPIX:MOVEMENT_FAILED`): what came back shows by the transaction of its return, which must
 * name the payout. Another of the same amount would credit a wallet with money that is gone.
 */
const readReturned =
  (payout: PspPayout) =>
  (answer: Psp.Fields): PspPayout => {
    const { rejection, ...rest } = payout
    const isOfPayout = (one: Psp.Fields) =>
      one.textIf("type") === "REFUND" &&
      one.textIf("withdraw.endToEndId") === payout.endToEndId &&
      BigInt(Math.abs(one.int("value"))) === payout.amount
    // An answer without a list is no empty one.
    if (!answer.has("transactions")) throw new Psp.Misfit({ place: "transactions" })
    const back = answer.list("transactions").find(isOfPayout)
    const returnId = back?.textIf("endToEndId")
    if (back === undefined || !Psp.isReturnId(returnId)) return payout
    const reversal = { returnId, at: back.time("time"), code: rejection?.code ?? "returned" }
    return { ...rest, status: "reversed", reversal }
  }
