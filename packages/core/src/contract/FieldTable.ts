import { html, inline } from "./Markup.ts"
import type { Markup } from "./Markup.ts"
import type { JsonSchema, Schemas } from "./SchemaText.ts"
import { resolve } from "./SchemaText.ts"

interface Row {
  readonly name: string
  readonly depth: number
  readonly required: boolean
  readonly schema: JsonSchema
}

interface TableOptions {
  /** A word of its own for a field, beside its type. */
  readonly note?: (name: string) => string | undefined
  /** What is said of a field that must be there. */
  readonly must?: "required" | "always"
}

const isNull = ({ type }: JsonSchema): boolean => type === "null"

/** The one branch that is more than null, or the schema itself. */
const core = (schema: JsonSchema, schemas: Schemas): JsonSchema => {
  const known = resolve(schema, schemas)
  const branches = (known.anyOf ?? known.oneOf ?? []).filter((branch) => !isNull(branch))
  return branches.length === 1 && branches[0] !== undefined ? resolve(branches[0], schemas) : known
}

const canBeNull = (schema: JsonSchema): boolean =>
  [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some(isNull) ||
  (Array.isArray(schema.type) && schema.type.includes("null"))

/** Fields in the order in which a reader meets them, each with how deep it lies. */
const rowsOf = (schema: JsonSchema, schemas: Schemas, depth = 0): ReadonlyArray<Row> => {
  const object = core(schema, schemas)
  const inner = object.items === undefined ? object : core(object.items, schemas)
  return Object.entries(inner.properties ?? {}).flatMap(([name, property]) => [
    { name, depth, required: (inner.required ?? []).includes(name), schema: property },
    ...rowsOf(property, schemas, depth + 1)
  ])
}

const typeOf = (schema: JsonSchema, schemas: Schemas): string => {
  const known = core(schema, schemas)
  if (known.enum !== undefined) return known.enum.map((value) => JSON.stringify(value)).join(" | ")
  const plain = Array.isArray(known.type) ? known.type.filter((type) => type !== "null") : []
  const type = typeof known.type === "string" ? known.type : plain.join(" | ") || "any"
  if (type === "array") {
    return `array of ${known.items === undefined ? "any" : typeOf(known.items, schemas)}`
  }
  return known.format === undefined ? type : `${type} (${known.format})`
}

const parts = (schema: JsonSchema): ReadonlyArray<JsonSchema> => [
  schema,
  ...(schema.allOf ?? []).flatMap(parts)
]

const boundsOf = (schema: JsonSchema): string => {
  const all: JsonSchema = Object.assign({}, ...parts(schema))
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (least === undefined && most === undefined) return []
    if (most === undefined) return least === 0 ? [] : [`at least ${least}${unit}`]
    return [least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`]
  }
  return [
    // Those of every integer are no bounds of this one.
    ...(all.maximum === Number.MAX_SAFE_INTEGER ? [] : range(all.minimum, all.maximum, "")),
    ...range(all.minLength, all.maxLength, " characters"),
    ...range(all.minItems, all.maxItems, " items"),
    ...(all.pattern === undefined || all.format !== undefined ? [] : [`\`${all.pattern}\``])
  ].join(", ")
}

/** The fields of an object, those of its objects below them. */
export const fieldTable = (
  schema: JsonSchema,
  schemas: Schemas,
  { must = "required", note }: TableOptions = {}
): Markup => {
  const rows = rowsOf(schema, schemas)
  if (rows.length === 0) return html`<p>An object without fields of its own.</p>`
  return html`<table class="fields">
    <tbody>
      ${rows.map((row) => {
        const known = core(row.schema, schemas)
        const bounds = boundsOf(known)
        const place = note?.(row.name)
        return html`<tr>
          <td class="name depth-${row.depth}">
            <code>${row.name}</code>${
              row.required ? html`<span class="${must}">${must}</span>` : html``
            }
          </td>
          <td>
            <span class="type"
              >${place === undefined ? "" : `${place} · `}${typeOf(row.schema, schemas)}${
                canBeNull(row.schema) ? " or null" : ""
              }</span
            >
            <div>${inline(row.schema.description ?? known.description)}</div>
            ${bounds === "" ? html`` : html`<div class="bounds">${inline(bounds)}</div>`}
          </td>
        </tr>`
      })}
    </tbody>
  </table>`
}
