import type {
  PspInfraction,
  PspPayment,
  PspReceivedReturn,
  SandboxOrder,
  SandboxPsp
} from "@pagora/core"
import {
  checkSandboxPayment,
  Document,
  Money,
  present,
  SandboxChargeNotFound,
  SandboxPaymentNotThere
} from "@pagora/core"
import type { BankInHand } from "@pagora/fake-bank"
import { expiresAt, returnable } from "@pagora/fake-bank"
import { DateTime, Effect } from "effect"
import type { BankAtHand } from "./BankAtHand.ts"
import { attempt } from "./BankAtHand.ts"

type Hands = Pick<
  SandboxPsp["Service"],
  | "balance"
  | "decideInfraction"
  | "expire"
  | "pay"
  | "payKey"
  | "reportInfraction"
  | "returnPayment"
  | "setBalance"
>
type Payment = ReturnType<BankInHand["pay"]>

/** What is paid to the key where nobody says how much. */
const usualCentavos = 1_000

/** What payers do at a fake bank, and what the bank does by itself. */
export const makeBankHands = ({ act, bank }: BankAtHand): Hands => ({
  balance: Effect.sync(() => {
    const { balance, blocked } = bank.account
    const kept = blocked.judicial + blocked.med
    return { available: toAmount(balance - kept), blocked: toAmount(kept) }
  }),

  setBalance: ({ available, blocked }) =>
    Effect.sync(() => {
      bank.account.balance = Number(available + blocked)
      bank.account.blocked = { judicial: Number(blocked), med: 0 }
    }),

  pay: Effect.fn("BankHands.pay")(function* (reference, options = {}) {
    const order = yield* Effect.fromResult(checkSandboxPayment(options))
    const charge = yield* chargeOf(bank, reference)
    // Late or not, the money is taken.
    const paying = { ...payingOf(order), late: true }
    const pay = Effect.sync(() => paymentOf(bank.pay(charge.txid, paying)))
    return yield* act(Effect.replicateEffect(pay, order.times))
  }),

  payKey: Effect.fn("BankHands.payKey")(function* (options) {
    const order = yield* Effect.fromResult(checkSandboxPayment({ ...options, times: 1 }))
    const paying = { centavos: usualCentavos, ...payingOf(order) }
    return yield* act(Effect.sync(() => paymentOf(bank.payKey(paying))))
  }),

  expire: Effect.fn("BankHands.expire")(function* (reference) {
    const charge = yield* chargeOf(bank, reference)
    const end = Effect.sync(() => {
      if (charge.status === "ATIVA" && bank.clock.now() < expiresAt(charge))
        bank.expire(charge.txid)
      return { expiresAt: utc(expiresAt(charge)) }
    })
    return yield* act(end)
  }),

  returnPayment: Effect.fn("BankHands.returnPayment")(function* (endToEndId, amount) {
    const payment = yield* paymentNamed(bank, endToEndId)
    const rest = returnable(payment)
    const centavos = amount === undefined ? rest : Number(amount)
    if (centavos < 1 || centavos > rest)
      return yield* new SandboxPaymentNotThere({ endToEndId, reason: "returned" })
    return yield* act(
      Effect.sync(() => returnOf(bank.returnPayment(payment.endToEndId, { centavos })))
    )
  }),

  reportInfraction: Effect.fn("BankHands.reportInfraction")(function* (endToEndId, reason) {
    const payment = yield* paymentNamed(bank, endToEndId)
    const about = reason === undefined ? {} : { reason }
    return yield* act(
      Effect.sync(() => infractionOf(bank.reportInfraction(payment.endToEndId, about), "open"))
    )
  }),

  // Where it is accepted, the bank gives the money back by itself.
  decideInfraction: Effect.fn("BankHands.decideInfraction")(function* (id, status) {
    const infraction = bank.world.infractions.get(id)
    if (infraction === undefined) return undefined
    return yield* act(
      Effect.sync(() => {
        bank.decideInfraction(id, status)
        return infractionOf(infraction, status)
      })
    )
  })
})

const infractionOf = (
  { centavos, id, payment, reason, reportedAt }: ReturnType<BankInHand["reportInfraction"]>,
  status: PspInfraction["status"]
): PspInfraction => ({
  id,
  endToEndId: payment.endToEndId,
  status,
  amount: toAmount(centavos),
  reportedAt: utc(reportedAt),
  reason
})

const chargeOf = (bank: BankInHand, reference: string) =>
  attempt(
    () => bank.charge(reference),
    (reason) => (reason === "unknown_charge" ? new SandboxChargeNotFound({ reference }) : undefined)
  )

const paymentNamed = (bank: BankInHand, endToEndId: string) =>
  Effect.suspend(() => {
    const payment = bank.world.payments.get(endToEndId)
    return payment === undefined
      ? Effect.fail(new SandboxPaymentNotThere({ endToEndId, reason: "unknown" }))
      : Effect.succeed(payment)
  })

const payingOf = ({ amount, payerDocument: document, payerName }: SandboxOrder) => {
  const isCompany = document !== undefined && Document.kindOf(document) === "cnpj"
  const name = payerName ?? (isCompany ? "Empresa Fictícia Ltda" : undefined)
  return {
    payer: present({ document, name }),
    ...present({ centavos: amount === undefined ? undefined : Number(amount) })
  }
}

const paymentOf = ({ at, centavos, endToEndId, payer }: Payment): PspPayment => ({
  endToEndId,
  amount: toAmount(centavos),
  paidAt: utc(at),
  payer
})

const statuses = {
  EM_PROCESSAMENTO: "processing",
  DEVOLVIDO: "confirmed",
  NAO_REALIZADO: "rejected"
} as const

export const returnOf = (back: Payment["returns"][number]): PspReceivedReturn => ({
  reference: back.id,
  returnId: back.returnId,
  status: statuses[back.status],
  amount: toAmount(back.centavos),
  ...(back.settledAt === undefined ? {} : { settledAt: utc(back.settledAt) })
})

export const toAmount = (centavos: number): Money.Centavos => Money.Centavos.make(BigInt(centavos))

export const utc = (date: Date): DateTime.Utc => DateTime.fromDateUnsafe(date)
