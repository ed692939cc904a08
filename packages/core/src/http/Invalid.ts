import type { Effect } from "effect"
import { SchemaAST, SchemaIssue } from "effect"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { BadRequest, refuse } from "./ErrorEnvelope.ts"

/** What is said of a field that an endpoint does not have, with those that it has. */
export const unknownField = (known: ReadonlyArray<string>): string =>
  known.length === 0
    ? "There is no such field here, nor any other."
    : `There is no such field here. There is ${known.join(", ")}.`

const fieldsIn = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** Words the issues of an input; `wrongType` is said of what is of another type than the one that is expected. */
const wording = (wrongType: (expected: string) => string) =>
  SchemaIssue.makeFormatterStandardSchemaV1({
    leafHook: (issue) => {
      if (issue._tag === "MissingKey") return "This field is required."
      if (issue._tag === "UnexpectedKey") return unknownField(fieldsIn(issue.ast))
      const message = SchemaIssue.defaultLeafHook(issue)
      return issue._tag === "InvalidType" ? wrongType(message) : message
    }
  })

const issuesOf = wording((expected) => {
  const type = /^Expected (string|number|boolean|object|array)$/.exec(expected)?.[1]
  return type === undefined ? expected : `A JSON ${type} must stand here.`
})

/** Effect's words for one of several texts, whatever was sent in their place. */
const choicesPattern = /^Expected ("[^"]*"(?: \| "[^"]*")*)$/

/** A message of one choice among several, which no hook of the formatter is asked about, as the others are worded. */
const withChoices = (message: string): string => {
  const choices = choicesPattern.exec(message)?.[1]?.slice(1, -1).split('" | "')
  if (choices === undefined) return message
  return choices.length === 1 ? `Send ${choices[0]}.` : `Send one of ${choices.join(", ")}.`
}

/** Of a query: a text is all that is there, unless it is there more than once. */
export const issuesOfQuery: typeof issuesOf = wording(() => "Send it once.")

/** Where in the body, as a caller would write it: `customer.document`, `split[0].amount`. */
const pathOf = (
  path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
): string =>
  (path ?? []).reduce<string>((text, part) => {
    const key = typeof part === "object" ? part.key : part
    return typeof key === "number"
      ? `${text}[${key}]`
      : text === ""
        ? String(key)
        : `${text}.${String(key)}`
  }, "")

/** What is wrong, and where. */
export const fieldsOf = (
  issue: SchemaIssue.Issue,
  worded: typeof issuesOf = issuesOf
): ReadonlyArray<{ readonly field: string; readonly message: string }> =>
  worded(issue).issues.map(({ message, path }) => ({
    field: pathOf(path),
    message: withChoices(message)
  }))

/** Issues that one answer tells at most. */
export const issuesMax = 20

/** Refuses input that does not decode, naming every field that is wrong at once. */
export const invalid = (
  issue: SchemaIssue.Issue,
  nothingNamed: string,
  worded: typeof issuesOf = issuesOf
): Effect.Effect<never, BadRequest, ServiceTime> => {
  const issues = fieldsOf(issue, worded)
  const first = issues[0]
  return refuse(BadRequest, {
    message:
      first === undefined || first.field === "" ? nothingNamed : `${first.field}: ${first.message}`,
    code: "VALIDATION_ERROR",
    details: { issues: issues.slice(0, issuesMax) }
  })
}
