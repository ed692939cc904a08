import { Effect } from "effect"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { plus, zero } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import type { Return } from "../returns/Return.ts"
import { ReturnKind } from "../returns/Return.ts"
import type { Storage } from "../storage/Storage.ts"
import type * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Withdrawal } from "../withdrawals/Withdrawal.ts"
import { isShort, WithdrawalKind } from "../withdrawals/Withdrawal.ts"

/** How many rows are read at once. */
const pageSize = 500

/** Hands out every one in a status, of whichever account, page by page. */
const eachIn = Effect.fnUntraced(function* <A extends Withdrawal | Return>(
  storage: Storage["Service"],
  { kind, status }: { readonly kind: Kind.Kind<A>; readonly status: string },
  take: (one: A) => void
): Effect.fn.Return<void, StorageError> {
  for (let after: A["id"] | undefined; ;) {
    const page = yield* storage.list(kind, {
      status,
      order: "asc",
      limit: pageSize,
      ...present({ after })
    })
    for (const { value } of page) take(value)
    after = page.at(-1)?.value.id
    if (page.length < pageSize) return
  }
})

const mayHaveLeft = ({ pspReference, sentAt }: Withdrawal): boolean =>
  sentAt !== undefined || pspReference !== undefined

/** What was sent to each PSP and is not booked yet: read once, however many PSPs there are. */
export const underWayAtPsps = Effect.fnUntraced(function* (
  storage: Storage["Service"]
): Effect.fn.Return<(psp: PspCredentialId) => Centavos, StorageError> {
  const underWay = new Map<PspCredentialId, Centavos>()
  const add = (psp: PspCredentialId, amount: Centavos) =>
    underWay.set(psp, plus(underWay.get(psp) ?? zero, amount))
  for (const status of ["processing", "manual_review"])
    yield* eachIn(storage, { kind: WithdrawalKind, status }, (one) => {
      if (mayHaveLeft(one)) add(one.pspCredentialId, one.netAmount)
    })
  for (const status of ["requested", "processing"])
    yield* eachIn(storage, { kind: ReturnKind, status }, (one) =>
      add(one.pspCredentialId, one.amount)
    )
  return (psp) => underWay.get(psp) ?? zero
})

/** Withdrawals that the balance of a PSP does not cover: they stand in the operator's line, among others. */
export interface WaitingForMoney {
  readonly count: number
  readonly amount: Centavos
}
const none: WaitingForMoney = { count: 0, amount: zero }

export const waitingAtPsps = Effect.fnUntraced(function* (
  storage: Storage["Service"]
): Effect.fn.Return<(psp: PspCredentialId) => WaitingForMoney, StorageError> {
  const waiting = new Map<PspCredentialId, WaitingForMoney>()
  for (let after: Uuid | undefined; ;) {
    const line = yield* storage.jobs({ queue: "review", limit: pageSize, ...present({ after }) })
    const ids = line.map(({ id }) => id)
    const found = ids.length === 0 ? [] : yield* storage.findMany(WithdrawalKind, ids)
    for (const { value } of found) {
      if (!isShort(value)) continue
      const { amount, count } = waiting.get(value.pspCredentialId) ?? none
      const more = { count: count + 1, amount: plus(amount, value.netAmount) }
      waiting.set(value.pspCredentialId, more)
    }
    after = ids.at(-1)
    if (line.length < pageSize) return (psp) => waiting.get(psp) ?? none
  }
})
