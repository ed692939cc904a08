import type { Migration } from "@pagora/postgres"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

const flags = {
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Say what would be done, and change nothing"),
    Flag.withDefault(false)
  ),
  grant: Flag.String("grant").pipe(
    Flag.withDescription(
      "Let this role run the service on the schema, without the right to change it or to rewrite the ledger"
    ),
    Flag.optional
  )
}

/** `pagora migrate`: the schema of `DATABASE_URL`, brought to the version that this program needs. */
export const migrateCommand = Command.make(
  "migrate",
  flags,
  Effect.fn(function* ({ dryRun: isDryRun, grant }) {
    // Loaded here: the other commands start without a database.
    const { DatabaseSchema } = yield* Effect.promise(() => import("@pagora/postgres"))
    const { readDatabase } = yield* Effect.promise(() => import("../serve/Settings.ts"))
    const { databaseUrl: url, dbPrepare: prepare, schema } = yield* readDatabase(process.env)
    const options = { url, schema, prepare }
    const status = yield* DatabaseSchema.status(options)
    const { needed, pending, version } = status
    yield* Console.log(
      version === 0
        ? `There is no schema ${schema} yet; this Pagora needs version ${needed}.`
        : `The schema ${schema} is at version ${version}; this Pagora needs ${needed}.`
    )
    if (isDryRun) {
      for (const migration of pending) yield* Console.log(`To apply: ${nameOf(migration)}`)
      if (Option.isSome(grant))
        for (const statement of DatabaseSchema.grants(schema, grant.value))
          yield* Console.log(`To run: ${statement}`)
      yield* Console.log("Nothing was changed.")
      return
    }
    const done = yield* DatabaseSchema.migrate(options, (migration) =>
      Console.log(`Applying ${nameOf(migration)}`)
    )
    yield* Console.log(
      done.pending.length === 0
        ? `Nothing to apply: the schema ${schema} is at version ${needed}.`
        : `The schema ${schema} went from version ${done.version} to ${needed}.`
    )
    if (Option.isSome(grant)) {
      yield* DatabaseSchema.grant(options, grant.value)
      yield* Console.log(`The role ${grant.value} may run the service on the schema ${schema}.`)
    }
  })
).pipe(
  Command.withDescription(
    "Bring the schema of DATABASE_URL to the version that this program needs"
  ),
  Command.withExamples([
    { command: "pagora migrate --dry-run", description: "Only say what would be done" },
    {
      command: "pagora migrate --grant pagora_app",
      description: "And let this role run the service"
    }
  ])
)

const nameOf = ({ name, version }: Migration): string => `${version} (${name})`
