import type { ErrorObject, ValidateFunction } from "ajv"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import { member } from "../door/Exchange.ts"
import type { Received } from "../door/Exchange.ts"
import officialFile from "./api-pix-2.9.0.json" with { type: "json" }
import { mended } from "./KnownDefects.ts"

/** Where in the Central Bank's file each operation stands. */
const places: Readonly<Record<string, readonly [method: string, path: string]>> = {
  createCharge: ["put", "/cob/{txid}"],
  createChargeUnnamed: ["post", "/cob"],
  findCharge: ["get", "/cob/{txid}"],
  changeCharge: ["patch", "/cob/{txid}"],
  listCharges: ["get", "/cob"],
  findPayment: ["get", "/pix/{e2eid}"],
  listPayments: ["get", "/pix"],
  createReturn: ["put", "/pix/{e2eid}/devolucao/{id}"],
  findReturn: ["get", "/pix/{e2eid}/devolucao/{id}"],
  setWebhook: ["put", "/webhook/{chave}"],
  findWebhook: ["get", "/webhook/{chave}"],
  removeWebhook: ["delete", "/webhook/{chave}"],
  listWebhooks: ["get", "/webhook"]
}

const { file } = mended(officialFile)
const id = "api-pix"
const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(file, id)

const validators = new Map<string, ValidateFunction>()

/** What is wrong with a value, a sentence each. */
const faultsOf = (pointer: string, value: unknown): ReadonlyArray<string> => {
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `${id}${pointer}` })
  validators.set(pointer, validate)
  return validate(value) ? [] : (validate.errors ?? []).map(sentence)
}

/** What is wrong with a body that the Central Bank's file says nothing of. */
export const schemaFaults = (
  schema: Readonly<Record<string, unknown>>,
  value: unknown
): ReadonlyArray<string> => {
  // Ajv keeps what it has compiled by the schema itself; banks give one name to operations that differ.
  const validate = ajv.compile(schema)
  return validate(value) ? [] : (validate.errors ?? []).map(sentence)
}

const sentence = ({ instancePath, message = "is not valid", params }: ErrorObject) =>
  `${instancePath === "" ? "The value" : instancePath} ${message} ${JSON.stringify(params)}`

const escaped = (path: string) => path.replaceAll("~", "~0").replaceAll("/", "~1")

interface Parameter {
  readonly $ref?: string
  readonly in: "path" | "query"
  readonly name: string
  readonly required?: boolean
  readonly schema: { readonly type?: string }
}

interface Operation {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
}

/** What of a request to an operation is not as the Central Bank's file has it. */
export const requestFaults = (
  operation: string,
  {
    json,
    params,
    query
  }: Pick<Received, "json" | "query"> & { readonly params: Readonly<Record<string, string>> },
  ownParameters: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const place = places[operation]
  if (place === undefined) return []
  const [method, path] = place
  const here = `#/paths/${escaped(path)}`
  const item = member(file, "paths", path) as { readonly parameters?: ReadonlyArray<Parameter> }
  const own = member(item, method) as Operation
  const declared = [
    ...parametersAt(`${here}/parameters`, item.parameters),
    ...parametersAt(`${here}/${method}/parameters`, own.parameters)
  ]
  const names = declared.map(({ parameter }) => parameter.name)
  const unknown = Object.keys(query).filter(
    (name) => !names.includes(name) && !ownParameters.includes(name)
  )
  return [
    ...declared.flatMap((each) => parameterFaults(each, params, query)),
    ...unknown.map((name) => `The query has ${name}, which the file does not know.`),
    ...(own.requestBody === undefined ? [] : bodyFaults(here, method, own, json))
  ]
}

interface Declared {
  readonly parameter: Parameter
  readonly pointer: string
}

const parametersAt = (
  pointer: string,
  all: ReadonlyArray<Parameter> = []
): ReadonlyArray<Declared> =>
  all.map((parameter, index) => {
    const { $ref } = parameter
    if ($ref === undefined) return { parameter, pointer: `${pointer}/${index}/schema` }
    const target = member(file, ...$ref.slice(2).split("/")) as Parameter
    return { parameter: target, pointer: `${$ref}/schema` }
  })

const parameterFaults = (
  { parameter, pointer }: Declared,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>
): ReadonlyArray<string> => {
  const text = parameter.in === "path" ? params[parameter.name] : query[parameter.name]
  if (text === undefined) {
    return parameter.required === true ? [`${parameter.name} is missing.`] : []
  }
  return faultsOf(pointer, typed(text, parameter.schema.type)).map(
    (fault) => `${parameter.name}: ${fault}`
  )
}

/** What a query says, in the type that the file asks for where it is one. */
const typed = (text: string, type: string | undefined): unknown => {
  if (type === "integer" && /^-?\d+$/.test(text)) return Number(text)
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true"
  return text
}

const bodyFaults = (here: string, method: string, own: Operation, json: unknown) => {
  if (json === undefined) return ["The body is no JSON."]
  const $ref = member(own.requestBody, "$ref")
  const pointer = typeof $ref === "string" ? $ref : `${here}/${method}/requestBody`
  return faultsOf(`${pointer}/content/application~1json/schema`, json)
}

/** What of an answer is not as the Central Bank's file has it. */
export const answerFaults = (
  operation: string,
  status: number,
  body: unknown
): ReadonlyArray<string> => {
  const place = places[operation]
  if (place === undefined) return []
  const [method, path] = place
  const { responses } = member(file, "paths", path, method) as Operation
  const response = responses[String(status)]
  if (response === undefined) return [`The status is ${status}, which the file does not know here.`]
  if (member(response, "content") === undefined) return []
  const here = `#/paths/${escaped(path)}/${method}/responses/${status}`
  return faultsOf(`${here}/content/application~1json/schema`, body)
}

/** What of a problem is not as the Central Bank's file has it. */
export const problemFaults = (body: unknown): ReadonlyArray<string> =>
  faultsOf("#/components/schemas/Problema", body)

/** What of a callback is not as the Central Bank's file has it. */
export const callbackFaults = (body: unknown): ReadonlyArray<string> =>
  faultsOf("#/components/requestBodies/WebhookPixBody/content/application~1json/schema", body)
