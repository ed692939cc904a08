import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

const flags = {
  config: Flag.String("config").pipe(
    Flag.withDescription(
      "File that says which PSP moves the money; otherwise pagora.config.mjs or .ts of this directory"
    ),
    Flag.optional
  ),
  migrate: Flag.Boolean("migrate").pipe(
    Flag.withDescription("Bring the schema up to date first, as PAGORA_MIGRATE=true does"),
    Flag.withDefault(false)
  )
}

/** `pagora serve`: the service for real, told by its environment. */
export const serveCommand = Command.make(
  "serve",
  flags,
  Effect.fn(function* ({ config, migrate }) {
    // Loaded when it is needed: the other commands have no use for a service and its settings.
    const { serveBy } = yield* Effect.promise(() => import("./ServeRun.ts"))
    yield* serveBy({ config: Option.getOrUndefined(config), migrate })
  })
).pipe(
  Command.withDescription(
    "Run the service for real: PostgreSQL, your PSP, settings by environment variables"
  ),
  Command.withExamples([
    {
      command: "pagora serve",
      description: "With DATABASE_URL, PAGORA_SECRET and pagora.config.mjs"
    },
    { command: "pagora serve --config bank.mjs", description: "With another file for the PSP" }
  ])
)
