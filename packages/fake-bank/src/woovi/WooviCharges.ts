import type { Answer, Asked, Route } from "../door/Exchange.ts"
import { isRecord, member, textAt } from "../door/Exchange.ts"
import type { Person } from "../world/BankAccount.ts"
import type { Charge } from "../world/Charge.ts"
import { createCharge, findCharge, removeCharge } from "../world/Charges.ts"
import type { WooviOffice } from "./WooviOffice.ts"
import { notFound, refused } from "./WooviRefusals.ts"
import { brCodeOf, chargeShape, isRemoved } from "./WooviShapes.ts"

const base = "/api/v1/charge"

export const chargeRoutes = (office: WooviOffice): ReadonlyArray<Route> => {
  const { world } = office
  const shown = (charge: Charge): Answer => ({
    status: 200,
    body: { charge: chargeShape(world, charge) }
  })
  return [
    {
      operation: "createCharge",
      method: "POST",
      path: base,
      handle: (asked) => {
        const charge = create(office, asked)
        const body = { correlationID: charge.txid, brCode: brCodeOf(charge) }
        return { status: 200, body: { charge: chargeShape(world, charge), ...body } }
      },
      lie: withCharge(({ value }) => ({ value: Number(value) + 1 }))
    },
    {
      operation: "findCharge",
      method: "GET",
      path: `${base}/:id`,
      handle: (asked) => shown(chargeAt(office, asked)),
      lie: withCharge(() => ({ status: "ACTIVE" }))
    },
    {
      operation: "changeCharge",
      method: "PATCH",
      path: `${base}/:id`,
      handle: (asked) => {
        const charge = chargeAt(office, asked)
        const expiresDate = new Date(textAt(asked.json, "expiresDate") ?? "")
        if (Number.isNaN(expiresDate.getTime()) || charge.payments.length > 0)
          throw refused("A cobrança não pode ser alterada")
        charge.endedAt = expiresDate
        return shown(charge)
      }
    },
    {
      operation: "removeCharge",
      method: "DELETE",
      path: `${base}/:id`,
      handle: (asked) => {
        const charge = chargeAt(office, asked)
        if (charge.payments.length > 0) throw refused("A cobrança já foi paga")
        removeCharge(charge, "owner")
        return { status: 200, body: { status: "OK", id: charge.txid } }
      }
    }
  ]
}

export const chargeAt = ({ account, world }: WooviOffice, { params }: Asked): Charge => {
  const charge = findCharge(world, account, params["id"] ?? "")
  if (charge !== undefined && !isRemoved(charge)) return charge
  throw notFound("Cobrança")
}

const lifeMin = 300
const lifeUsual = 2_592_000

const create = ({ account, pixKey, world }: WooviOffice, asked: Asked): Charge => {
  const { json, query } = asked
  const correlationID = textAt(json, "correlationID") ?? ""
  const known = findCharge(world, account, correlationID)
  if (known !== undefined) {
    if (query["return_existing"] === "true") return known
    throw refused("Já existe uma cobrança com o correlationID fornecido")
  }
  const value = member(json, "value")
  const expiresIn = member(json, "expiresIn") ?? lifeUsual
  if (correlationID === "") throw refused("correlationID é obrigatório")
  if (!isWhole(value) || value < 1) throw refused("Valor inválido")
  if (!isWhole(expiresIn) || expiresIn < lifeMin)
    throw refused("O tempo de expiração mínimo é de 5 minutos")
  const debtor = personAt(json)
  const message = textAt(json, "comment") ?? ""
  return createCharge(world, account, correlationID, {
    key: pixKey,
    centavos: value,
    expiresInSeconds: expiresIn,
    notes: notesAt(json),
    ...(message === "" ? {} : { message }),
    ...(debtor === undefined ? {} : { debtor })
  })
}

export const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

const personAt = (json: unknown): Person | undefined => {
  const name = textAt(json, "customer", "name")
  const document = textAt(json, "customer", "taxID")
  return name === undefined || document === undefined ? undefined : { name, document }
}

/** What stands beside a charge, by the names of the Central Bank's file. */
const notesAt = (json: unknown) => {
  const told = member(json, "additionalInfo")
  return (Array.isArray(told) ? told : []).map((note: unknown) => ({
    nome: textAt(note, "key") ?? "",
    valor: textAt(note, "value") ?? ""
  }))
}

/** An answer about a charge, with something else in it. */
const withCharge =
  (change: (charge: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) =>
  (truth: Answer): Answer => {
    const charge = member(truth.body, "charge")
    if (!isRecord(truth.body) || !isRecord(charge)) return truth
    return { ...truth, body: { ...truth.body, charge: { ...charge, ...change(charge) } } }
  }
