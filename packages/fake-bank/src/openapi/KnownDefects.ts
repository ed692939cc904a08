import { isRecord } from "../door/Exchange.ts"

/** Something of the Central Bank's file that cannot be meant, and what is held against in its place. */
export interface KnownDefect {
  /** Where it is, as a pointer into the file (RFC 6901); several by a pattern that is spelt out. */
  readonly where: string
  readonly defect: string
  readonly instead: string
}

interface Mending extends KnownDefect {
  /** Changes the file, and tells whether the defect was there. */
  readonly mend: (file: unknown) => boolean
}

type Json = Record<string, unknown>

const at = (file: unknown, pointer: string): unknown =>
  pointer
    .slice(2)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, part) => (value as Json | undefined)?.[part], file)

/** Changes each schema of the file that has the defect. */
const everywhere = (change: (schema: Json) => boolean) => {
  const visit = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.map(visit).includes(true)
    if (!isRecord(value)) return false
    const here = change(value as Json)
    return Object.values(value).map(visit).includes(true) || here
  }
  return visit
}

const without = (pointer: string, name: string) => (file: unknown) => {
  const schema = at(file, pointer) as { required?: ReadonlyArray<string> } | undefined
  if (schema?.required?.includes(name) !== true) return false
  schema.required = schema.required.filter((each) => each !== name)
  return true
}

const mendings: ReadonlyArray<Mending> = [
  {
    where: "every `cpf`",
    defect: "The pattern is `/^\\d{11}$/`, with the slashes of JavaScript: no CPF has them.",
    instead: "`^\\d{11}$`",
    mend: everywhere((schema) => {
      if (schema["pattern"] !== "/^\\d{11}$/") return false
      schema["pattern"] = "^\\d{11}$"
      return true
    })
  },
  {
    where:
      "#/components/schemas/Pix/properties/txid, #/paths/~1pix/get/parameters/2, ParametrosConsultaPix",
    defect:
      "All of `TxId`, which has 26 characters at least, and of 1 to 35: a static code's shorter txid is refused.",
    instead: "`^[a-zA-Z0-9]{1,35}$`",
    mend: everywhere((schema) => {
      const [first, second] = Array.isArray(schema["allOf"])
        ? (schema["allOf"] as ReadonlyArray<Json>)
        : []
      const isBoth =
        first?.["$ref"] === "#/components/schemas/TxId" &&
        second?.["pattern"] === "[a-zA-Z0-9]{1,35}"
      if (!isBoth) return false
      delete schema["allOf"]
      Object.assign(schema, { type: "string", pattern: "^[a-zA-Z0-9]{1,35}$" })
      return true
    })
  },
  {
    where: "every amount, `TxId`, `EndToEndId`, `DevolucaoId`, `rtrId`",
    defect: "The pattern has no beginning and no end: `R$ 1.000.00` is an amount.",
    instead: "the same pattern for the whole text",
    mend: everywhere((schema) => {
      const { pattern } = schema
      const isOpen =
        typeof pattern === "string" && /^(\\d|\[)/.test(pattern) && !pattern.endsWith("$")
      if (isOpen) schema["pattern"] = `^${pattern}$`
      return isOpen
    })
  },
  {
    where: "#/components/schemas/CobsConsultadas/properties/cobs/items/allOf/1",
    defect: "`idCob` is required; nothing of that name is anywhere.",
    instead: "not required",
    mend: without("#/components/schemas/CobsConsultadas/properties/cobs/items/allOf/1", "idCob")
  },
  {
    where: "#/components/schemas/PixConsultados",
    defect: "`cobs` is required; what it has is `pix`.",
    instead: "not required",
    mend: without("#/components/schemas/PixConsultados", "cobs")
  },
  {
    where: "#/components/schemas/CobBase/properties/infoAdicionais",
    defect: "`maximum` of an array, which bounds numbers.",
    instead: "`maxItems`",
    mend: everywhere((schema) => {
      if (schema["type"] !== "array" || schema["maximum"] === undefined) return false
      schema["maxItems"] = schema["maximum"]
      delete schema["maximum"]
      return true
    })
  },
  {
    where: "every `location`",
    defect: "The format is `uri`; its own examples, and the codes that carry it, have no scheme.",
    instead: "any text of at most 77 characters",
    mend: everywhere((schema) => {
      const isLocation = schema["format"] === "uri" && schema["maxLength"] === 77
      if (isLocation) delete schema["format"]
      return isLocation
    })
  },
  {
    where: "#/components/schemas/CobExpiracao/properties/expiracao",
    defect: "The default of an integer is the text `86400`.",
    instead: "the number",
    mend: everywhere((schema) => {
      if (schema["type"] !== "integer" || schema["default"] !== "86400") return false
      schema["default"] = 86_400
      return true
    })
  },
  {
    where: "#/components/schemas/PayloadLocationCob",
    defect: "`tipoCob` is required of a request, and is none of its properties.",
    instead: "not required",
    mend: without("#/components/schemas/PayloadLocationCob", "tipoCob")
  },
  {
    where: "#/components/schemas/CobGerada/allOf/2/properties/loc",
    defect: "`txid` is required of it, and is none of its properties.",
    instead: "not required",
    mend: without("#/components/schemas/CobGerada/allOf/2/properties/loc", "txid")
  },
  {
    where: "#/components/schemas/WebhookCompleto",
    defect:
      "`cnpj` is required, a filter by the debtor by its own words; the example has `chave`, which is no property.",
    instead: "not required",
    mend: without("#/components/schemas/WebhookCompleto", "cnpj")
  },
  {
    where: "#/components/schemas/CobValor/properties/retirada",
    defect:
      "`oneOf` two objects without required members: each `retirada` is both, so none is valid.",
    instead: "`anyOf`",
    mend: (file) => {
      const schema = at(file, "#/components/schemas/CobValor/properties/retirada") as
        | Json
        | undefined
      if (schema?.["oneOf"] === undefined) return false
      schema["anyOf"] = schema["oneOf"]
      delete schema["oneOf"]
      return true
    }
  }
]

/** The defects of the Central Bank's file (2.9.0) that this package knows. */
export const knownDefects: ReadonlyArray<KnownDefect> = mendings.map(
  ({ defect, instead, where }) => ({ defect, instead, where })
)

/** The file without its known defects, and whether each of them was there. */
export const mended = (
  file: unknown
): { readonly file: Json; readonly found: ReadonlyArray<boolean> } => {
  const copy = structuredClone(file) as Json
  return { file: copy, found: mendings.map(({ mend }) => mend(copy)) }
}
