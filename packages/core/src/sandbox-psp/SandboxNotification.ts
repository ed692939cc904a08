import { DateTime, Result } from "effect"
import { toBrlString } from "../kernel/Money.ts"
import type { JsonValue } from "../kernel/StrictJson.ts"
import { JsonNumber, parse } from "../kernel/StrictJson.ts"
import type { PspNotice } from "../ports/Psp.ts"
import type { SandboxPayment } from "./SandboxCharge.ts"
import type { SandboxPayout } from "./SandboxPayout.ts"
import type { SandboxRefund } from "./SandboxRefund.ts"

/** The body that tells of one payment, as the Pix API of the Central Bank has it, with the payer as banks add it. */
export const writePayment = (reference: string, payment: SandboxPayment): string => {
  const { document, name } = payment.payer
  return JSON.stringify({
    pix: [
      {
        endToEndId: payment.endToEndId,
        txid: reference,
        valor: toBrlString(payment.amount),
        horario: DateTime.formatIso(payment.paidAt),
        pagador: {
          nome: name,
          ...(document.length === 11 ? { cpf: document } : { cnpj: document })
        }
      }
    ]
  })
}

/** The body that tells of one return, as the Pix API has it: a list inside the payment that goes back. */
export const writeRefund = (refund: SandboxRefund): string =>
  JSON.stringify({
    pix: [
      {
        endToEndId: refund.endToEndId,
        devolucoes: [
          {
            id: refund.reference,
            ...(refund.returnId === undefined ? {} : { rtrId: refund.returnId }),
            valor: toBrlString(refund.amount),
            horario: {
              solicitacao: DateTime.formatIso(refund.createdAt),
              ...(refund.settledAt === undefined
                ? {}
                : { liquidacao: DateTime.formatIso(refund.settledAt) })
            },
            status: refundStatuses[refund.status]
          }
        ]
      }
    ]
  })

const refundStatuses = {
  processing: "EM_PROCESSAMENTO",
  confirmed: "DEVOLVIDO",
  rejected: "NAO_REALIZADO"
} as const

/** The body that tells of one payout. The Pix API has no payouts, so each PSP has a form of its own for them. */
export const writePayout = (payout: SandboxPayout): string =>
  JSON.stringify({
    payouts: [
      {
        reference: payout.reference,
        status: payout.status,
        amount: toBrlString(payout.amount),
        ...(payout.endToEndId === undefined ? {} : { endToEndId: payout.endToEndId })
      }
    ]
  })

/**
 * What a body tells of, each once, in order; undefined when it is no notification, as a whole. `pix` may be one
 * object, as the official example has its inner lists. A Pix without a txid is not for a charge.
 */
export const readNotices = (text: string): ReadonlyArray<PspNotice> | undefined => {
  const body = Result.getOrUndefined(parse(text))
  if (!isObject(body) || (body["pix"] === undefined && body["payouts"] === undefined)) {
    return undefined
  }
  const pix = objectsOf(body["pix"])
  const payouts = objectsOf(body["payouts"])
  const refunds = pix?.map((one) => objectsOf(one["devolucoes"]))
  if (pix === undefined || payouts === undefined || refunds === undefined) return undefined
  const notices = new Map<string, PspNotice>()
  const takes = (_tag: PspNotice["_tag"], reference: JsonValue | undefined): boolean => {
    if (typeof reference !== "string" || !/^[A-Za-z0-9]{1,35}$/.test(reference)) return false
    notices.set(`${_tag} ${reference}`, { _tag, reference })
    return true
  }
  const isRead =
    pix.every(({ txid }) => txid === undefined || takes("Charge", txid)) &&
    refunds.every((list) => list?.every(({ id }) => takes("Refund", id)) ?? false) &&
    payouts.every(({ reference }) => takes("Payout", reference))
  return isRead ? [...notices.values()] : undefined
}

/** A list of objects, or one object for a list of one; nothing is an empty list. */
const objectsOf = (
  value: JsonValue | undefined
): ReadonlyArray<{ readonly [key: string]: JsonValue }> | undefined => {
  if (value === undefined) return []
  const list: ReadonlyArray<JsonValue> = Array.isArray(value) ? value : [value as JsonValue]
  return list.every(isObject) ? list : undefined
}

const isObject = (value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof JsonNumber)
