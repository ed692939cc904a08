import { assert, describe, it } from "@effect/vitest"
import { memory, Pagora, StorageDriver, StorageError } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { Effect, Layer } from "effect"
import {
  bank,
  bankPsp,
  refusalOf,
  secret,
  sharedMemory,
  small,
  withPagora
} from "../world/Embedding.test-data.ts"

/** A storage whose answer to a probe the test decides, and which counts how often it was asked. */
const probed = () => {
  const world = { asked: 0, answer: Effect.succeed(true) as Effect.Effect<boolean, StorageError> }
  const storage = Layer.effect(
    StorageDriver,
    Effect.map(StorageDriver, (driver) =>
      StorageDriver.of({
        ...driver,
        isCurrent: Effect.suspend(() => {
          world.asked += 1
          return world.answer
        })
      })
    )
  ).pipe(Layer.provide(memory()))
  return { world, options: { storage, secret } }
}

const well = { storage: "ok", schema: "ok", clock: "ok", psps: "ok", accepting: "ok" } as const
const silent = "The storage does not answer within 2 seconds."
const answers: ReadonlyArray<
  readonly [string, Effect.Effect<boolean, StorageError>, Readonly<Record<string, string>>, string]
> = [
  [
    "does not answer",
    Effect.fail(new StorageError({ reason: "Unavailable" })),
    { ...well, storage: "failed", schema: "unknown" },
    silent
  ],
  [
    "breaks",
    Effect.die(new Error("No.")),
    { ...well, storage: "failed", schema: "unknown" },
    silent
  ],
  ["never answers", Effect.never, { ...well, storage: "failed", schema: "unknown" }, silent],
  [
    "is older than the code",
    Effect.succeed(false),
    { ...well, schema: "failed" },
    "The storage is older than this program: bring it up to date."
  ]
]

describe("health", () => {
  it("is ready on a storage that has nothing to tell, and stopping after stop", async () => {
    const pagora = await Pagora.start(small)
    assert.deepStrictEqual(await pagora.health(), { ready: true, checks: well, reasons: [] })
    await pagora.stop()
    assert.deepStrictEqual(await pagora.health(), {
      ready: false,
      checks: {
        storage: "unknown",
        schema: "unknown",
        clock: "unknown",
        psps: "unknown",
        accepting: "failed"
      },
      reasons: ["The service is stopping."]
    })
  })

  it.concurrent.each(answers)(
    "is not ready while the storage %s",
    async (_, answer, checks, reason) => {
      const { options, world } = probed()
      await withPagora(options, async (pagora) => {
        world.answer = answer
        assert.deepStrictEqual(await pagora.health(), {
          ready: false,
          checks: { ...well, ...checks },
          reasons: [reason]
        })
      })
    }
  )

  it("asks the storage once a second at most, and sees it come back", async () => {
    const { options, world } = probed()
    await withPagora(options, async (pagora) => {
      world.answer = Effect.succeed(false)
      const reports = await Promise.all(Array.from({ length: 50 }, () => pagora.health()))
      assert.isTrue(reports.every(({ ready }) => !ready))
      assert.strictEqual(world.asked, 1)
      world.answer = Effect.succeed(true)
      await new Promise((resolve) => setTimeout(resolve, 1_050))
      assert.isTrue((await pagora.health()).ready)
      assert.strictEqual(world.asked, 2)
    })
  })
})

const production = { default: bank, psps: { [bank]: bankPsp } }

describe("a storage", () => {
  it.each([
    ["production", production, sandbox(), "sandbox"],
    ["sandbox", sandbox(), production, "production"]
  ] as const)(
    "of a %s deployment is for no other environment, for good",
    async (kept, first, second, other) => {
      const storage = await sharedMemory()
      const options = { ...small, storage, secret }
      // Two at once agree, whoever is first.
      const both = await Promise.all([0, 1].map(() => Pagora.start({ ...options, psp: first })))
      for (const pagora of both) await pagora.stop()
      const error = await refusalOf(Pagora.start({ ...options, psp: second }))
      assert.strictEqual(error.code, "CANNOT_START")
      assert.strictEqual(
        error.message,
        `This database belongs to a ${kept} deployment and the PSP is a ${other} one: give each environment a database of its own, so that play money and real money never meet.`
      )
      await (await Pagora.start({ ...options, psp: first })).stop()
    }
  )
})
