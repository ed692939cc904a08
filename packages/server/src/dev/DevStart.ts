import { postgres } from "@pagora/postgres"
import type { PgliteOptions } from "@pagora/postgres/pglite"
import { pglite } from "@pagora/postgres/pglite"
import { Effect, Option, Redacted, Schema } from "effect"
import { homedir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import type { BankChoice } from "./bank/BankChoice.ts"
import { dev } from "./Dev.ts"
import { dataIn, keysInDirectory, keysInMemory, keysInStorage } from "./DevState.ts"

export { layerGuardedLogs } from "../GuardedLogs.ts"

/** Where `pagora dev` listens, and where it keeps things. */
export interface DevOptions {
  readonly port: number
  readonly data: Option.Option<string>
  readonly database: Option.Option<string>
  readonly manual: boolean
  readonly bank: Option.Option<BankChoice>
}

/** What only `--bank` needs is not there. */
export class BankNotInstalled extends Schema.TaggedError<BankNotInstalled>()(
  "BankNotInstalled",
  {}
) {
  override get message(): string {
    return "The fake bank is a package of its own. Install it with `npm install --save-dev @pagora/fake-bank`, then run the same command again."
  }
}

/** An optional peer: who runs a service in production does without it. */
const loadBanks = Effect.tryPromise({
  try: () => import("./bank/PlayedBank.ts"),
  catch: (cause) => cause
}).pipe(
  Effect.catch((cause) =>
    cause instanceof Error && /'@pagora\/fake-bank'/u.test(cause.message)
      ? new BankNotInstalled()
      : Effect.die(cause)
  )
)

/** Where a user's programs keep what can be made again (XDG Base Directory Specification). */
const templates = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pagora")

/**
 * How much of PGlite's WebAssembly must have run before V8 compiles a function of it once more, for speed: roughly, in bytes
 * executed. With V8's own 13 MB a start pays for two seconds of compilation that only a long load brings back.
 */
const bytesUntilOptimised = 1_000_000_000

const embedded = (options: PgliteOptions = {}) => {
  setFlagsFromString(`--wasm-tiering-budget=${bytesUntilOptimised}`)
  return pglite({ ...options, templates })
}

/** The whole service, with the keys and the storage that the options name. */
export const start = ({ bank, data, database, manual: isManual, port }: DevOptions) => {
  if (Option.isSome(bank)) {
    return Effect.gen(function* () {
      const { playBank } = yield* loadBanks
      const played = yield* playBank(bank.value, { isManual })
      const driver = embedded()
      return yield* dev({ port, driver, keys: keysInMemory, isManual, bank: played })
    })
  }
  if (Option.isSome(database)) {
    return dev({
      port,
      driver: postgres({
        url: Redacted.make(database.value),
        // Somebody looks on, and mistypes a port more often than they start before the database.
        startTimeout: 0
      }),
      keys: keysInStorage,
      isManual
    })
  }
  return Option.isSome(data)
    ? Effect.flatMap(keysInDirectory(data.value), (keys) =>
        dev({
          port,
          driver: embedded({ dataDir: dataIn(data.value) }),
          keys: Effect.succeed(keys),
          isManual
        })
      )
    : dev({ port, driver: embedded(), keys: keysInMemory, isManual })
}
