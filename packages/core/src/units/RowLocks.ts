import type { JobRef } from "./Unit.ts"
import { scopesOf, walletsOf } from "./Facts.ts"
import type { IdempotencyScope, Unit } from "./Unit.ts"

// Names of what a write locks, or has to see unlocked: what a storage answers as `locked` is found in units by them.
export const walletLock = (id: string): string => `wallet ${id}`
/** Of a row of `operation` or `registry`; ids are unique over both. */
export const rowLock = (id: string): string => `row ${id}`
export const counterLock = (key: string): string => `counter ${key}`
export const jobLock = ({ id, queue }: JobRef): string => `job ${queue} ${id}`
export const deliveryLock = (id: string): string => `delivery ${id}`
export const idempotencyLock = ({ key, route, wallet }: IdempotencyScope): string =>
  `idempotency ${wallet} ${key} ${route}`

/** Everything by which somebody else's lock can keep this unit from being written. */
export const locksOf = (unit: Unit): ReadonlyArray<string> => [
  ...walletsOf(unit).map(walletLock),
  ...(unit.updates ?? []).map(({ row }) => rowLock(row.id)),
  ...(unit.expects ?? []).map(({ id }) => rowLock(id)),
  ...(unit.counters ?? []).map(({ key }) => counterLock(key)),
  ...(unit.jobs ?? []).map(jobLock),
  ...(unit.attempts ?? []).map(({ delivery }) => deliveryLock(delivery)),
  ...scopesOf(unit).map(idempotencyLock)
]
