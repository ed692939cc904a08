import { Effect } from "effect"
import { pathToFileURL } from "node:url"
import { answerRounds } from "./AnswerRounds.ts"
import { openFront } from "./FrontJobs.ts"
import type { FrontPackages } from "./FrontJobs.ts"

/** The front of that checkout, with its packages. */
const [root] = process.argv.slice(2)
if (root === undefined) throw new Error("Which checkout?")
const from = (path: string) => import(new URL(path, pathToFileURL(`${root}/bench/`)).href)
const packages: FrontPackages = {
  core: await from("node_modules/@pagora/core/src/index.ts"),
  adapter: await from("node_modules/@pagora/express/src/index.ts"),
  express: (await from("node_modules/express/index.js")).default,
  shop: await from("src/compare/Shop.ts")
}

/** So few that what disturbs the machine disturbs both checkouts, and so many before that all of it is compiled. */
const perRound = 1_000
const before = 6_000

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const jobs = yield* openFront(packages)
      let requests = before
      yield* Effect.promise(() =>
        answerRounds(async () => {
          const micros: Record<string, number> = {}
          for (const { host, measure, name } of jobs)
            micros[`${host}, ${name}`] = await Effect.runPromise(measure(requests))
          requests = perRound
          return micros
        })
      )
    })
  )
)
