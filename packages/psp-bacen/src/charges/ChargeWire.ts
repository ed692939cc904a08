import type { NewPspCharge, PspCharge, PspPayment } from "@pagora/core"
import { BrCode, Money, present } from "@pagora/core"
import { DateTime, Result, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { Pix, readPayment } from "../received/PixWire.ts"
import { Amount, documentField, readAmount, readTime, Time } from "../Words.ts"

const Seconds = Schema.Union([Schema.Number, Schema.NumberFromString])

/** What we need of a charge (`CobCompleta`). */
const Cob = Schema.Struct({
  txid: Schema.String,
  status: Schema.Literals([
    "ATIVA",
    "CONCLUIDA",
    "REMOVIDA_PELO_USUARIO_RECEBEDOR",
    "REMOVIDA_PELO_PSP"
  ]),
  calendario: Schema.Struct({ criacao: Time, expiracao: Seconds }),
  valor: Schema.Struct({ original: Amount }),
  pixCopiaECola: Schema.optionalKey(Schema.NonEmptyString),
  /** Sicoob's name for the same. */
  brcode: Schema.optionalKey(Schema.NonEmptyString),
  location: Schema.optionalKey(Schema.NonEmptyString),
  loc: Schema.optionalKey(Schema.Struct({ location: Schema.optionalKey(Schema.NonEmptyString) })),
  pix: Schema.optionalKey(Schema.Array(Pix))
})

const decodeCob = Schema.decodeUnknownSync(Cob)

const statuses = {
  ATIVA: "active",
  CONCLUIDA: "paid",
  REMOVIDA_PELO_USUARIO_RECEBEDOR: "removed",
  REMOVIDA_PELO_PSP: "removed"
} as const

/** Reads a charge; throws where it does not fit, or has no code that can be paid. */
export const readCharge = (json: unknown, merchant: BankDesk["merchant"]): PspCharge => {
  const cob = decodeCob(json)
  const createdAt = readTime(cob.calendario.criacao)
  const payments: ReadonlyArray<PspPayment> = (cob.pix ?? []).map(readPayment)
  return {
    reference: cob.txid,
    // The txid is the only id that all banks give it.
    pspPaymentId: cob.txid,
    status: statuses[cob.status],
    amount: readAmount(cob.valor.original),
    pixCopyPaste: cob.pixCopiaECola ?? cob.brcode ?? codeAt(cob, merchant),
    createdAt,
    expiresAt: DateTime.add(createdAt, { seconds: cob.calendario.expiracao }),
    payments
  }
}

/** A bank that gives no code gives the location that stands in it. */
const codeAt = (cob: typeof Cob.Type, merchant: BankDesk["merchant"]): string => {
  const location = cob.location ?? cob.loc?.location
  if (location === undefined || merchant === undefined)
    throw new Error("a charge without a code; tell `merchant`, so that one can be written")
  return Result.getOrThrow(
    BrCode.build({
      kind: "dynamic",
      location: location.replace(/^https:\/\//, ""),
      merchantName: merchant.name,
      merchantCity: merchant.city
    })
  )
}

/** At most 140 characters (`solicitacaoPagador`). */
const descriptionMax = 140
const nameMax = 200

export const writeCharge = (charge: NewPspCharge, pixKey: string): unknown => ({
  calendario: { expiracao: charge.expiresInSeconds },
  valor: { original: Money.toBrlString(charge.amount) },
  chave: pixKey,
  ...present({
    solicitacaoPagador: charge.description?.slice(0, descriptionMax),
    devedor: debtorOf(charge.payer)
  })
})

const debtorOf = (payer: NewPspCharge["payer"]) => {
  const document = payer === undefined ? undefined : documentField(payer.document)
  return document === undefined ? undefined : { ...document, nome: payer?.name.slice(0, nameMax) }
}
