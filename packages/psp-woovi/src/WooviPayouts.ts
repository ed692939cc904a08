import type { NewPspPayout, PspBalance, PspPayout } from "@pagora/core"
import { Money, present, PspOutcome } from "@pagora/core"
import type { Asked, Fields, JsonApi } from "@pagora/core/psp"
import {
  another,
  failed,
  isEndToEndId,
  isReturnId,
  Misfit,
  onceTaken,
  someCalls,
  unlessThere,
  whereThere
} from "@pagora/core/psp"
import { Duration, Effect } from "effect"
import { payerOf, reasonOf, saysThatNo, unexplained } from "./WooviCalls.ts"

const aliasTypes = { cpf: "CPF", cnpj: "CNPJ", email: "EMAIL", phone: "PHONE", random: "RANDOM" }
const pause = Duration.minutes(15)

/** Payouts by their `correlationID`: as long as it is the same, money leaves once (docs/payment/payment-idempotency). */
export const makePayouts = ({ ask, find, order }: JsonApi) => {
  const look = (reference: string) =>
    find(readPayout, `/payment/${reference}`, saysThatNo("payment|pagamento|movement"))

  /** With what came back of it. Whether one that failed was refused or came back is not known before that was told. */
  const withReturn = ({ payout }: Sent): Asked<PspPayout> => {
    const { endToEndId, status } = payout
    if (status === "processing" || endToEndId === undefined) return Effect.succeed(payout)
    const path = `/transaction?withdrawal=${endToEndId}&type=REFUND`
    return order(readReturned(payout), "GET", path).pipe(
      Effect.catch((outcome) =>
        status === "completed" || outcome._tag === "Rejected"
          ? Effect.succeed(payout)
          : Effect.fail(outcome)
      )
    )
  }

  /** What is there once it was told to leave, and why it has not. */
  const approve = (correlationID: string): Asked<readonly [sent: Sent, why: string]> =>
    Effect.gen(function* () {
      const approved = order(() => "not approved", "POST", "/payment/approve", { correlationID })
      const why = yield* Effect.catchTag(approved, "Rejected", ({ code }) => Effect.succeed(code))
      return [(yield* look(correlationID)) ?? (yield* failed(another)), why]
    })

  return someCalls({
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
        const sent = yield* unlessThere(made, look(reference))
        if (!isAsked(asked, sent)) return yield* failed(another)
        if (!sent.isRequest) return yield* onceTaken(withReturn(sent))
        const [left, why] = yield* onceTaken(approve(reference))
        // What stays a request is never refused: somebody may approve it in Woovi's panel.
        if (left.isRequest)
          return yield* failed(PspOutcome.notNow(`a request waits at Woovi: ${why}`, pause))
        return yield* onceTaken(withReturn(left))
      }),
    findPayout: ({ reference }) => whereThere(look(reference), withReturn),
    balance: () => ask(readBalance, "/account/")
  })
}

/** Of the account that charges are paid into and payouts leave from: an AppID may see others besides (`CompanyBankAccount`). */
const readBalance = (answer: Fields): PspBalance => {
  const ours = answer.list("accounts").find((one) => one.isTrue("isDefault"))
  const centavos = (path: string) =>
    Money.Centavos.make(BigInt((ours ?? answer.at("default")).int(path)))
  return { available: centavos("balance.available"), blocked: centavos("balance.blocked") }
}

interface Sent {
  readonly payout: PspPayout
  readonly isRequest: boolean
  readonly key: string | undefined
}

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
const readPayout = (answer: Fields): Sent => {
  const reference = answer.text("payment.correlationID")
  const status = answer.word<PspPayout["status"]>("payment.status", statuses, "processing")
  const rejectedReason = answer.textIf("transaction.providerRejectedReason")
  const told = rejectedReason ?? answer.textIf("error.description") ?? ""
  const ofNetwork =
    answer.textIf("transaction.providerErrorCode") ?? /^([A-Z0-9]{4}) - /.exec(told)?.[1]
  const code = ofNetwork ?? answer.textIf("error.code") ?? unexplained.code
  const rejection = { code: reasonOf(code, told), message: told || unexplained.message }
  const endToEndId = [answer.textIf("transaction.endToEndId")].find(isEndToEndId)
  // By that name alone it shows whether money came back that had left.
  if (status === "rejected" && endToEndId === undefined && answer.has("transaction"))
    throw new Misfit({ place: "transaction.endToEndId" })
  const payout = {
    reference,
    pspReference: reference,
    status,
    amount: answer.centavos("payment.value"),
    recipient: payerOf(answer.textIf("destination.name"), answer.textIf("destination.taxID")),
    ...present({
      endToEndId,
      settledAt: status === "completed" ? answer.timeIf("transaction.time") : undefined,
      rejection: status === "rejected" ? rejection : undefined
    })
  }
  return {
    payout,
    isRequest: answer.text("payment.status") === "CREATED",
    key: answer.textIf("payment.destinationAlias") ?? answer.textIf("destination.pixKey")
  }
}

/**
 * `CONFIRMED` is not the end (event `OPENPIX:MOVEMENT_FAILED`): what came back shows by the transaction of its return, which must
 * name the payout. Another of the same amount would credit a wallet with money that is gone.
 */
const readReturned =
  (payout: PspPayout) =>
  (answer: Fields): PspPayout => {
    const { rejection, ...rest } = payout
    const isOfPayout = (one: Fields) =>
      one.textIf("type") === "REFUND" &&
      one.textIf("withdraw.endToEndId") === payout.endToEndId &&
      BigInt(Math.abs(one.int("value"))) === payout.amount
    // An answer without a list is no empty one.
    if (!answer.has("transactions")) throw new Misfit({ place: "transactions" })
    const back = answer.list("transactions").find(isOfPayout)
    const returnId = back?.textIf("endToEndId")
    if (back === undefined || !isReturnId(returnId)) return payout
    const reversal = { returnId, at: back.time("time"), code: rejection?.code ?? "returned" }
    return { ...rest, status: "reversed", reversal }
  }
