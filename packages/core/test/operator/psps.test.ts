import { assert, describe, it } from "@effect/vitest"
import { memory, PspOutcome, StorageDriver } from "@pagora/core"
import type { Centavos, PspShape } from "@pagora/core"
import { Effect, Layer } from "effect"
import { plainBank } from "../psp/PlainBank.test-data.ts"
import { withPagora } from "../world/Embedding.test-data.ts"

/** A storage that counts what is read of it in lists and lines. */
const counting = async () => {
  const driver = await Effect.runPromise(Effect.provide(StorageDriver, memory()))
  let reads = 0
  const list: typeof driver.list = (query) =>
    Effect.suspend(() => {
      reads++
      return driver.list(query)
    })
  return { storage: Layer.succeed(StorageDriver, { ...driver, list }), reads: () => reads }
}

const bankId = (n: number) => `00000000-0000-7000-8000-00000000000${n}`

/** So many banks, each of which holds as many reais as its number. */
const banks = (count: number): Record<string, PspShape> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const held = { available: BigInt(100 * (index + 1)) as Centavos, blocked: 0n as Centavos }
      const balance = () => Effect.succeed(PspOutcome.done(held))
      return [bankId(index + 1), plainBank({ balance }).psp]
    })
  )

const readsOf = async (count: number) => {
  const { reads, storage } = await counting()
  const psp = { default: bankId(1), psps: banks(count) }
  return withPagora({ storage, psp, workers: false, secret }, async (pagora) => {
    const before = reads()
    const { data } = await pagora.psps.list()
    assert.deepStrictEqual(
      data.map(({ balance }) => balance?.available),
      Array.from({ length: count }, (_, index) => index + 1)
    )
    return reads() - before
  })
}

const secret = "a master secret that is long enough for every test"

describe("the balance of a PSP", () => {
  it("is asked for once in five seconds, however often it is looked at", async () => {
    let asked = 0
    const held = { available: 100n as Centavos, blocked: 0n as Centavos }
    const balance = () =>
      Effect.sync(() => {
        asked++
        return PspOutcome.done(held)
      })
    const psp = { default: bankId(1), psps: { [bankId(1)]: plainBank({ balance }).psp } }
    await withPagora({ psp, workers: false }, async (pagora) => {
      for (let look = 0; look < 5; look++) {
        const { data } = await pagora.psps.list()
        assert.strictEqual(data[0]?.balance?.available, 1)
      }
      assert.strictEqual(asked, 1)
    })
  })
})

describe("the list of PSPs with what they hold", () => {
  it("is read from the database as often for nine PSPs as for one", async () => {
    const one = await readsOf(1)
    assert.isAbove(one, 0)
    assert.strictEqual(await readsOf(9), one)
  })
})
