import type { LookedKept } from "@pagora/core"
import { skewMax, skewText } from "@pagora/core"
import { DatabaseSchema } from "@pagora/postgres"
import { Clock, DateTime, Duration, Effect, Result } from "effect"
import type { ConfiguredPsp } from "../psp/ConfiguredPsps.ts"
import { pspsIn } from "../psp/ConfiguredPsps.ts"
import type { Finding } from "../psp/Findings.ts"
import { examined } from "../psp/PspWork.ts"
import { configOf } from "../serve/BankConfig.ts"
import { isBankUnknown } from "../serve/BankVariables.ts"
import { sessionsOf } from "../serve/SessionSettings.ts"
import type { ServeConfig } from "../serve/ServeConfig.ts"
import type { Environment, Settings } from "../serve/Settings.ts"
import { readSettings } from "../serve/Settings.ts"
import { examinedKept, keptIn, secretFinding } from "./KeptPsps.ts"
import { webhookFindings } from "./WebhookReach.ts"

/** Everything that `pagora serve` needs in this environment, looked at. What one part lacks keeps no other from being looked at. */
export const examine = Effect.fnUntraced(function* (
  environment: Environment,
  config: string | undefined
) {
  const { faults, settings } = yield* readSettings(environment)
  // It is set, and told of as a setting: not that it is missing.
  const isUrlFaulty = faults.some((fault) => fault.startsWith("PAGORA_PUBLIC_URL "))
  const ofDatabase = yield* databaseFindings(settings)
  const loaded = yield* Effect.result(
    Effect.gen(function* () {
      const read = yield* configOf(settings, config, process.cwd())
      return { config: read, psps: yield* pspsIn(read) }
    })
  )
  // What is kept is read where a start could read it, too.
  const isReadable =
    faults.length === 0 &&
    ofDatabase.every(({ name, state }) => state !== "failed" || name === ofForeignKeys)
  const ofSecret = isReadable ? [yield* secretFinding(settings as Settings)] : []
  if (Result.isFailure(loaded))
    return [
      ...settingsFindings(faults),
      ...ofDatabase,
      ...ofSecret,
      ...(isBankUnknown(environment, settings)
        ? []
        : [failed("psps", "config", loaded.failure.message)])
    ]
  const kept = isReadable ? yield* readKept(settings as Settings, loaded.success) : nothingKept
  return [
    ...settingsFindings(faults),
    ...ofDatabase,
    ...ofSecret,
    ...kept.faults,
    ...(yield* pspFindings(loaded.success.psps, kept.psps, settings)).filter(
      ({ name, part }) => !isUrlFaulty || part !== "webhooks" || name !== "address"
    )
  ]
})

interface Loaded {
  readonly config: ServeConfig
  readonly psps: ReadonlyArray<ConfiguredPsp>
}

interface Kept {
  readonly psps: ReadonlyArray<LookedKept>
  readonly faults: ReadonlyArray<Finding>
}

const nothingKept: Kept = { psps: [], faults: [] }

const readKept = (settings: Settings, { config, psps }: Loaded) =>
  keptIn(settings, config, psps).pipe(
    Effect.map((kept): Kept => ({ psps: kept, faults: [] })),
    Effect.catch(({ message }) =>
      Effect.succeed<Kept>({ psps: [], faults: [failed("psps", "kept", message)] })
    )
  )

const ok = (part: string, name: string, message: string): Finding => ({
  part,
  name,
  state: "ok",
  message
})
const failed = (part: string, name: string, message: string): Finding => ({
  part,
  name,
  state: "failed",
  message
})

const settingsFindings = (faults: ReadonlyArray<string>): ReadonlyArray<Finding> =>
  faults.length === 0
    ? [ok("settings", "variables", "All are readable, and fit together.")]
    : faults.map((fault) => failed("settings", "variables", fault))

/** Settings of which some could not be read have holes. */
const databaseFindings = Effect.fnUntraced(function* (
  settings: Partial<Settings>
): Effect.fn.Return<ReadonlyArray<Finding>> {
  const { databaseUrl: url, schema } = settings
  if (url === undefined || schema === undefined) return []
  const options = { url, schema, ...sessionsOf(settings as Settings), startTimeout: 0 }
  const status = yield* Effect.result(DatabaseSchema.status(options))
  if (Result.isFailure(status)) return [failed("database", "connection", status.failure.message)]
  const { needed, pending, version } = status.success
  return [
    ok("database", "connection", "PostgreSQL answers."),
    pending.length === 0 && version === needed
      ? ok("database", "schema", `The schema ${schema} is at version ${version}.`)
      : failed(
          "database",
          "schema",
          `The schema ${schema} is at version ${version}, and this Pagora needs ${needed}: run pagora migrate as its owner.`
        ),
    yield* foreignKeysFinding(options),
    yield* clockFinding(options)
  ]
})

/** What a start does not mind. */
const ofForeignKeys = "foreign-keys"

const foreignKeysFinding = Effect.fnUntraced(function* (
  options: Parameters<typeof DatabaseSchema.foreignKeys>[0]
): Effect.fn.Return<Finding> {
  const name = ofForeignKeys
  const read = yield* Effect.result(DatabaseSchema.foreignKeys(options))
  if (Result.isFailure(read)) return failed("database", name, read.failure.message)
  const keys = read.success
  if (keys.length === 0)
    return ok("database", name, "No foreign key refers to a table of the schema.")
  const told = keys.map(
    ({ constraint, refersTo, table }) => `${table} (${constraint}) refers to ${refersTo}`
  )
  const statements = keys.map(
    ({ constraint, table }) => `alter table ${table} drop constraint ${constraint}`
  )
  return failed(
    "database",
    name,
    `${told.join(", ")}: such a key locks rows that the service decides by, so that it may miss who is changing them. Keep the ids without it: ${statements.join("; ")}.`
  )
})

/** How the clock of this machine stands to the database's, which all processes go by. */
const clockFinding = Effect.fnUntraced(function* (
  options: Parameters<typeof DatabaseSchema.now>[0]
): Effect.fn.Return<Finding> {
  const asked = yield* Clock.currentTimeMillis
  const told = yield* Effect.result(DatabaseSchema.now(options))
  const answered = yield* Clock.currentTimeMillis
  if (Result.isFailure(told)) return failed("database", "clock", told.failure.message)
  const there = DateTime.toEpochMillis(told.success)
  // It was read somewhere between the two.
  const aheadMillis = asked > there ? asked - there : answered < there ? answered - there : 0
  const isTooMuch = Math.abs(aheadMillis) > Duration.toMillis(skewMax)
  return isTooMuch
    ? failed("database", "clock", skewText({ aheadMillis, isTooMuch, settings: 0 }))
    : ok(
        "database",
        "clock",
        "The clock of this machine and the database's agree within 5 seconds."
      )
})

const pspFindings = Effect.fnUntraced(function* (
  psps: ReadonlyArray<ConfiguredPsp>,
  kept: ReadonlyArray<LookedKept>,
  { publicUrl }: Partial<Settings>
) {
  const plays =
    psps.length === 0
      ? [ok("psps", "config", "The configuration plays with sandbox(): no money is real.")]
      : []
  const all = [...psps, ...kept]
  if (all.length === 0) return plays
  const found = yield* Effect.all(
    [examined(psps, publicUrl), examinedKept(kept, publicUrl), webhookFindings(all, publicUrl)],
    { concurrency: "unbounded" }
  )
  return [...plays, ...found.flat()]
})
