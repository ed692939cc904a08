import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { conformance, conformanceSections } from "@pagora/testkit"
import type { Outcome, RunningPagora } from "@pagora/testkit"

/** A service to hold against the specification. */
export interface Deployment {
  readonly pagora: RunningPagora
  readonly end: () => Promise<void>
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

/** A test for each check of the conformance kit; those that this deployment cannot pass must fail, each as it is told. */
export const holdsTheSpecification = (
  start: () => Promise<Deployment>,
  cannot: Readonly<Record<string, RegExp>> = {}
): void => {
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
          const why = cannot[title]
          if (why === undefined)
            assert.strictEqual(outcome.outcome, "passed", says[outcome.outcome])
          else assert.match(says[outcome.outcome], why)
        })
      }
    })
  }
}
