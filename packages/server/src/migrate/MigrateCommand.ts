import type { Migration } from "@pagora/postgres"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../commands/CommandFailed.ts"
import { sessionsOf } from "../serve/SessionSettings.ts"

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
  ),
  pinRole: Flag.Boolean("pin-role").pipe(
    Flag.withDescription(
      "With --grant: give the role the settings of its sessions too, as a pooler that hands sessions over needs it"
    ),
    Flag.withDefault(false)
  )
}

/** `pagora migrate`: the schema of `DATABASE_URL`, brought to the version that this program needs. */
export const migrateCommand = Command.make(
  "migrate",
  flags,
  Effect.fn(function* ({ dryRun: isDryRun, grant, pinRole: isPinning }) {
    if (isPinning && Option.isNone(grant))
      return yield* new CommandFailed({
        message: "--pin-role needs --grant: it is the role of --grant that gets the settings."
      })
    // Loaded here: the other commands start without a database.
    const { DatabaseSchema } = yield* Effect.promise(() => import("@pagora/postgres"))
    const { readDatabase } = yield* Effect.promise(() => import("../serve/Settings.ts"))
    const settings = yield* readDatabase(process.env)
    const { databaseUrl: url, schema } = settings
    const options = { url, schema, ...sessionsOf(settings) }
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
      if (Option.isSome(grant) && isPinning)
        for (const statement of yield* DatabaseSchema.pins(options, grant.value))
          yield* Console.log(`To run: ${statement}`)
      yield* Console.log("Nothing was changed.")
      return
    }
    // A name that is spelled wrong is told before anything is changed.
    if (Option.isSome(grant)) yield* DatabaseSchema.requireRole(options, grant.value)
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
      if (!isPinning) return
      yield* DatabaseSchema.pin(options, grant.value)
      yield* Console.log(
        `Sessions of the role ${grant.value} have the settings that the service needs: let the pooler open its sessions anew.`
      )
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
    },
    {
      command: "pagora migrate --grant pagora_app --pin-role",
      description: "And behind a pooler"
    }
  ])
)

const nameOf = ({ name, version }: Migration): string => `${version} (${name})`
