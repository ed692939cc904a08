import type { WalletId } from "@pagora/core"
import { GroupCommit, StorageDriver } from "@pagora/core"
import { Effect } from "effect"
import { pglite } from "../src/pglite/index.ts"
import { brl, moneyIn, newId, rowOf, unitOf } from "./Units.test-data.ts"
import { templates } from "./Templates.test-data.ts"

/**
 * A process that writes to an embedded database until it is killed, and says of each unit that it is in: the id
 * of a row, and of a movement that came with it. What keeps it from starting goes to standard error.
 */
const [dataDir = ""] = process.argv.slice(2)

const say = (line: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stdout.write(`${line}\n`))

const program = Effect.gen(function* () {
  const commit = yield* GroupCommit.groupCommit(yield* StorageDriver)
  const wallet = newId<WalletId>()
  yield* commit(unitOf({ opens: [wallet] }))
  const write = Effect.suspend(() => {
    const row = rowOf({ wallet, document: JSON.stringify({ note: "x".repeat(500) }) })
    const tx = moneyIn(wallet, brl(1))
    return Effect.andThen(
      commit(unitOf({ inserts: [row], ledger: [tx] })),
      say(`${row.id} ${tx.id} ${wallet}`)
    )
  })
  yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.forever(write), { concurrency: 8 })
})

Effect.runPromise(
  program.pipe(Effect.scoped, Effect.provide(pglite({ dataDir, templates })))
).catch((error: unknown) => {
  process.stderr.write(String(error))
  process.exit(1)
})
