import { assert, describe, it } from "@effect/vitest"
import type { PagoraInstance } from "@pagora/core"
import { Pagora, PagoraError } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { postgres } from "@pagora/postgres"
import { pglite } from "@pagora/postgres/pglite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const secret = "a master secret that is long enough for every test"

const withPagora = async <A>(
  dataDir: string,
  use: (pagora: PagoraInstance) => Promise<A>
): Promise<A> => {
  const storage = pglite({ dataDir })
  const pagora = await Pagora.start({ storage, psp: sandbox(), secret, logger: false })
  try {
    return await use(pagora)
  } finally {
    await pagora.stop()
  }
}

const sale = async (pagora: PagoraInstance, account: string): Promise<string> => {
  const { id } = await pagora.charges.create(account, { amount: 5 })
  await pagora.sandbox.pay(id)
  return id
}

describe("an embedded service on PGlite", () => {
  it("handles events over restarts, each once", { timeout: 60_000 }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "pagora-embed-"))
    try {
      const got: Array<string> = []
      const failed: Array<string> = []
      const [shop, first] = await withPagora(dataDir, async (pagora) => {
        const { id } = await pagora.accounts.create({ name: "Loja Azul" })
        await pagora.on("payment_completed", { name: "orders" }, ({ eventId }) => {
          failed.push(eventId)
          throw new Error("The database of the shop is away.")
        })
        const charge = await sale(pagora, id)
        await pagora.sandbox.advance({ seconds: 0 })
        return [id, charge]
      })
      assert.deepStrictEqual(failed, [first])
      // Nobody has registered the name here.
      const second = await withPagora(dataDir, (pagora) => sale(pagora, shop))
      for (const _ of ["a restart", "another one"])
        await withPagora(dataDir, async (pagora) => {
          await pagora.on("payment_completed", { name: "orders" }, ({ eventId }) =>
            got.push(eventId)
          )
          await pagora.sandbox.advance({ seconds: 600 })
          assert.isTrue((await pagora.audit()).ok)
        })
      assert.sameMembers(got, [first, second])
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})

it(
  "a service is not started under a master secret that does not open what is stored",
  { timeout: 60_000 },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "pagora-embed-"))
    const other = "another master secret, which is just as long as that one"
    const started = async (...[newest, ...formerSecrets]: readonly [string, ...Array<string>]) => {
      const options = { storage: pglite({ dataDir }), psp: sandbox(), logger: false } as const
      const pagora = await Pagora.start({ ...options, secret: newest, formerSecrets })
      await pagora.stop()
    }
    const refused = async (newest: string) => {
      const error: unknown = await started(newest).catch((thrown: unknown) => thrown)
      assert.instanceOf(error, PagoraError)
      assert.strictEqual(error.code, "CANNOT_START")
      assert.match(error.message, /^The secret is not the one .* in formerSecrets /)
    }
    try {
      await started(secret)
      await refused(other)
      await started(secret)
      await started(other, secret)
      await started(other)
      // What was made since then would not open.
      await refused(secret)
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
)

it("a URL that the environment does not have is refused in one sentence", async () => {
  const storage = postgres({ url: undefined })
  const error: unknown = await Pagora.start({ storage, psp: sandbox(), secret }).catch(
    (thrown: unknown) => thrown
  )
  assert.instanceOf(error, PagoraError)
  assert.match(error.message, /^postgres\(\) has no url: give it one such as postgres:\/\//)
})
