import type { Books } from "./Books.ts"
import { clockErrorMax } from "./MachineClock.ts"
import type { Movement } from "./Movements.ts"
import type { Asked } from "./programs/Asked.ts"
import type { Made } from "./programs/Made.ts"
import { madeBy, mayBeDecided } from "./programs/Made.ts"

type MadeById = ReadonlyMap<string, Made>

/** What a wallet had left at the most when something was spent: all that may have come, less what had surely gone. */
const leftAfter = (spent: Made, ofWallet: ReadonlyArray<Movement>, makings: MadeById): bigint => {
  const isIn = ({ amount, at, source }: Movement): boolean => {
    if (source === spent.id) return true
    if (amount > 0n) return at <= spent.at + clockErrorMax
    return (makings.get(source)?.acknowledged ?? Number.POSITIVE_INFINITY) < spent.began
  }
  return ofWallet.filter(isIn).reduce((sum, { amount }) => sum + amount, 0n)
}

/** What open blocks claim of a wallet is not spent by its owner: what was surely claimed, before and after. */
export const judgeByLiens = (
  { operations }: Books,
  movements: ReadonlyArray<Movement>,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<string> => {
  const blocks = madeBy(asked, "block")
  const claims = operations.flatMap(({ row: { amount, id, wallet } }) => {
    const block = blocks.get(id)
    return block === undefined ? [] : { block, wallet, amount: amount ?? 0n }
  })
  const spending = ["withdraw", "refund", "transfer"].flatMap((name) => [...madeBy(asked, name)])
  const makings: MadeById = new Map([...spending, ...madeBy(asked, "adjust")])
  const byWallet = Map.groupBy(movements, ({ wallet }) => wallet)
  return spending.flatMap(([id, spent]) => {
    const out = movements.find(({ amount, source }) => source === id && amount < 0n)
    if (out === undefined) return []
    const claimed = claims
      .filter(({ block, wallet }) => wallet === out.wallet && block.acknowledged < spent.began)
      .filter(({ block }) => !mayBeDecided(asked, block, spent.acknowledged))
      .reduce((sum, { amount }) => sum + amount, 0n)
    const left = claimed === 0n ? 0n : leftAfter(spent, byWallet.get(out.wallet) ?? [], makings)
    return left < claimed
      ? [`liens: ${spent.name} ${id} left ${left} at the most, of which ${claimed} were claimed`]
      : []
  })
}
