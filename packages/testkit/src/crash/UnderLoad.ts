import { setTimeout as sleep } from "node:timers/promises"
import type { CrashReport, ScenarioOptions } from "./CrashReport.ts"
import { spread } from "./CrashReport.ts"
import type { CrashWorld, WorldOptions } from "./CrashWorld.ts"
import { openWorld } from "./CrashWorld.ts"

export interface LoadedOptions extends ScenarioOptions, Omit<WorldOptions, "seed" | "isHurried"> {
  /** The longest time between what one fault left behind and the next fault. Default 800. */
  readonly calmMillisMax?: number
}

/** It is no use to go on where so much is wrong. */
const violationsMax = 20
const progressEvery = 10
/** Nor is anybody left without a word for longer than a fault lasts. */
const silenceMillisMax = 30_000

/**
 * Makes things go wrong, one after the other, under load, and looks after each at what was acknowledged. `strike` makes one
 * thing go wrong, mends it, waits until all is well again, and answers what it was.
 */
export const underLoad = async (
  options: LoadedOptions,
  strike: (world: CrashWorld, round: number) => Promise<string>
): Promise<CrashReport> => {
  const { calmMillisMax = 800, count, progress } = options
  const world = await openWorld(options)
  const kinds = new Map<string, number>()
  try {
    let round = 0
    let spoken = performance.now()
    while (round < count && world.violations.length < violationsMax) {
      await sleep(50 + world.chance.below(calmMillisMax))
      const kind = await strike(world, round)
      round++
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      await world.check(`fault ${round} (${kind})`)
      const isSilent = performance.now() - spoken > silenceMillisMax
      if (round % progressEvery === 0 || round === count || isSilent) {
        spoken = performance.now()
        const { length } = world.tale.asked
        progress(`${round} of ${count}: asked for ${length}, violations ${world.violations.length}`)
      }
    }
    progress("the load is over; waiting for what is on its way")
    const report = await world.finish(round)
    return { ...report, figures: { ...Object.fromEntries(kinds), ...report.figures } }
  } finally {
    await world.close()
  }
}

/** One line of a report. */
export const summary = ({
  acknowledged,
  asked,
  faults,
  recoveries,
  violations
}: CrashReport): string =>
  `faults ${faults}, asked for ${asked}, acknowledged ${acknowledged}, recovery ${spread(recoveries)}, violations ${violations.length}`
