import { assert, describe, it } from "@effect/vitest"
import type { Claimed } from "@pagora/core"
import { memory, StorageDriver } from "@pagora/core"
import { Effect, Exit, Layer } from "effect"
import { openingOf, reopenLaws } from "../src/contracts/StorageReopenContract.ts"

// Each driver here is over one memory that outlives it, with one thing planted that it forgets when it is opened again.

type Driver = StorageDriver["Service"]

/** What a driver forgets, given what all openings before this one have handed out or put in line. */
type Plant = (driver: Driver, before: Past) => Partial<Driver>

interface Past {
  readonly jobs: ReadonlySet<string>
  readonly leases: ReadonlyArray<Claimed>
}

/** A store that is opened anew each time its layer is built. */
const storeOf = (plant: Plant) =>
  Effect.map(Effect.provide(StorageDriver, Layer.fresh(memory())), (store) => {
    const jobs = new Set<string>()
    const leases = new Map<string, Claimed>()
    const remembering = StorageDriver.of({
      ...store,
      write: (merged) => {
        for (const job of merged.units.flatMap((unit) => unit.jobs ?? [])) {
          if (job._tag === "Schedule") jobs.add(job.id)
          else leases.delete(job.id)
        }
        return store.write(merged)
      },
      claim: (claim) =>
        Effect.tap(store.claim(claim), (claimed) =>
          Effect.sync(() => {
            for (const job of claimed) leases.set(job.id, job)
          })
        )
    })
    return Layer.sync(StorageDriver, () => {
      const past = { jobs: new Set(jobs), leases: [...leases.values()] }
      return StorageDriver.of({ ...remembering, ...plant(remembering, past) })
    })
  })

/** The titles of the laws that a driver with this fault breaks. */
const brokenBy = Effect.fnUntraced(function* (plant: Plant) {
  const broken: Array<string> = []
  for (const { proof, title } of reopenLaws) {
    const open = openingOf(yield* storeOf(plant))
    if (Exit.isFailure(yield* Effect.exit(proof(open)))) broken.push(title)
  }
  return broken
})

const leaseLaw = "a lease goes on, for its holder and against all others"

describe("the laws of opening a storage again", () => {
  it.live("hold of one that forgets nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* brokenBy(() => ({})), [])
    })
  )

  it.live("catch one that forgets jobs", () =>
    Effect.gen(function* () {
      const broken = yield* brokenBy((driver, { jobs }) => ({
        claim: (claim) =>
          Effect.map(driver.claim(claim), (claimed) => claimed.filter(({ id }) => !jobs.has(id)))
      }))
      assert.deepStrictEqual(broken, [leaseLaw])
    })
  )

  it.live("catch one that forgets who holds a job", () =>
    Effect.gen(function* () {
      const broken = yield* brokenBy((driver, { leases }) => ({
        claim: (claims) =>
          Effect.map(driver.claim(claims), (claimed) => [
            ...claimed,
            ...claims.flatMap(({ token }) => leases.map((job) => ({ ...job, token })))
          ])
      }))
      assert.deepStrictEqual(broken, [leaseLaw])
    })
  )

  it.live("catch one that keeps a lease against all, and forgets its holder", () =>
    Effect.gen(function* () {
      const broken = yield* brokenBy((driver, { leases }) => ({
        renew: (renewal) =>
          leases.some(({ id }) => id === renewal.id) ? Effect.succeed(false) : driver.renew(renewal)
      }))
      assert.deepStrictEqual(broken, [leaseLaw])
    })
  )

  it.live("catch one that forgets everything", () =>
    Effect.gen(function* () {
      const broken: Array<string> = []
      for (const { proof, title } of reopenLaws)
        if (Exit.isFailure(yield* Effect.exit(proof(openingOf(memory()))))) broken.push(title)
      assert.deepStrictEqual(
        broken,
        reopenLaws.map(({ title }) => title)
      )
    })
  )
})
