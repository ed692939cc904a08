import { DateTime, Result } from "effect"
import { present } from "../kernel/Present.ts"
import { toBrlString } from "../kernel/Money.ts"
import type { JsonValue } from "../kernel/StrictJson.ts"
import { JsonNumber, parse } from "../kernel/StrictJson.ts"
import * as TxId from "../kernel/TxId.ts"
import type { PayerClaim, PspNotice } from "../ports/Psp.ts"
import type { SandboxPayment } from "./SandboxCharge.ts"
import type { SandboxInfraction } from "./SandboxInfraction.ts"
import type { SandboxPayout } from "./SandboxPayout.ts"
import type { SandboxRefund } from "./SandboxRefund.ts"

/** The body that tells of one payment, as the Pix API of the Central Bank has it, with the payer as banks add it. */
export const writePayment = (reference: string | undefined, payment: SandboxPayment): string => {
  const { document, name } = payment.payer
  return JSON.stringify({
    pix: [
      {
        endToEndId: payment.endToEndId,
        ...present({ txid: reference }),
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
            ...present({ rtrId: refund.returnId }),
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
        ...present({ endToEndId: payout.endToEndId })
      }
    ]
  })

/** The body that tells of one infraction. The Pix API has none, so each PSP has a form of its own for them. */
export const writeInfraction = (infraction: SandboxInfraction): string =>
  JSON.stringify({
    infractions: [
      {
        id: infraction.reference,
        endToEndId: infraction.endToEndId,
        amount: toBrlString(infraction.amount),
        status: infraction.status
      }
    ]
  })

/**
 * What a body tells of, each once, in order; undefined when it is no notification, as a whole. `pix` may be one
 * object, as the official example has its inner lists. A Pix without a txid is for no charge, and a return whose id is none
 * of ours was begun by the PSP: both are told of by the end-to-end id. An empty list tells of nothing,
 * as what PSPs send to try an address out.
 */
export const readNotices = (text: string): ReadonlyArray<PspNotice> | undefined => {
  const body = Result.getOrUndefined(parse(text))
  if (!isObject(body)) return undefined
  const pix = objectsOf(body["pix"])
  const payouts = objectsOf(body["payouts"])
  const infractions = objectsOf(body["infractions"])
  const isNone = [...subjects].every((name) => body[name] === undefined)
  if (pix === undefined || payouts === undefined || infractions === undefined || isNone)
    return undefined
  const lists = [
    ...pix.map(noticesOfPix),
    ...payouts.map(({ reference }) =>
      named(reference, (name) => ({ _tag: "Payout", reference: name }))
    ),
    ...infractions.map(({ id }) => named(id, (name) => ({ _tag: "Infraction", id: name })))
  ]
  const notices = new Map<string, PspNotice>()
  for (const list of lists) {
    if (list === undefined) return undefined
    for (const notice of list) notices.set(JSON.stringify(notice), notice)
  }
  return [...notices.values()]
}

const subjects: ReadonlySet<string> = new Set(["pix", "payouts", "infractions"])

type Json = { readonly [key: string]: JsonValue }

const noticesOfPix = (pix: Json): ReadonlyArray<PspNotice> | undefined => {
  const { endToEndId, txid } = pix
  const returns = objectsOf(pix["devolucoes"])
  if (returns === undefined) return undefined
  const ofPayment = named(endToEndId, (name) => ({ _tag: "Payment", endToEndId: name }))
  const ofReturns = returns.map(({ id }) =>
    typeof id === "string" && isOurs(id)
      ? named(id, (name) => ({ _tag: "Refund", reference: name }))
      : ofPayment
  )
  const ofCharge =
    txid === undefined
      ? // A return tells of the payment, too, below which it lies.
        returns.length > 0
        ? []
        : ofPayment
      : named(txid, (name) => ({ _tag: "Charge", reference: name, ...payersIn(pix) }))
  const all = [ofCharge, ...ofReturns]
  return all.some((list) => list === undefined) ? undefined : all.flatMap((list) => list ?? [])
}

/** Who has paid, as the notice claims. */
const payersIn = ({
  endToEndId,
  pagador
}: Json): { readonly payers?: ReadonlyArray<PayerClaim> } => {
  if (typeof endToEndId !== "string" || !isObject(pagador)) return {}
  const { cnpj, cpf, nome } = pagador
  const document = cpf ?? cnpj
  if (typeof document !== "string") return {}
  const name = typeof nome === "string" ? { name: nome } : {}
  return { payers: [{ endToEndId, document, ...name }] }
}

const isOurs = (reference: string): boolean =>
  Result.isSuccess(Result.flatMap(TxId.parse(reference), TxId.toUuid))

const named = (
  name: JsonValue | undefined,
  notice: (name: string) => PspNotice
): ReadonlyArray<PspNotice> | undefined =>
  typeof name === "string" && /^[A-Za-z0-9]{1,35}$/.test(name) ? [notice(name)] : undefined

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
