import type { FindPspRefund, NewPspRefund, PspRefund, PspShape } from "@pagora/core"
import { Money, present, PspOutcome } from "@pagora/core"
import { isEndToEndId, isPayable, isReference } from "@pagora/core/psp"
import { Effect, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { Devolucao, returnStatuses, settledAt } from "../received/PixWire.ts"
import type { Outcome } from "../Settling.ts"
import { readFound, settled } from "../Settling.ts"
import { readAmount } from "../Words.ts"

const decodeDevolucao = Schema.decodeUnknownSync(Devolucao)

/** At most 140 characters (`descricao`). */
const reasonMax = 140

/** Payments that go back: `PUT` and `GET /pix/{e2eid}/devolucao/{id}`. */
export const makeReturns = ({
  http,
  profile
}: BankDesk): Pick<PspShape, "refund" | "findRefund"> => {
  const pathOf = ({ endToEndId, reference }: FindPspRefund) =>
    `${profile.paths.pix}/${endToEndId}/devolucao/${reference}`

  const about = (asked: FindPspRefund) => (json: unknown) => {
    const refund = readRefund(json, asked.endToEndId)
    return refund.reference === asked.reference ? refund : undefined
  }

  const find = (asked: FindPspRefund): Outcome<PspRefund | undefined> =>
    Effect.map(
      http.call({ kind: "findRefund", scope: "pix", method: "GET", path: pathOf(asked) }),
      (heard) => readFound(heard, about(asked))
    )

  return {
    refund: (refund) => {
      const refusal = refusalOf(refund)
      if (refusal !== undefined) return Effect.succeed(refusal)
      return settled({
        heard: http.call({
          kind: "refund",
          scope: "pix",
          method: "PUT",
          path: pathOf(refund),
          body: {
            valor: Money.toBrlString(refund.amount),
            ...present({ descricao: refund.reason?.slice(0, reasonMax) })
          }
        }),
        read: about(refund),
        find: find(refund),
        isOrdered: ({ amount }) => amount === refund.amount
      })
    },

    findRefund: (asked) =>
      isReference(asked.reference) && isEndToEndId(asked.endToEndId)
        ? find(asked)
        : Effect.succeed(PspOutcome.done(undefined))
  }
}

const readRefund = (json: unknown, endToEndId: string): PspRefund => {
  const devolucao = decodeDevolucao(json)
  const status = returnStatuses[devolucao.status]
  return {
    reference: devolucao.id,
    endToEndId,
    status,
    amount: readAmount(devolucao.valor),
    ...present({
      returnId: devolucao.rtrId,
      settledAt: settledAt(devolucao),
      rejection: status === "rejected" ? rejectionOf(devolucao.motivo) : undefined
    })
  }
}

const rejectionOf = (motivo: string | undefined) => ({
  code: "rejected_by_recipient_psp",
  message: motivo === undefined || motivo === "" ? "The bank did not say why." : motivo
})

const refusalOf = (refund: NewPspRefund): PspOutcome<never> | undefined => {
  if (!isReference(refund.reference))
    return PspOutcome.rejected(
      "invalid_reference",
      "A return has an id of 26 to 35 letters and digits."
    )
  if (!isEndToEndId(refund.endToEndId))
    return PspOutcome.rejected(
      "payment_not_found",
      "There is no payment with such an end-to-end id."
    )
  return isPayable(refund.amount)
    ? undefined
    : PspOutcome.rejected("invalid_amount", "The amount cannot be returned by Pix.")
}
