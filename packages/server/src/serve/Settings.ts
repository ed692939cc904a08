import { Effect, FileSystem, Redacted, Result, Schema } from "effect"
import type { Variable } from "./Variable.ts"
import { bankVariables } from "./BankVariables.ts"
import { databaseVariables, variables } from "./Variables.ts"

/** What is wrong with a configuration: all of it, each in one sentence that says what to change. */
export class Misconfigured extends Schema.TaggedError<Misconfigured>()("Misconfigured", {
  faults: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const [first = "", ...others] = this.faults
    return others.length === 0
      ? first
      : `${this.faults.length} settings must be changed.\n${this.faults.map((fault) => `  - ${fault}`).join("\n")}`
  }
}

type Variables = Readonly<Record<string, Variable<unknown>>>
type SettingsOf<V extends Variables> = {
  readonly [Name in keyof V]: V[Name] extends Variable<infer A> ? A : never
}

/** What an environment says to `pagora serve`. */
export type Settings = SettingsOf<typeof variables>

/** Variables by name, as a process has them. An empty one is not there. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What was read, as far as it could be, and what is wrong. */
interface Reading<V extends Variables> {
  readonly values: SettingsOf<V>
  readonly faults: ReadonlyArray<string>
}

/** Reads variables, and files where those name one; every fault is found at once. */
const readAll = <V extends Variables>(
  all: V,
  environment: Environment
): Effect.Effect<Reading<V>, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const values: Record<string, unknown> = {}
    const faults: Array<string> = []
    for (const [key, variable] of Object.entries(all)) {
      const result = yield* read(variable, environment)
      if (Result.isSuccess(result)) values[key] = result.success
      else faults.push(result.failure)
    }
    // Whoever finds a fault uses no value.
    return { values: values as SettingsOf<V>, faults }
  })

const read = Effect.fnUntraced(function* (variable: Variable<unknown>, environment: Environment) {
  const { name } = variable
  const given = environment[name] ?? ""
  const path = variable.isSecret ? (environment[`${name}_FILE`] ?? "") : ""
  if (given !== "" && path !== "")
    return Result.fail(`${name} and ${name}_FILE are both set: keep one of them.`)
  if (path === "") return given === "" ? variable.absent : variable.read(given)
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.option(files.readFileString(path))
  if (text._tag === "None")
    return Result.fail(
      `${name}_FILE names a file that cannot be read: check its path and its owner.`
    )
  const value = text.value.trim()
  return value === ""
    ? Result.fail(`${name}_FILE names a file that is empty.`)
    : variable.read(value)
})

/** The settings of `pagora serve`; those that do not fit together are faults too. */
export const readSettings = Effect.fnUntraced(function* (environment: Environment) {
  const { faults, values } = yield* readAll(variables, environment)
  const all = [
    ...faults,
    ...unknownNames(environment),
    // What cannot be read cannot be compared.
    ...(faults.length === 0 ? mismatches(values) : [])
  ]
  return { settings: values, faults: all }
})

/** Which bank the environment names, for what needs no database; all that is wrong with it fails. */
export const readBank = Effect.fnUntraced(function* (environment: Environment) {
  const { faults, values } = yield* readAll(
    { ...bankVariables, config: variables.config },
    environment
  )
  // Of the others it reads none.
  const ofBanks = Object.entries(environment).filter(([name]) => name.startsWith("PAGORA_BANK"))
  const all = [...faults, ...unknownNames(Object.fromEntries(ofBanks))]
  return all.length === 0 ? values : yield* new Misconfigured({ faults: all })
})

/** Where the database is, for `pagora migrate`. */
export const readDatabase = Effect.fnUntraced(function* (environment: Environment) {
  const { faults, values } = yield* readAll(databaseVariables, environment)
  const all = faults.length === 0 ? plaintext(values) : faults
  return all.length === 0 ? values : yield* new Misconfigured({ faults: all })
})

/** What libpq and others call TLS that a stranger on the way cannot switch off. */
const tlsModes = new Set(["require", "verify-ca", "verify-full"])

/** Whether the way to the database leaves the machine unprotected. */
const plaintext = ({
  databasePlaintext,
  databaseUrl
}: Pick<Settings, "databasePlaintext" | "databaseUrl">): ReadonlyArray<string> => {
  const { hostname, searchParams } = new URL(Redacted.value(databaseUrl))
  // The parameter is where a socket of the machine is named.
  const host = searchParams.get("host") ?? hostname
  const isLocal = host === "" || host.startsWith("/") || local.test(host)
  return databasePlaintext || isLocal || tlsModes.has(searchParams.get("sslmode") ?? "")
    ? []
    : [
        "DATABASE_URL goes over a network without TLS, so that its password and all of the data can be read and changed there: add ?sslmode=verify-full to it, or set PAGORA_DATABASE_PLAINTEXT to true where the network is your own."
      ]
}

const local = /^(?:localhost|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|%2f.*)$/i

const mismatches = (settings: Settings): ReadonlyArray<string> => {
  const { api, formerSecrets, operatorKey, secret, workers } = settings
  const isFormer = formerSecrets.some((former) => Redacted.value(former) === Redacted.value(secret))
  const isSamePort = settings.port !== 0 && settings.port === settings.operatorPort
  return [
    ...plaintext(settings),
    ...(api || workers
      ? []
      : [
          "PAGORA_API and PAGORA_WORKERS are both false, which leaves nothing to do: set one to true."
        ]),
    ...(api && isSamePort
      ? [
          "PAGORA_PORT and PAGORA_OPERATOR_PORT are the same: the operator's API has a port of its own."
        ]
      : []),
    ...(settings.headersSeconds > settings.requestSeconds
      ? [
          "PAGORA_HEADERS_SECONDS is more than PAGORA_REQUEST_SECONDS, which counts the headers too: give headers less."
        ]
      : []),
    ...(settings.dbLockMillis < settings.dbStatementSeconds * 1_000
      ? []
      : [
          "PAGORA_DB_LOCK_MILLIS must be less than PAGORA_DB_STATEMENT_SECONDS (a second is 1000), so that what is locked is set aside and holds up nothing else."
        ]),
    ...(settings.dbStatementSeconds < settings.dbAnswerSeconds
      ? []
      : [
          "PAGORA_DB_STATEMENT_SECONDS must be less than PAGORA_DB_ANSWER_SECONDS, so that the server always gives up first."
        ]),
    ...(operatorKey !== undefined && Redacted.value(operatorKey) === Redacted.value(secret)
      ? [
          "PAGORA_OPERATOR_KEY is the master secret: make another one, with openssl rand -base64 32."
        ]
      : []),
    ...(isFormer
      ? ["PAGORA_FORMER_SECRETS holds PAGORA_SECRET too: list only those that came before it."]
      : [])
  ]
}

/** Variables of ours that other programs read. */
const ofOthers = new Set([
  "PAGORA_URL",
  "PAGORA_BASE_URL",
  "PAGORA_OPERATOR_URL",
  "PAGORA_SANDBOX_URL",
  "PAGORA_CLIENT_ID",
  "PAGORA_CLIENT_SECRET",
  "PAGORA_WEBHOOK_SECRET"
])
const isOfOthers = (name: string): boolean =>
  ofOthers.has(name) ||
  name.startsWith("PAGORA_TEST_") ||
  // Kubernetes tells every pod of the Services around it, some of which are called pagora.
  /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?$/.test(name)

const knownNames = Object.values<Variable<unknown>>(variables).flatMap(({ isSecret, name }) =>
  isSecret ? [name, `${name}_FILE`] : [name]
)

/** A misspelled name would leave a default in force that somebody meant to change. */
const unknownNames = (environment: Environment): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => name.startsWith("PAGORA_") && environment[name] !== "")
    .filter((name) => !knownNames.includes(name) && !isOfOthers(name))
    .map((name) => `There is no setting ${name}: did you mean ${nearest(name)}?`)

const nearest = (name: string): string =>
  knownNames.reduce((best, known) => (distance(name, known) < distance(name, best) ? known : best))

/** How many letters must be changed, added or left out (Levenshtein). */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (const [column, other] of [...to].entries()) {
      next.push(
        Math.min(
          (next[column] ?? 0) + 1,
          (row[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + (letter === other ? 0 : 1)
        )
      )
    }
    row = next
  }
  return row.at(-1) ?? 0
}
