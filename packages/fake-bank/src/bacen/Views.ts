import type { Charge } from "../world/Charge.ts"
import { toReais } from "../world/Centavos.ts"
import type { Payment, PaymentReturn } from "../world/Payment.ts"
import type { Person } from "../world/BankAccount.ts"
import { brCode } from "./BrCode.ts"

// What the world knows, as the Central Bank's file has it.

const locationOf = ({ txid }: Charge): string => `pix.fake-bank.example/qr/v2/${txid}`

export const personView = ({ document, name }: Person) =>
  document.length === 11 ? { cpf: document, nome: name } : { cnpj: document, nome: name }

/** `CobCompleta`. */
export const chargeView = (charge: Charge) => {
  const { account, createdAt, locationId, payments, revision, status, terms, txid } = charge
  const location = locationOf(charge)
  const valor = toReais(terms.centavos)
  return {
    calendario: { criacao: createdAt.toISOString(), expiracao: terms.expiresInSeconds },
    txid,
    revisao: revision,
    loc: { id: locationId, location, tipoCob: "cob", criacao: createdAt.toISOString(), txid },
    location,
    status,
    ...(terms.debtor === undefined ? {} : { devedor: personView(terms.debtor) }),
    valor: { original: valor },
    chave: terms.key,
    ...(terms.message === undefined ? {} : { solicitacaoPagador: terms.message }),
    ...(terms.notes === undefined ? {} : { infoAdicionais: terms.notes }),
    pixCopiaECola: brCode(location, account.name, valor),
    ...(payments.length === 0 ? {} : { pix: payments.map(paymentView) })
  }
}

/** `Pix`. Who paid is not in it: the Central Bank's file has no place for it. */
export const paymentView = ({
  at,
  centavos,
  endToEndId,
  key,
  message,
  returns,
  txid
}: Payment) => ({
  endToEndId,
  ...(txid === undefined ? {} : { txid }),
  valor: toReais(centavos),
  chave: key,
  horario: at.toISOString(),
  ...(message === undefined ? {} : { infoPagador: message }),
  ...(returns.length === 0 ? {} : { devolucoes: returns.map(returnView) })
})

/** `Devolucao`. */
export const returnView = (back: PaymentReturn) => ({
  id: back.id,
  rtrId: back.returnId,
  valor: toReais(back.centavos),
  natureza: back.nature,
  ...(back.description === undefined ? {} : { descricao: back.description }),
  horario: {
    solicitacao: back.requestedAt.toISOString(),
    ...(back.status === "DEVOLVIDO" && back.settledAt !== undefined
      ? { liquidacao: back.settledAt.toISOString() }
      : {})
  },
  status: back.status,
  ...(back.reason === undefined ? {} : { motivo: back.reason })
})
