import { Ajv2020 } from "ajv/dist/2020.js"
import type { ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"

/** JSON Schema, as far as requests are made from it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly format?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Schema
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly "x-max-decimals"?: number
}

interface Media {
  readonly schema: Schema
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Schema
}

interface RawOperation {
  readonly operationId: string
  readonly security?: ReadonlyArray<unknown>
  readonly parameters: ReadonlyArray<Parameter | { readonly $ref: string }>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Media>> }>
  >
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

/** One endpoint of the document. */
export interface Endpoint {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly isOpen: boolean
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: Schema | undefined
}

/** What an answer looks like to the contract. */
export interface Answered {
  readonly status: number
  readonly contentType: string
  readonly json: unknown
}

export interface Contract {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly resolve: (schema: Schema) => Schema
  /** What about an answer is not in the document; undefined when all of it is. */
  readonly fault: (endpoint: Endpoint, answer: Answered) => string | undefined
  /** What about the answer to a path or method that the document does not have is wrong. */
  readonly strayFault: (answer: Answered) => string | undefined
  /** Whether the document takes this body; undefined where it has no say. */
  readonly takes: (endpoint: Endpoint, json: unknown) => boolean | undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The document is open for what comes in time; an answer of today has the fields of today only. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isObject(schema)) return schema
  const copy = Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== "examples")
      .map(([key, value]) => [key, closed(value)])
  )
  return isObject(copy["properties"]) && copy["type"] === "object"
    ? { additionalProperties: false, ...copy }
    : copy
}

const hasDecimals = (most: number, value: number): boolean =>
  Number.isFinite(value) && new RegExp(`^-?\\d+(\\.\\d{1,${most}})?$`).test(String(value))

const validatorOf = (components: unknown): Ajv2020 => {
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  addFormats.default(ajv)
  ajv.addKeyword({
    keyword: "x-max-decimals",
    type: "number",
    validate: hasDecimals
  })
  ajv.addSchema({ components } as object, "contract")
  return ajv
}

/** References of the document, as references to the schema that holds its components. */
const rooted = (schema: unknown): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"contract#/')) as object

/** Reads an OpenAPI document as something to ask and to be held against. */
export const contractOf = (source: unknown): Contract => {
  const document = source as Document
  const { parameters, schemas } = document.components
  const answers = validatorOf(closed(document.components))
  const requests = validatorOf(document.components)
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined
      ? schema
      : (schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] ?? {})
  const raw = new Map<string, RawOperation>()
  const endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Endpoint => {
      raw.set(operation.operationId, operation)
      const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        isOpen: (operation.security ?? []).length === 0,
        parameters: operation.parameters.map((parameter) =>
          "$ref" in parameter
            ? (parameters[parameter.$ref.slice(parameter.$ref.lastIndexOf("/") + 1)] as Parameter)
            : parameter
        ),
        body: body === undefined ? undefined : resolve(body)
      }
    })
  )
  const compiled = new Map<string, ValidateFunction>()
  const compile = (name: string, ajv: Ajv2020, schema: unknown): ValidateFunction => {
    const known = compiled.get(name) ?? ajv.compile(rooted(schema))
    compiled.set(name, known)
    return known
  }
  const mismatch = (name: string, schema: unknown, json: unknown): string | undefined => {
    const validate = compile(name, answers, closed(schema))
    return validate(json) ? undefined : answers.errorsText(validate.errors)
  }

  return {
    endpoints,
    resolve,
    fault: (endpoint, { contentType, json, status }) => {
      const response = raw.get(endpoint.id)?.responses[status]
      if (response === undefined) return `status ${status} is not in the document`
      const type = contentType.replace(/;.*$/, "").trim()
      const media = response.content?.[type]
      if (response.content === undefined) return undefined
      if (media === undefined) return `content type "${contentType}" is not in the document`
      return mismatch(`${endpoint.id} ${status}`, media.schema, json)
    },
    strayFault: ({ json, status }) => {
      if (status !== 404 && status !== 405 && status !== 400) return `status ${status}`
      const { properties = {}, ...envelope } = schemas["NotFound"] ?? {}
      const loose = { statusCode: { const: status }, error: { type: "string" } }
      return mismatch(
        `stray ${status}`,
        { ...envelope, properties: { ...properties, ...loose } },
        json
      )
    },
    takes: (endpoint, json) =>
      endpoint.body === undefined
        ? undefined
        : compile(`${endpoint.id} body`, requests, endpoint.body)(json) === true
  }
}
