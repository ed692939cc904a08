import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { conformance, conformanceSections, startPagora } from "@pagora/testkit"
import type { Outcome, RunningPagora } from "@pagora/testkit"
import { freshDatabase } from "@pagora/testkit/postgres"

interface Deployment {
  readonly pagora: RunningPagora
  readonly end: () => Promise<void>
}

const onPGlite = async (): Promise<Deployment> => {
  const pagora = await startPagora(["--manual"])
  return { pagora, end: async () => void (await pagora.kill()) }
}

const onPostgreSQL = async (): Promise<Deployment> => {
  const database = await freshDatabase()
  const pagora = await startPagora(["--manual", "--database", database.url])
  const end = async () => {
    await pagora.kill()
    await database.drop()
  }
  return { pagora, end }
}

/** Lets a test wait for the outcome of its own check while the kit runs all of them in its own order. */
const outcomesAsTheyCome = () => {
  const settled = new Map<string, Outcome>()
  const waiting = new Map<string, (outcome: Outcome) => void>()
  return {
    onResult: (outcome: Outcome) => {
      settled.set(outcome.check, outcome)
      waiting.get(outcome.check)?.(outcome)
    },
    of: (title: string): Promise<Outcome> =>
      new Promise((done) => {
        const outcome = settled.get(title)
        if (outcome === undefined) waiting.set(title, done)
        else done(outcome)
      })
  }
}

describe.concurrent.for([
  ["PGlite", onPGlite],
  ["PostgreSQL", onPostgreSQL]
] as const)("the specification on %s", { timeout: 240_000 }, ([, start]) => {
  const outcomes = outcomesAsTheyCome()
  let deployment: Deployment | undefined
  let running: Promise<unknown> | undefined

  beforeAll(async () => {
    deployment = await start()
    running = conformance(deployment.pagora.facts, { onResult: outcomes.onResult })
  })

  afterAll(async () => {
    await running
    await deployment?.end()
  })

  for (const section of conformanceSections) {
    describe(section.name, () => {
      for (const { title } of section.checks) {
        it(title, async () => {
          const outcome = await outcomes.of(title)
          // `pagora dev` has everything that a check can ask for, so none is skipped.
          const says = {
            passed: "",
            failed: "message" in outcome ? outcome.message : "",
            skipped: "skipped"
          }
          assert.strictEqual(outcome.outcome, "passed", says[outcome.outcome])
        })
      }
    })
  }
})
