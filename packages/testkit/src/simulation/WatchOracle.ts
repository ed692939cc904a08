import type { Books } from "./Books.ts"
import { textOf } from "./Books.ts"

/** So long after its end the bank is asked once more about a withdrawal, less what clocks of the service may differ. */
const watchedMillis = 7 * 86_400_000 - 3_600_000

/** What a bank can still take back, or do after all. */
const watched: ReadonlySet<string> = new Set(["completed", "failed"])

/**
 * What has ended is looked at to the last: what a bank does afterwards without a notice is known by nothing else, also where
 * it did nothing this time.
 *
 * @param lastTold When a bank last told anything of what has a reference.
 */
export const judgeByWatch = (
  { operations }: Books,
  lastTold: (reference: string) => number | undefined
): ReadonlyArray<string> =>
  operations.flatMap((one) => {
    const { id, kind, status } = one.row
    if (kind !== "withdrawal" || !watched.has(status)) return []
    const until = Date.parse(textOf(one, "updatedAt") ?? "") + watchedMillis
    const at = lastTold(id.replaceAll("-", "")) ?? 0
    return at >= until
      ? []
      : [`watch: withdrawal ${id} is ${status}, and was not looked at for long enough`]
  })
