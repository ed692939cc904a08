import type { Answer, Asked, Route } from "../door/Exchange.ts"
import { isRecord, member, Refused, textAt } from "../door/Exchange.ts"
import type { Person } from "../world/BankAccount.ts"
import { fromReais, toReais } from "../world/Centavos.ts"
import type { Charge, ChargeTerms } from "../world/Charge.ts"
import { changeCharge, createCharge, findCharge, removeCharge } from "../world/Charges.ts"
import type { World } from "../world/World.ts"
import type { BankProfile } from "./BankProfile.ts"
import { flag, pageOf, periodOf } from "./Pages.ts"
import { chargeView } from "./Views.ts"

/** [BCB] `calendario.expiracao`, unless told. */
const secondsUnlessTold = 86_400

export const chargeRoutes = (
  world: World,
  profile: BankProfile,
  onTaken: (charge: Charge) => void
): ReadonlyArray<Route> => {
  const { base, bases } = profile
  const one = `${bases.cob ?? base}/cob/:txid`
  const list = `${bases.cob_list ?? base}/cob`
  const found = ({ account, params }: Asked): Charge => {
    const charge = findCharge(world, account, params["txid"] ?? "")
    if (charge !== undefined) return charge
    const detail = "Cobrança não encontrada para o txid informado."
    throw new Refused({ status: 404, type: "CobNaoEncontrado", detail })
  }
  return [
    {
      operation: "createCharge",
      method: "PUT",
      path: one,
      scope: "cob.write",
      handle: (asked) => create({ world, profile, onTaken }, asked, asked.params["txid"] ?? ""),
      lie: misquoted
    },
    {
      operation: "createChargeUnnamed",
      method: "POST",
      path: list,
      scope: "cob.write",
      handle: (asked) => create({ world, profile, onTaken }, asked, world.ids.text(32))
    },
    {
      operation: "findCharge",
      method: "GET",
      path: one,
      scope: "cob.read",
      handle: (asked) => ({ status: 200, body: chargeView(found(asked)) }),
      lie: unpaid
    },
    {
      operation: "changeCharge",
      method: "PATCH",
      path: `${bases.cob_patch ?? base}/cob/:txid`,
      scope: "cob.write",
      handle: (asked) => change(asked, found(asked))
    },
    {
      operation: "listCharges",
      method: "GET",
      path: list,
      scope: "cob.read",
      handle: (asked) => listed(world, asked)
    }
  ]
}

const invalid = (detail: string, propriedade?: string): Refused =>
  new Refused({
    status: 400,
    type: "CobOperacaoInvalida",
    detail,
    ...(propriedade === undefined ? {} : { violations: [{ razao: detail, propriedade }] })
  })

interface Creating {
  readonly world: World
  readonly profile: BankProfile
  readonly onTaken: (charge: Charge) => void
}

const create = ({ onTaken, profile, world }: Creating, asked: Asked, txid: string): Answer => {
  if (!/^[a-zA-Z0-9]{26,35}$/.test(txid)) throw invalid("O txid não respeita o schema.", "txid")
  const terms = termsOf(asked)
  const before = findCharge(world, asked.account, txid)
  if (before === undefined) {
    const charge = createCharge(world, asked.account, txid, terms)
    onTaken(charge)
    return { status: 201, body: chargeView(charge) }
  }
  if (profile.repeats.charge === 409) {
    const detail = "Campo txid já utilizado para outra cobrança"
    throw new Refused({ status: 409, type: "CobOperacaoInvalida", code: "txid_duplicado", detail })
  }
  // [BCB] A charge that is not active is not altered; one that is takes new terms as a revision.
  if (before.status !== "ATIVA") throw invalid("A cobrança já existe e não está no status ATIVA.")
  if (!isSame(before.terms, terms)) changeCharge(before, terms)
  return { status: 201, body: chargeView(before) }
}

const isSame = (one: ChargeTerms, other: ChargeTerms) =>
  JSON.stringify(Object.entries(one).toSorted()) ===
  JSON.stringify(Object.entries(other).toSorted())

const termsOf = ({ account, json }: Asked): ChargeTerms => {
  const centavos = fromReais(member(json, "valor", "original"))
  if (centavos === undefined)
    throw invalid("O campo cob.valor.original não respeita o schema.", "cob.valor.original")
  if (centavos === 0) throw invalid("O campo cob.valor.original é zero.", "cob.valor.original")
  const seconds = member(json, "calendario", "expiracao") ?? secondsUnlessTold
  if (typeof seconds !== "number" || seconds <= 0) {
    throw invalid(
      "O campo cob.calendario.expiracao é igual ou menor que zero.",
      "cob.calendario.expiracao"
    )
  }
  const key = textAt(json, "chave") ?? ""
  if (!account.keys.includes(key)) {
    throw invalid(
      "O campo cob.chave corresponde a uma conta que não pertence a este usuário recebedor.",
      "cob.chave"
    )
  }
  const debtor = debtorOf(member(json, "devedor"))
  const message = textAt(json, "solicitacaoPagador")
  const notes = notesOf(member(json, "infoAdicionais"))
  return {
    key,
    centavos,
    expiresInSeconds: seconds,
    ...(debtor === undefined ? {} : { debtor }),
    ...(message === undefined ? {} : { message }),
    ...(notes === undefined ? {} : { notes })
  }
}

const debtorOf = (told: unknown): Person | undefined => {
  const document = textAt(told, "cpf") ?? textAt(told, "cnpj")
  const name = textAt(told, "nome")
  if (told === undefined) return undefined
  if (document !== undefined && name !== undefined) return { document, name }
  throw invalid("O objeto cob.devedor não respeita o schema.", "cob.devedor")
}

const notesOf = (told: unknown): ChargeTerms["notes"] =>
  Array.isArray(told)
    ? told.map((note: unknown) => ({
        nome: textAt(note, "nome") ?? "",
        valor: textAt(note, "valor") ?? ""
      }))
    : undefined

const change = ({ account, json }: Asked, charge: Charge): Answer => {
  if (charge.status !== "ATIVA") {
    throw invalid("A cobrança não está ATIVA, e a presente requisição busca alterá-la.")
  }
  const changes = isRecord(json) ? json : {}
  const status = textAt(changes, "status")
  if (status === undefined) changeCharge(charge, changed(account.keys, charge, changes))
  else if (status !== "REMOVIDA_PELO_USUARIO_RECEBEDOR") {
    throw invalid("O campo cob.status não respeita o schema.", "cob.status")
  } else if (Object.keys(changes).length > 1) {
    throw invalid("A remoção não pode vir com outras alterações.", "cob.status")
  } else removeCharge(charge, "owner")
  return { status: 200, body: chargeView(charge) }
}

/** What the request does not name stays. */
const changed = (
  keys: ReadonlyArray<string>,
  { terms }: Charge,
  changes: Readonly<Record<string, unknown>>
): ChargeTerms => {
  const key = textAt(changes, "chave") ?? terms.key
  const original = member(changes, "valor", "original")
  const centavos = original === undefined ? terms.centavos : fromReais(original)
  const seconds = member(changes, "calendario", "expiracao") ?? terms.expiresInSeconds
  const debtor = debtorOf(changes["devedor"]) ?? terms.debtor
  if (!keys.includes(key)) throw invalid("O campo cob.chave não é deste usuário.", "cob.chave")
  if (centavos === undefined || centavos === 0 || typeof seconds !== "number" || seconds <= 0) {
    throw invalid("A alteração não respeita o schema.")
  }
  const message = textAt(changes, "solicitacaoPagador")
  return {
    ...terms,
    key,
    centavos,
    expiresInSeconds: seconds,
    ...(debtor === undefined ? {} : { debtor }),
    ...(message === undefined ? {} : { message })
  }
}

const listed = (world: World, asked: Asked): Answer => {
  const type = "CobConsultaInvalida"
  const { document, isIn, parametros } = periodOf(asked, type)
  const { status } = asked.query
  const charges = world.charges
    .filter(({ account, createdAt }) => account === asked.account && isIn(createdAt))
    .filter(({ terms }) => document === undefined || terms.debtor?.document === document)
    .filter((charge) => status === undefined || charge.status === status)
    // Every charge here has a location, so asking for those without finds none.
    .filter(() => flag(asked, "locationPresente") !== false)
  const { items, paginacao } = pageOf(asked, type, charges)
  return {
    status: 200,
    body: { parametros: { ...parametros, paginacao }, cobs: items.map(chargeView) }
  }
}

/** For the fault `lie`: another amount than was asked for. */
const misquoted = ({ body, status }: Answer): Answer => {
  const original = fromReais(member(body, "valor", "original"))
  if (!isRecord(body) || original === undefined) return { status, body }
  return { status, body: { ...body, valor: { original: toReais(original + 1) } } }
}

/** For the fault `lie`: nobody paid. */
const unpaid = ({ body, status }: Answer): Answer => {
  if (!isRecord(body) || body["pix"] === undefined) return { status, body }
  const { pix: _, ...told } = body
  return { status, body: { ...told, status: "ATIVA" } }
}
