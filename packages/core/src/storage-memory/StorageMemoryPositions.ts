import type { Uuid, WalletId } from "../kernel/Ids.ts"
import { uniqueName } from "../units/Facts.ts"
import type { PositionQuery } from "../ports/StorageDriver.ts"
import type { MemoryState } from "./StorageMemoryState.ts"

/** Names are compared by their code points, as databases do that compare bytes of UTF-8. */
export const positions = (state: MemoryState, query: PositionQuery): ReadonlyArray<Uuid> => {
  const { limit, order, skip } = query
  const found = "space" in query ? namesUnder(state, query) : idsIn(state, query)
  return (order === "asc" ? found : found.toReversed()).slice(skip, skip + limit)
}

const namesUnder = (state: MemoryState, of: { readonly space: string; readonly under: string }) => {
  const before = uniqueName({ space: of.space, key: `${of.under}/` })
  return [...state.keys]
    .filter(([name]) => name.startsWith(before))
    .toSorted(([left], [right]) => compareCodePoints(left, right))
    .map(([, holder]) => holder)
}

const idsIn = (
  state: MemoryState,
  of: { readonly wallet: WalletId; readonly kind: string }
): ReadonlyArray<Uuid> =>
  [...state.rows.values()]
    .filter(
      ({ row: { kind, table, wallet } }) =>
        table === "registry" && kind === of.kind && wallet === of.wallet
    )
    .map(({ row }) => row.id)
    .toSorted()

const compareCodePoints = (left: string, right: string): number => {
  const [ones, others] = [[...left], [...right]]
  const at = ones.findIndex((point, index) => point !== others[index])
  return at < 0
    ? ones.length - others.length
    : (ones[at]?.codePointAt(0) ?? 0) - (others[at]?.codePointAt(0) ?? -1)
}
