import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { conformance, conformanceSections } from "@pagora/testkit"
import type { Outcome } from "@pagora/testkit"
import type { Deployment } from "./OnPostgreSQL.test-data.ts"

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

interface Held {
  /** What this deployment cannot pass must fail, each as it is told. */
  readonly cannot?: Readonly<Record<string, RegExp>>
  /** Sections whose rules hold whatever this deployment has, and are held elsewhere. */
  readonly elsewhere?: ReadonlyArray<string>
}

/** A test for each check of the conformance kit, held against a service. */
export const holdsTheSpecification = (
  start: () => Promise<Deployment>,
  { cannot = {}, elsewhere = [] }: Held = {}
): void => {
  const sections = conformanceSections.filter(({ name }) => !elsewhere.includes(name))
  const checks = new Set(sections.flatMap((section) => section.checks))
  const outcomes = outcomesAsTheyCome()
  let deployment: Deployment | undefined
  let running: Promise<unknown> | undefined

  beforeAll(async () => {
    deployment = await start()
    const { facts } = deployment.pagora
    running = conformance(facts, {
      only: (check) => checks.has(check),
      onResult: outcomes.onResult
    })
  })

  afterAll(async () => {
    await running
    await deployment?.end()
  })

  for (const section of sections) {
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
