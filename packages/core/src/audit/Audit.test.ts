import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LedgerTxId, WalletId } from "../kernel/Ids.ts"
import { auditSince, completeAudit } from "./Audit.ts"
import { auditLimits } from "./AuditRun.ts"
import type { StorageDriverShape } from "../ports/StorageDriver.ts"
import { makeDriver } from "../storage-memory/StorageMemory.ts"
import type { MemoryState } from "../storage-memory/StorageMemoryState.ts"
import { applyUnit, emptyState } from "../storage-memory/StorageMemoryState.ts"
import { moneyIn, newId, opening, rowOf, unitOf } from "../storage/Units.test-data.ts"

/** Sub-accounts that were closed, so many that they are read in three pages. */
const manyClosed = () => {
  const state = emptyState()
  const wallets = Array.from({ length: auditLimits.wallets * 2 + 1 }, () => newId<WalletId>())
  for (const id of wallets) {
    const parts = { id, table: "registry", kind: "sub_account", status: "closed" } as const
    applyUnit(state, opening(id))
    applyUnit(state, unitOf({ inserts: [rowOf(parts)] }))
  }
  return { state, wallets }
}

/** A driver that counts what is read of it. */
const counted = (state: MemoryState) => {
  const reads = { closed: 0, sinceTold: 0, most: 0 }
  const driver = makeDriver(state)
  const counting = <A extends object>(methods: A): A =>
    Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [
        name,
        typeof method !== "function"
          ? method
          : (...asked: ReadonlyArray<unknown>) => {
              if (name === "list") reads.closed++
              reads.most = Math.max(reads.most, ++reads.sinceTold)
              return (method as (...asked: ReadonlyArray<unknown>) => unknown)(...asked)
            }
      ])
    ) as A
  const watched: StorageDriverShape = { ...counting(driver), audit: counting(driver.audit) }
  const onProgress = () => Effect.sync(() => (reads.sinceTold = 0)).pipe(Effect.asVoid)
  return { driver: watched, reads, onProgress }
}

describe("the audit of what is closed", () => {
  it.effect("tells how far it came after each page", () =>
    Effect.gen(function* () {
      const { driver, onProgress, reads } = counted(manyClosed().state)
      yield* completeAudit(driver, { onProgress })
      assert.strictEqual(reads.closed, 4)
      assert.isAtMost(reads.most, 3)
    })
  )

  it.effect("looks at those alone that moved, where it is of what is new", () =>
    Effect.gen(function* () {
      const { state, wallets } = manyClosed()
      const since = newId<LedgerTxId>()
      const [moved = assert.fail()] = wallets
      applyUnit(state, moneyIn(moved, 5n))
      const { driver, onProgress, reads } = counted(state)
      const options = { since, keepUpTo: newId<LedgerTxId>(), known: [], onProgress }
      const { violations } = yield* auditSince(driver, options)
      assert.deepStrictEqual(
        violations.map(({ rule, subject }) => [rule, subject]),
        [["closed_not_empty", moved]]
      )
      assert.strictEqual(reads.closed, 0)
    })
  )
})
