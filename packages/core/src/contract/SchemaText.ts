import { fieldTexts } from "./FieldText.ts"

/** JSON Schema 2020-12, as far as the contract uses it. */
export interface JsonSchema {
  $ref?: string
  type?: string | Array<string>
  format?: string
  enum?: Array<unknown>
  properties?: Record<string, JsonSchema>
  required?: Array<string>
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  prefixItems?: Array<JsonSchema>
  anyOf?: Array<JsonSchema>
  oneOf?: Array<JsonSchema>
  allOf?: Array<JsonSchema>
  description?: string
  examples?: Array<unknown>
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  multipleOf?: number
  minItems?: number
  maxItems?: number
  /** Ours: how many decimals a number may have at most. */
  "x-max-decimals"?: number
}

export type Schemas = Readonly<Record<string, JsonSchema>>

/** The schema that a reference of the document leads to, or the schema itself. */
export const resolve = (schema: JsonSchema, schemas: Schemas): JsonSchema =>
  schema.$ref === undefined
    ? schema
    : (schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] ?? {})

const textOf = (parent: string, name: string) => fieldTexts[`${parent}.${name}`] ?? fieldTexts[name]

/** A number with a bounded count of decimals, in a way that every validator reads alike. */
const decimals = (schema: JsonSchema): void => {
  const { multipleOf } = schema
  if (multipleOf === undefined || multipleOf >= 1) return
  // 19.99 is no multiple of 0.01 to a validator that divides doubles.
  delete schema.multipleOf
  schema["x-max-decimals"] = Math.round(-Math.log10(multipleOf))
}

/** Gives a field the words that belong to its name, where it has none of its own. */
export const describe = (schema: JsonSchema, parent: string, name: string): void => {
  const text = textOf(parent, name)
  if (text === undefined || schema.$ref !== undefined) return
  schema.description ??= text.description
  const isPlainText = schema.type === "string" && schema.enum === undefined
  if (text.format !== undefined && isPlainText) {
    schema.format ??= text.format
  }
  if (text.example !== undefined && schema.enum === undefined) schema.examples ??= [text.example]
}

/**
 * Makes what the framework wrote of a schema into what readers and validators of any language can use, in place:
 * open objects (fields are added in time, unknown ones of a request are ignored), words, examples, decimals.
 */
export const polish = (schema: JsonSchema, parent: string): void => {
  if (schema.additionalProperties === false) delete schema.additionalProperties
  decimals(schema)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    describe(property, parent, name)
    polish(property, name)
  }
  for (const part of [schema.anyOf, schema.oneOf, schema.allOf, schema.prefixItems].flat()) {
    if (part !== undefined) polish(part, parent)
  }
  if (schema.items !== undefined) polish(schema.items, parent)
  if (typeof schema.additionalProperties === "object") polish(schema.additionalProperties, parent)
}

/** A value that a schema allows, of the examples of its fields. */
export const exampleOf = (schema: JsonSchema, schemas: Schemas): unknown => {
  const known = resolve(schema, schemas)
  if (known.examples !== undefined) return known.examples[0]
  if (known.enum !== undefined) return known.enum[0]
  const branch = known.anyOf?.[0] ?? known.oneOf?.[0]
  if (branch !== undefined) return exampleOf(branch, schemas)
  if (known.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(known.properties).map(([name, property]) => [
        name,
        exampleOf(property, schemas)
      ])
    )
  }
  switch (known.type) {
    case "array":
      return known.items === undefined ? [] : [exampleOf(known.items, schemas)]
    case "string":
      return known.format === "date-time" ? "2026-11-21T12:00:00.000Z" : "text"
    case "number":
    case "integer":
      return known.minimum ?? 0
    case "boolean":
      return true
    case "null":
      return null
    default:
      return {}
  }
}
