import type { Effect } from "effect"
import { SchemaIssue } from "effect"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { BadRequest, refuse } from "./ErrorEnvelope.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "MissingKey" ? "This field is required." : SchemaIssue.defaultLeafHook(issue)
})

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
  issue: SchemaIssue.Issue
): ReadonlyArray<{ readonly field: string; readonly message: string }> =>
  issuesOf(issue).issues.map(({ message, path }) => ({ field: pathOf(path), message }))

/** Issues that one answer tells at most. */
export const issuesMax = 20

/** Refuses input that does not decode, naming every field that is wrong at once. */
export const invalid = (
  issue: SchemaIssue.Issue,
  nothingNamed: string
): Effect.Effect<never, BadRequest, ServiceTime> => {
  const issues = fieldsOf(issue)
  const first = issues[0]
  return refuse(BadRequest, {
    message:
      first === undefined || first.field === "" ? nothingNamed : `${first.field}: ${first.message}`,
    code: "VALIDATION_ERROR",
    details: { issues: issues.slice(0, issuesMax) }
  })
}
