import { DateTime } from "effect"
import type { WalletId } from "../kernel/Ids.ts"
import { Charge } from "./Charge.ts"

/** How many keys wait at most for what becomes of one charge. */
export const waitingMax = 16

type Waiting = NonNullable<Charge["cancelKeys"]>[number]

/** What tells one key of a charge from another. */
type Name = Pick<Waiting, "route" | "key">

const isOf =
  ({ key, route }: Name) =>
  (other: Name): boolean =>
    other.key === key && other.route === route

/** After its window a key may be gone, and nobody waits for it. */
const waiting = (
  { cancelKeys = [] }: Pick<Charge, "cancelKeys">,
  now: DateTime.Utc
): ReadonlyArray<Waiting> =>
  cancelKeys.filter(({ expiresAt }) => DateTime.isGreaterThan(expiresAt, now))

/**
 * A pending charge that its owner wants cancelled, for the first time or once more. It can be paid until the PSP has taken it
 * back. Every key it was asked by waits for that one answer.
 */
export const askToCancel = (
  { cancelRefusal: _, ...charge }: Charge,
  now: DateTime.Utc,
  key: Waiting | undefined
): Charge => {
  const others = waiting(charge, now)
  return new Charge({
    ...charge,
    cancelRequestedAt: charge.cancelRequestedAt ?? now,
    cancelKeys: key === undefined ? others : [...others.filter((other) => !isOf(key)(other)), key],
    updatedAt: now
  })
}

/** The PSP will not take it back: it can be paid as before. */
export const refuseCancel = (
  { cancelKeys: _, cancelRequestedAt: __, ...charge }: Charge,
  refusal: string,
  now: DateTime.Utc
): Charge => new Charge({ ...charge, cancelRefusal: refusal, updatedAt: now })

/** Whether a key still waits for its answer. */
export const isAwaited = ({ cancelKeys = [] }: Charge, key: Name): boolean =>
  cancelKeys.some(isOf(key))

/** Whose answer is known when `before` becomes `after`: the wish was fulfilled, refused, or came too late. */
export const answeredKeys = (
  before: Charge,
  after: Charge,
  now: DateTime.Utc
): ReadonlyArray<Name & { readonly wallet: WalletId }> =>
  after.cancelKeys === undefined
    ? waiting(before, now).map(({ key, route }) => ({ wallet: before.wallet, route, key }))
    : []
