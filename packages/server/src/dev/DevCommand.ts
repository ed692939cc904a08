import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { bankChoices } from "./bank/BankChoice.ts"
import type { DevFacts } from "./Dev.ts"
import type { DevOptions } from "./DevStart.ts"

/** Two places for one set of data. */
class DataAndDatabase extends Schema.TaggedError<DataAndDatabase>()("DataAndDatabase", {}) {
  override get message(): string {
    return "Use either --data or --database: the data is kept in one place."
  }
}

/** Half of what happened would be forgotten at the end. */
class BankIsInMemory extends Schema.TaggedError<BankIsInMemory>()("BankIsInMemory", {}) {
  override get message(): string {
    return "A fake bank forgets everything at its end, so --bank goes with neither --data nor --database."
  }
}

const flags = {
  port: Flag.Int("port").pipe(
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 1 to 65535, or 0 for any that is free"
    ),
    Flag.withDescription("Port on 127.0.0.1; 0 picks a free one"),
    Flag.withDefault(4242)
  ),
  data: Flag.String("data").pipe(
    Flag.withDescription(
      "Directory to keep everything in; without it everything is gone at the end"
    ),
    Flag.optional
  ),
  database: Flag.String("database").pipe(
    Flag.withDescription("URL of a PostgreSQL to keep everything in instead"),
    Flag.optional
  ),
  bank: Flag.Literals("bank", bankChoices).pipe(
    Flag.withDescription(
      "Play this bank in the place of the simulated PSP: its own protocol, over real sockets, in memory"
    ),
    Flag.optional
  ),
  manual: Flag.Boolean("manual").pipe(
    Flag.withDescription("Payouts and refunds settle only when the sandbox API says so"),
    Flag.withDefault(false)
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one line of JSON instead of a page for people"),
    Flag.withDefault(false)
  )
}

/** `pagora dev`: the whole service on this machine, with play money. */
export const devCommand = Command.make(
  "dev",
  flags,
  Effect.fn(function* (options) {
    if (Option.isSome(options.data) && Option.isSome(options.database))
      return yield* new DataAndDatabase()
    if (
      Option.isSome(options.bank) &&
      Option.isSome(Option.orElse(options.data, () => options.database))
    )
      return yield* new BankIsInMemory()
    // Loaded here, so that the other commands start without a database and a server.
    const { layerGuardedLogs, start } = yield* Effect.promise(() => import("./DevStart.ts"))
    yield* Effect.scoped(
      Effect.gen(function* () {
        const facts = yield* start(options)
        yield* Console.log(options.json ? JSON.stringify(facts) : page(facts, options))
        return yield* Effect.never
      })
    ).pipe(Effect.provide(layerGuardedLogs))
  })
).pipe(
  Command.withDescription(
    "Run the whole service on this machine: embedded database, simulated PSP, play money"
  ),
  Command.withExamples([
    { command: "pagora dev", description: "In memory, on port 4242" },
    { command: "pagora dev --data ./pagora-data", description: "Keep the data in a directory" },
    { command: "pagora dev --bank efi", description: "With a fake Efí, by Efí's own protocol" },
    {
      command: "pagora dev --json --port 0",
      description: "For programs: a free port, the facts as JSON"
    }
  ])
)

const names = { efi: "Efí", inter: "Banco Inter", woovi: "Woovi" } as const

const player = ({ bank }: DevOptions): string =>
  Option.isSome(bank)
    ? `a fake ${names[bank.value]}, over real sockets by its own protocol`
    : "the simulated PSP"

const kept = ({ bank, data, database }: DevOptions): string => {
  if (Option.isSome(bank)) return "in memory, as the bank's is: gone when this ends"
  if (Option.isSome(database)) return "in the database of --database"
  return Option.isSome(data)
    ? `in ${data.value}`
    : "in memory: gone when this ends (keep it with --data DIR)"
}

/** In a clone, which runs from the sources, nothing of the name is installed. */
const command = import.meta.url.endsWith(".ts") ? "npm run -s pagora --" : "npx pagora"

const page = (facts: DevFacts, options: DevOptions): string => `
Pagora is running with ${player(options)}. No money is real.

  API        ${facts.baseUrl}
  Docs       ${facts.baseUrl}/docs
  Operator   ${facts.operatorUrl}
  Sandbox    ${facts.sandboxUrl}
  Data       ${kept(options)}

  client_id      ${facts.clientId}
  client_secret  ${facts.clientSecret}
  operator key   ${facts.operatorKey}

Create a charge of R$ 10.00:

  TOKEN=$(curl -s ${facts.baseUrl}/auth -H 'content-type: application/json' \\
    -d '{"client_id":"${facts.clientId}","client_secret":"${facts.clientSecret}"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s ${facts.baseUrl}/pix -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{"amount":10.00}'

Operate it from another terminal:

  export PAGORA_OPERATOR_URL=${facts.operatorUrl} PAGORA_OPERATOR_KEY=${facts.operatorKey}
  ${command} account list
  ${command} audit

Ctrl-C stops it.
`
