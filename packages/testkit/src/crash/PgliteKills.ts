import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { chanceOf } from "../fuzz/Chance.ts"
import type { Chance } from "../fuzz/Chance.ts"
import { promisesBroken } from "../load/LoadCheck.ts"
import { auditBy, countsOf } from "../load/LoadFacts.ts"
import type { CrashReport, Scenario, ScenarioOptions } from "./CrashReport.ts"
import type { Directory } from "./Directory.ts"
import { newDirectory } from "./Directory.ts"

const clients = 4
/** A directory is killed in so many times at most, then the next one begins. */
const killsOfOne = 12
/** A first start is cut off within so long, mostly before it serves. */
const startMillis = 4_000
const serveMillis = 1_200
const lookedAtTwice = 40

interface Kills {
  readonly chance: Chance
  readonly recoveries: Array<number>
  readonly violations: Array<string>
  readonly kinds: Record<string, number>
  asked: number
  acknowledged: number
}

const count = (kills: Kills, kind: string): void => {
  kills.kinds[kind] = (kills.kinds[kind] ?? 0) + 1
}

/** Opens the directory, and looks at what was acknowledged since the last time. */
const reopen = async (
  directory: Directory,
  kills: Kills,
  from: number,
  since: number
): Promise<number> => {
  const { tale } = directory
  const asked = tale.asked.slice(Math.max(0, from - lookedAtTwice))
  const looked = tale.asked.length
  await directory.open()
  kills.recoveries.push(performance.now() - since)
  const stored = await directory.storedOf(asked)
  const audit = await auditBy(directory.operator)
  const found = [
    ...promisesBroken({ asked, stored }),
    ...audit.map((violation) => `audit: ${JSON.stringify(violation)}`)
  ]
  kills.violations.push(...found)
  return looked
}

/** Cuts off the first starts of a new directory, then kills the processes that serve from it. */
const killInOne = async (directory: Directory, kills: Kills, most: number): Promise<number> => {
  const { chance } = kills
  let done = 0
  for (let left = Math.min(most, chance.below(4)); left > 0; left--, done++) {
    const starting = directory.begin()
    await sleep(chance.below(startMillis))
    await starting.kill()
    count(kills, "killed in its first start")
  }
  await directory.open()
  const load = directory.load(clients)
  let looked = 0
  for (; done < most; done++) {
    await sleep(chance.below(serveMillis))
    await directory.kill()
    const since = performance.now()
    if (chance.happens(0.2)) {
      const starting = directory.begin()
      await sleep(chance.below(startMillis / 2))
      await starting.kill()
      count(kills, "killed while it opened again")
    }
    looked = await reopen(directory, kills, looked, since)
    count(kills, "killed while it served")
  }
  await load.end()
  const { asked, given } = directory.tale
  const stored = await directory.storedOf(asked)
  kills.violations.push(...promisesBroken({ asked, stored }))
  if (given > 0) kills.violations.push(`${given} keys were not answered for good in time`)
  kills.asked += asked.length
  kills.acknowledged += asked.filter(({ told }) => told.length > 0).length
  for (const [kind, many] of Object.entries(countsOf(stored)))
    kills.kinds[kind] = (kills.kinds[kind] ?? 0) + many
  return done
}

const killAll = async (options: ScenarioOptions, shared: string): Promise<CrashReport> => {
  const { count: most, progress, seed } = options
  const chance = chanceOf(seed, 0)
  const kills: Kills = {
    chance,
    recoveries: [],
    violations: [],
    kinds: {},
    asked: 0,
    acknowledged: 0
  }
  const answers = new Map<string, number>()
  for (let done = 0, directories = 0; done < most && kills.violations.length === 0; directories++) {
    // Every other one is made from nothing, the others are copies of a packed one.
    const templates = directories % 2 === 0 ? join(shared, String(directories)) : shared
    const directory = newDirectory(chance, templates)
    try {
      done += await killInOne(directory, kills, Math.min(killsOfOne, most - done))
    } finally {
      await directory.remove()
    }
    for (const [name, many] of directory.tale.answers)
      answers.set(name, (answers.get(name) ?? 0) + many)
    progress(`${done} of ${most}: asked for ${kills.asked}, violations ${kills.violations.length}`)
  }
  const { acknowledged, asked, kinds, recoveries, violations } = kills
  if (acknowledged === 0) violations.push("nothing was acknowledged")
  return { faults: most, recoveries, asked, acknowledged, answers, figures: kinds, violations }
}

/** Kills processes that keep everything in a directory, also in their first start. */
export const pgliteKills: Scenario = {
  name: "pglite",
  does: "kill -9 of a process with an embedded database, also while it makes it and while it opens it again",
  count: 200,
  run: async (options) => {
    const shared = mkdtempSync(join(tmpdir(), "pagora-crash-templates-"))
    try {
      return await killAll(options, shared)
    } finally {
      rmSync(shared, { recursive: true, force: true })
    }
  }
}
