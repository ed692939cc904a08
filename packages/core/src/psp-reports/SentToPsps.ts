import { Effect } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { plus, zero } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import type { Return } from "../returns/Return.ts"
import { ReturnKind } from "../returns/Return.ts"
import type { Storage } from "../storage/Storage.ts"
import type * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Withdrawal } from "../withdrawals/Withdrawal.ts"
import { WithdrawalKind } from "../withdrawals/Withdrawal.ts"

/** How many rows are read at once. */
const pageSize = 500

/** What was sent to each PSP and is not booked yet, or waits for money there: read once, however many PSPs there are. */
export interface SentToPsps {
  readonly underWayAt: (psp: PspCredentialId) => Centavos
  /** The net amounts of withdrawals that the balance of a PSP does not cover. */
  readonly waitingAt: (psp: PspCredentialId) => ReadonlyArray<Centavos>
}

export const sentToPsps = Effect.fnUntraced(function* (
  storage: Storage["Service"]
): Effect.fn.Return<SentToPsps, StorageError> {
  const underWay = new Map<PspCredentialId, Centavos>()
  const waiting = new Map<PspCredentialId, Array<Centavos>>()
  const add = (psp: PspCredentialId, amount: Centavos) =>
    underWay.set(psp, plus(underWay.get(psp) ?? zero, amount))
  for (const status of ["pending", "processing", "manual_review"])
    for (const one of yield* allIn(storage, WithdrawalKind, status)) {
      const { netAmount, pspCredentialId: psp, shortSince } = one
      if (mayHaveLeft(one)) add(psp, netAmount)
      if (shortSince !== undefined) waiting.set(psp, [...(waiting.get(psp) ?? []), netAmount])
    }
  for (const status of ["requested", "processing"])
    for (const { amount, pspCredentialId: psp } of yield* allIn(storage, ReturnKind, status))
      add(psp, amount)
  return {
    underWayAt: (psp) => underWay.get(psp) ?? zero,
    waitingAt: (psp) => waiting.get(psp) ?? []
  }
})

const mayHaveLeft = ({ pspReference, sentAt }: Withdrawal): boolean =>
  sentAt !== undefined || pspReference !== undefined

/** Every one in a status, of whichever account. */
const allIn = Effect.fnUntraced(function* <A extends Withdrawal | Return>(
  storage: Storage["Service"],
  kind: Kind.Kind<A>,
  status: string
): Effect.fn.Return<ReadonlyArray<A>, StorageError> {
  const all: Array<A> = []
  for (let after: A["id"] | undefined; ;) {
    const page = yield* storage.list(kind, {
      status,
      order: "asc",
      limit: pageSize,
      ...present({ after })
    })
    all.push(...page.map(({ value }) => value))
    after = page.at(-1)?.value.id
    if (page.length < pageSize) return all
  }
})
