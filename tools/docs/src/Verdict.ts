import { memory, Pagora } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { DatabaseSchema } from "@pagora/postgres"
import { PgClient } from "@effect/sql-pg"
import { Ajv2020 } from "ajv/dist/2020.js"
import { default as formats } from "ajv-formats"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Session } from "./Session.ts"

/** What is wrong with a block of JSON; undefined when nothing is. */
export const jsonFault = async (
  code: string,
  schema: string | undefined
): Promise<string | undefined> => {
  let value: unknown
  try {
    value = JSON.parse(code)
  } catch (error) {
    return `It is no JSON: ${(error as Error).message}`
  }
  if (schema === undefined) return undefined
  const { components } = await contract()
  if (components.schemas[schema] === undefined)
    return `The OpenAPI document has no schema ${schema}: it has ${Object.keys(components.schemas).join(", ")}.`
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  const validate = ajv.compile({ $ref: `#/components/schemas/${schema}`, components })
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}

interface Contract {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

let read: Promise<Contract> | undefined
const contract = (): Promise<Contract> => (read ??= readContract())

const readContract = async (): Promise<Contract> => {
  const pagora = await Pagora.start({ storage: memory(), psp: sandbox(), workers: false })
  try {
    const answer = await pagora.fetch(new Request("http://localhost/openapi.json"))
    return (await answer.json()) as Contract
  } finally {
    await pagora.stop()
  }
}

/** What PostgreSQL says against statements in a database that has Pagora's schema; undefined when nothing. */
export const sqlFault = async (code: string, session: Session): Promise<string | undefined> => {
  const url = await session.databaseUrl()
  // Only the tables are wanted: a start would leave the mark of its master secret.
  await Effect.runPromise(DatabaseSchema.migrate({ url: Redacted.make(url) }))
  const statements = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of (yield* Effect.promise(() => session.adapted(code))).split(/;\s*$/m)) {
      if (statement.trim() !== "") yield* sql.unsafe(statement).raw
    }
  })
  return Effect.runPromise(
    statements.pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(url) })),
      Effect.as(undefined),
      Effect.catch((error) => Effect.succeed(String(error.reason?.cause ?? error)))
    )
  )
}

const kinds =
  /^(?:stateDiagram-v2|flowchart (?:TB|TD|LR|RL|BT)|sequenceDiagram|graph (?:TD|LR))\s*$/
const brackets: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}" }

/** What would keep a diagram from being drawn, as far as its text shows it. */
export const diagramFault = (code: string): string | undefined => {
  const [kind = "", ...lines] = code.split("\n")
  if (!kinds.test(kind)) return `No diagram is called "${kind}".`
  const open: Array<string> = []
  for (const character of lines.join("\n").replaceAll(/"[^"\n]*"|^.*-->?>.*:.*$/gm, "")) {
    if (brackets[character] !== undefined) open.push(brackets[character])
    else if (Object.values(brackets).includes(character) && open.pop() !== character)
      return `A "${character}" closes nothing.`
  }
  return open.length === 0 ? undefined : `A "${open.at(-1)}" is missing.`
}
