import { pathToFileURL } from "node:url"
import { answerRounds } from "./AnswerRounds.ts"

/** The benchmark of that checkout, with its packages and its own Effect. */
const [root, url] = process.argv.slice(2)
if (root === undefined || url === undefined) throw new Error("Which checkout, and which database?")
const from = (path: string) => import(new URL(path, pathToFileURL(`${root}/bench/`)).href)
const { Effect, References } = (await from(
  "node_modules/effect/dist/index.js"
)) as typeof import("effect")
const { prepare, setUp } = (await from("src/Commits.ts")) as typeof import("./Commits.ts")
const { drive } = (await from("src/Measure.ts")) as typeof import("./Measure.ts")

const [count, callers, manyWallets] = [5_000, 64, 1_000]

const program = Effect.gen(function* () {
  const on = yield* setUp(url)
  const commit = on.commits["group commit"]
  const round = Effect.gen(function* () {
    const rates: Record<string, number> = {}
    for (const wallets of [1, manyWallets]) {
      const paid = yield* prepare(on, count, wallets)
      const run = yield* drive(paid, callers, ({ settlement }) => commit(settlement))
      rates[`settle, ${wallets === 1 ? "one hot wallet" : `${wallets} wallets`}`] = run.perSecond
    }
    const opened = yield* on.world.open(count, manyWallets)
    const run = yield* drive(opened, callers, ({ units: [intent, pending] }) =>
      Effect.andThen(commit(intent), commit(pending))
    )
    rates[`create, ${manyWallets} wallets`] = run.perSecond
    return rates
  })
  const services = yield* Effect.context<never>()
  yield* Effect.promise(() => answerRounds(() => Effect.runPromiseWith(services)(round)))
})

await Effect.runPromise(
  Effect.scoped(program).pipe(Effect.provideService(References.MinimumLogLevel, "Error"))
)
