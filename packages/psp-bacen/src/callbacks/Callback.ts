import type { PayerClaim, PspNotice } from "@pagora/core"
import { Document, present } from "@pagora/core"
import { isEndToEndId, isReference } from "@pagora/core/psp"
import { Result, Schema } from "effect"

const optional = Schema.optionalKey(Schema.String)

/** What we need of an entry of `pix[]` of a callback, with what Efí adds to it. */
const Entry = Schema.Struct({
  endToEndId: optional,
  txid: optional,
  chave: optional,
  devolucoes: Schema.optionalKey(Schema.Array(Schema.Struct({ id: optional, natureza: optional }))),
  gnExtras: Schema.optionalKey(
    Schema.Struct({
      idEnvio: optional,
      pagador: Schema.optionalKey(Schema.Struct({ nome: optional, cpf: optional, cnpj: optional }))
    })
  )
})
type Entry = typeof Entry.Type

const entryOf = Schema.decodeUnknownResult(Entry)

/** Efí's test of an address, and others that learnt from it. */
const isTest = Schema.is(Schema.Struct({ evento: Schema.String }))
const hasPix = Schema.is(Schema.Struct({ pix: Schema.Array(Schema.Unknown) }))

/** More than any bank sends at once. */
const entriesMax = 1_000

/**
 * What a callback names; undefined where it is none. That something is to be asked about is all that is believed of it: an entry
 * about a key that is not ours is left out, and what is told of another customer's key by our own name is not found when it is
 * read back.
 */
export const readCallback = (
  json: unknown,
  pixKey: string
): ReadonlyArray<PspNotice> | undefined => {
  if (!hasPix(json)) return isTest(json) ? [] : undefined
  const notices = json.pix
    .slice(0, entriesMax)
    .flatMap((entry) => Result.getOrUndefined(entryOf(entry)) ?? [])
    .flatMap((entry) => noticesOf(entry, pixKey))
  return distinct(notices)
}

const noticesOf = (entry: Entry, pixKey: string): ReadonlyArray<PspNotice> => {
  const { chave, devolucoes = [], endToEndId, gnExtras, txid } = entry
  const sent = gnExtras?.idEnvio
  if (sent !== undefined) return isReference(sent) ? [{ _tag: "Payout", reference: sent }] : []
  if (chave !== undefined && chave !== pixKey) return []
  if (endToEndId === undefined || !isEndToEndId(endToEndId)) return []
  const payment: PspNotice = { _tag: "Payment", endToEndId }
  const charge: PspNotice =
    txid !== undefined && isReference(txid)
      ? { _tag: "Charge", reference: txid, ...present({ payers: payersOf(entry, endToEndId) }) }
      : payment
  const returned = devolucoes.flatMap(({ id = "", natureza = "" }): ReadonlyArray<PspNotice> => {
    const ours: PspNotice = { _tag: "Refund", reference: id }
    // Who began a return is told by its nature alone, and not by every bank.
    if (!isReference(id) || natureza.startsWith("MED")) return [payment]
    return natureza === "" ? [ours, payment] : [ours]
  })
  return [charge, ...returned]
}

const payersOf = (
  { gnExtras }: Entry,
  endToEndId: string
): ReadonlyArray<PayerClaim> | undefined => {
  const payer = gnExtras?.pagador
  const document = Result.getOrUndefined(Document.parse(payer?.cpf ?? payer?.cnpj ?? ""))
  return document === undefined
    ? undefined
    : [{ endToEndId, document, ...present({ name: payer?.nome }) }]
}

const distinct = (notices: ReadonlyArray<PspNotice>): ReadonlyArray<PspNotice> => [
  ...new Map(notices.map((notice) => [JSON.stringify(notice), notice])).values()
]
