import type { PspPayout, SandboxPayoutOutcome, SandboxPsp } from "@pagora/core"
import { SandboxCannotSettle, SandboxPayoutNotFound, SandboxRefundNotFound } from "@pagora/core"
import type { BankInHand } from "@pagora/fake-bank"
import { Effect } from "effect"
import type { BankAtHand } from "./BankAtHand.ts"
import { attempt } from "./BankAtHand.ts"
import { returnOf, toAmount, utc } from "./BankHands.ts"

type Settling = Pick<
  SandboxPsp["Service"],
  "settleDue" | "settlePayout" | "settleRefund" | "settleSeen"
>
type Payout = ReturnType<BankInHand["payout"]>

/** What makes payouts and returns at a fake bank end: hands, or its clock. */
export const makeBankSettling = ({ act, bank, catchUp }: BankAtHand): Settling => {
  const settleDue = Effect.gen(function* () {
    const before = openAt(bank)
    yield* catchUp
    return Math.max(0, before - openAt(bank))
  })
  return { ...handsOf({ act, bank }), settleDue, settleSeen: settleDue }
}

const handsOf = ({ act, bank }: Pick<BankAtHand, "act" | "bank">) =>
  ({
    settlePayout: Effect.fn("BankSettling.settlePayout")(function* (reference, outcome) {
      const payout = bank.world.payouts.find((each) => isNamed(each, reference))
      if (payout === undefined) return yield* new SandboxPayoutNotFound({ reference })
      yield* act(endPayout(bank, payout, outcome))
      return payoutOf(reference, payout)
    }),

    settleRefund: Effect.fn("BankSettling.settleRefund")(function* (reference, outcome) {
      const found = [...bank.world.payments.values()].flatMap(({ endToEndId, returns }) =>
        returns.filter(({ id }) => id === reference).map((back) => ({ back, endToEndId }))
      )
      const [refund] = found
      if (refund === undefined) return yield* new SandboxRefundNotFound({ reference })
      const { back, endToEndId } = refund
      const end = outcome === "confirmed" ? "DEVOLVIDO" : "NAO_REALIZADO"
      const settle = attempt(
        () => {
          if (back.status !== end) bank.settleReturn(reference, end, { endToEndId })
        },
        () => new SandboxCannotSettle({ what: "refund", status: returnOf(back).status, outcome })
      )
      yield* act(settle)
      return { ...returnOf(back), endToEndId }
    })
  }) satisfies Partial<Settling>

/** Inter writes the reference with the hyphens of a UUID. */
const isNamed = (payout: Payout, reference: string): boolean =>
  payout.reference === reference || payout.reference.replaceAll("-", "") === reference

const endPayout = (bank: BankInHand, payout: Payout, outcome: SandboxPayoutOutcome) =>
  attempt(
    () => {
      const { _tag: end } = outcome
      if (payout.status === end) return
      if (payout.status === "awaiting_approval") bank.approvePayout(payout.id)
      const message = end === "completed" ? undefined : outcome.reason
      const failure = message === undefined ? undefined : { code: "AG03", message }
      // What comes back has arrived before.
      if (end === "reversed" && payout.status === "processing")
        bank.settlePayout(payout.id, "completed")
      bank.settlePayout(payout.id, end, failure)
    },
    () => new SandboxCannotSettle({ what: "payout", status: payout.status, outcome: outcome._tag })
  )

const statuses = {
  awaiting_approval: "processing",
  processing: "processing",
  completed: "completed",
  failed: "rejected",
  reversed: "reversed"
} as const

const payoutOf = (reference: string, payout: Payout): PspPayout => ({
  reference,
  pspReference: payout.id,
  status: statuses[payout.status],
  amount: toAmount(payout.centavos),
  endToEndId: payout.endToEndId,
  recipient: payout.recipient,
  ...(payout.settledAt === undefined ? {} : { settledAt: utc(payout.settledAt) })
})

/** How many payouts and returns are under way. */
const openAt = ({ world }: BankInHand): number => {
  const payouts = world.payouts.filter(({ status }) => status === "processing")
  const returns = [...world.payments.values()].flatMap((payment) =>
    payment.returns.filter(({ status }) => status === "EM_PROCESSAMENTO")
  )
  return payouts.length + returns.length
}
