import type { Plan, TroubleName } from "./Plan.ts"
import { troubleNames } from "./Plan.ts"

/** What a run of a plan comes to, as far as shrinking needs it. */
export interface Tried {
  /** The kind of the first violation; undefined where there is none. */
  readonly violation: string | undefined
  readonly operations: number
  readonly faults: number
}

/**
 * Makes a plan that fails smaller while it fails in the same way: leaves troubles calm, then faults out, then operations, in
 * ever smaller pieces.
 *
 * @param attempt Runs a plan.
 * @param runsMax How often it may.
 */
export const shrink = async (
  plan: Plan,
  attempt: (plan: Plan) => Promise<Tried>,
  runsMax: number
): Promise<Plan> => {
  const first = await attempt(plan)
  let runs = 1
  let smallest: Plan = {
    ...plan,
    operations: plan.operations ?? upTo(first.operations),
    faults: plan.faults ?? upTo(first.faults)
  }
  const fails = async (candidate: Plan): Promise<boolean> => {
    if (runs >= runsMax) return false
    runs++
    const { violation } = await attempt(candidate)
    if (violation === undefined || violation !== first.violation) return false
    smallest = candidate
    return true
  }
  const calming = async (name: TroubleName) => {
    if (!smallest.calm.includes(name)) await fails({ ...smallest, calm: [...smallest.calm, name] })
  }
  for (const name of troubleNames) await calming(name)
  await thinOut(
    () => smallest.faults ?? [],
    (faults) => fails({ ...smallest, faults })
  )
  await thinOut(
    () => smallest.operations ?? [],
    (operations) => fails({ ...smallest, operations })
  )
  return smallest
}

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n)

/** Leaves out pieces of a list, first halves and at last single ones (delta debugging). */
const thinOut = async (
  current: () => ReadonlyArray<number>,
  fails: (rest: ReadonlyArray<number>) => Promise<boolean>
): Promise<void> => {
  for (let size = current().length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < current().length;) {
      const rest = current().filter((_, index) => index < from || index >= from + size)
      if (!(await fails(rest))) from += size
    }
  }
}
