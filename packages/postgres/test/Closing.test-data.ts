import { assert } from "@effect/vitest"
import type { StorageDriver, WalletId } from "@pagora/core"
import { GroupCommit } from "@pagora/core"
import { Effect, Exit } from "effect"
import { brl, moneyIn, newId, rowOf, unitOf } from "./Units.test-data.ts"

const rounds = 25

/**
 * One service closes a sub-account whose wallet is empty while another one credits it: exactly one of them succeeds,
 * every time. Where a session is not read committed, a check passes on a row that is stale, and both do.
 */
export const closeOrCredit = Effect.fnUntraced(function* (
  one: StorageDriver["Service"],
  other: StorageDriver["Service"]
) {
  const [closer, payer] = [
    yield* GroupCommit.groupCommit(one),
    yield* GroupCommit.groupCommit(other)
  ]
  for (let round = 0; round < rounds; round++) {
    const [wallet, row] = [newId<WalletId>(), rowOf()]
    yield* closer(unitOf({ opens: [wallet], inserts: [row] }))
    const closing = unitOf({
      updates: [{ row: { ...row, status: "closed" }, expected: 1 }],
      empty: [wallet]
    })
    const crediting = unitOf({
      expects: [{ table: row.table, id: row.id, version: 1 }],
      ledger: [moneyIn(wallet, brl(1))]
    })
    const ends = yield* Effect.all([Effect.exit(closer(closing)), Effect.exit(payer(crediting))], {
      concurrency: "unbounded"
    })
    assert.strictEqual(ends.filter(Exit.isSuccess).length, 1, `round ${round}`)
  }
})
