import type { Chance } from "./Chance.ts"
import type { Contract, Schema } from "./Contract.ts"
import type { Harvest } from "./Harvest.ts"

/** The shop that asks: what `POST /auth` needs. */
export interface Shop {
  readonly clientId: string
  readonly clientSecret: string
}

export interface Soil {
  readonly contract: Contract
  readonly harvest: Harvest
  readonly shop: Shop
}

const documents = ["52998224725", "529.982.247-25", "11222333000181", "11.222.333/0001-81"]
const keys: ReadonlyArray<readonly [type: string, key: string]> = [
  ["cpf", "52998224725"],
  ["cnpj", "11222333000181"],
  ["email", "ana@example.com"],
  ["phone", "+5511987654321"],
  ["random", "123e4567-e89b-42d3-a456-426614174000"]
]
const texts = [
  "Ana",
  "Pedido 1001",
  "ação ñ ü",
  "日本語",
  "😀😀",
  "a'b\"c",
  "<b>&amp;",
  "  x  ",
  "0"
]

const uuid = (chance: Chance): string => {
  const hex = (length: number) =>
    Array.from({ length }, () => chance.below(16).toString(16)).join("")
  return `${hex(8)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(12)}`
}

const letters = (chance: Chance, length: number): string =>
  Array.from({ length }, () => chance.pick([..."abcdefghijklmnopqrstuvwxyz0123456789"])).join("")

type Known = (chance: Chance, soil: Soil) => unknown

const reference: Known = (chance, { harvest }) =>
  (chance.happens(0.7) ? harvest.some(chance, "reference") : undefined) ?? "principal"

/** Fields whose good values no schema can tell. Undefined leaves the field out. */
const known: Readonly<Record<string, Known>> = {
  client_id: (_, { shop }) => shop.clientId,
  client_secret: (_, { shop }) => shop.clientSecret,
  document: (chance) => chance.pick(documents),
  email: (chance) => `${letters(chance, 6)}@example.com`,
  projectId: (chance, { harvest }) => harvest.some(chance, "id of projects"),
  pspCredentialId: (chance, { harvest }) => harvest.some(chance, "pspCredentialId"),
  externalReference: (chance) => `ref-${letters(chance, 4)}`,
  color: (chance) => `#${chance.below(16_777_216).toString(16).padStart(6, "0")}`,
  logoUrl: (chance) => `https://example.com/${letters(chance, 5)}.png`,
  name: (chance) => `${chance.pick(texts)} ${letters(chance, 8)}`.trim(),
  reference: (chance) => `sub-${letters(chance, 6)}`,
  subAccount: reference,
  from: reference,
  to: reference,
  cursor: (chance, { harvest }) => harvest.some(chance, "nextCursor"),
  metadata: (chance) => ({ [letters(chance, 5)]: chance.pick<unknown>([...texts, 1, true, null]) })
}

const stringOf = (schema: Schema, chance: Chance): string => {
  if (schema.format === "uuid" || schema.pattern?.startsWith("^[0-9a-f]{8}-") === true) {
    return uuid(chance)
  }
  if (schema.format === "date-time") return "2026-11-21T12:00:00.000Z"
  const least = Math.max(schema.minLength ?? 0, 1)
  const most = Math.min(schema.maxLength ?? 40, 300)
  const text = chance.pick(texts)
  if (text.length >= least && text.length <= most && chance.happens(0.6)) return text
  return letters(chance, chance.happens(0.1) ? most : Math.min(least + 8, most))
}

const numberOf = (schema: Schema, chance: Chance): number => {
  const least = schema.minimum ?? 0
  const most = Math.min(schema.maximum ?? 1000, least + 200)
  if (schema.type === "integer") return Math.ceil(least) + chance.below(most - least + 1)
  return Math.round((least + chance.below(Math.round((most - least) * 100) + 1) / 100) * 100) / 100
}

/** A value that the schema takes, of real things where there are some. */
export const valueOf = (given: Schema, name: string, chance: Chance, soil: Soil): unknown => {
  const schema = soil.contract.resolve(given)
  const hint = schema.format === "date-time" ? undefined : known[name]
  if (hint !== undefined) return hint(chance, soil)
  if (schema.enum !== undefined) return chance.pick(schema.enum)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return valueOf(chance.pick(branches), name, chance, soil)
  const type = Array.isArray(schema.type) ? chance.pick(schema.type as Array<string>) : schema.type
  switch (type) {
    case "object":
      return objectOf(schema, chance, soil)
    case "array":
      return Array.from({ length: 1 + chance.below(2) }, () =>
        valueOf(schema.items ?? {}, name, chance, soil)
      )
    case "string":
      return stringOf(schema, chance)
    case "number":
    case "integer":
      return numberOf({ ...schema, type }, chance)
    case "boolean":
      return chance.happens(0.5)
    case "null":
      return null
    default:
      return undefined
  }
}

const objectOf = (schema: Schema, chance: Chance, soil: Soil): Record<string, unknown> => {
  const required = new Set(schema.required)
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (!required.has(name) && chance.happens(0.6)) return []
    const value = valueOf(property, name, chance, soil)
    return value === undefined ? [] : [[name, value] as const]
  })
  return consistent(Object.fromEntries(entries), schema, chance)
}

/** Rules between fields that no schema tells. */
const consistent = (
  object: Record<string, unknown>,
  schema: Schema,
  chance: Chance
): Record<string, unknown> => {
  const has = (name: string) => Object.hasOwn(schema.properties ?? {}, name)
  if (has("pixKeyType") && has("pixKey")) {
    const [type, key] = chance.pick(keys)
    Object.assign(object, { pixKeyType: type, pixKey: key })
    for (const name of ["holderDocument", "holderDocumentType"]) delete object[name]
  }
  // Exactly one of the two (spec, Withdrawal request).
  if (has("netAmount") && has("amount") && has("pixKey")) {
    const amount = object["amount"] ?? object["netAmount"] ?? numberOf({ minimum: 1 }, chance)
    delete object["amount"]
    delete object["netAmount"]
    object[chance.pick(["amount", "netAmount"])] = amount
  }
  if (has("split") && Array.isArray(object["split"])) {
    object["amount"] = 500
    object["split"] = object["split"].map((leg: object) => ({ ...leg, amount: 1.5 }))
  }
  return object
}
