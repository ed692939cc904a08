import type { PspBalance, PspPayout } from "@pagora/core"
import { Money, present, PspOutcome } from "@pagora/core"
import * as Psp from "@pagora/core/psp"
import { Duration, Effect } from "effect"
import { reasonOf, saysThatNo, unexplained } from "./WooviErrors.ts"

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

  return Psp.someCalls({
    sendPayout: (asked) =>
      Effect.gen(function* () {
        const { amount, pixKey, reference } = asked
        const there = Psp.orFail(look(reference), Psp.another)
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
        const { isRequest, key, payout } = sent
        if (!Psp.isAskedFor(asked, payout, key)) return yield* Psp.failed(Psp.another)
        if (!isRequest) return yield* Psp.onceTaken(withReturn(sent))
        const approve = { correlationID: reference }
        const approved = order(() => "not approved", "POST", "/payment/approve", approve)
        const why = Effect.catchTag(approved, "Rejected", ({ code }) => Effect.succeed(code))
        const [reason, left] = yield* Psp.onceTaken(Effect.all([why, there]))
        // What stays a request is never refused: somebody may approve it in Woovi's panel.
        if (left.isRequest)
          return yield* Psp.failed(PspOutcome.notNow(`a request waits at Woovi: ${reason}`, pause))
        return yield* Psp.onceTaken(withReturn(left))
      }),
    findPayout: ({ reference }) => Psp.whereThere(look(reference), withReturn),
    balance: () => ask(readBalance, "/account/")
  })
}

/** Of the account that charges are paid into and payouts leave from: an AppID may see others besides (`CompanyBankAccount`). */
const readBalance = (answer: Psp.Fields): PspBalance => {
  const ours = answer.listIf("accounts").find((one) => one.isTrue("isDefault"))
  const centavos = (path: string) =>
    Money.Centavos.make(BigInt((ours ?? answer.at("default")).int(path)))
  return { available: centavos("balance.available"), blocked: centavos("balance.blocked") }
}

type Sent = ReturnType<typeof readPayout>

/** A status of another name is of one under way. */
const statuses = { completed: "CONFIRMED", rejected: ["FAILED", "DENIED", "REJECTED"] }

/** `Payment`, `PaymentTransaction` and `PaymentDestination`. It has no id of its own for a payout. */
const readPayout = (answer: Psp.Fields) => {
  const reference = answer.text("payment.correlationID")
  const status = answer.word("payment.status", statuses, "processing")
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
    const back = answer.list("transactions").find(isOfPayout)
    const returnId = back?.textIf("endToEndId")
    if (back === undefined || !Psp.isReturnId(returnId)) return payout
    const reversal = { returnId, at: back.time("time"), code: rejection?.code ?? "returned" }
    return { ...rest, status: "reversed", reversal }
  }
