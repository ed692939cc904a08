import { setTimeout as sleep } from "node:timers/promises"
import { freshDatabase } from "../postgres/index.ts"
import type { CrashReport, Scenario, ScenarioOptions } from "./CrashReport.ts"
import type { CrashWorld } from "./CrashWorld.ts"
import type { LoadedOptions } from "./UnderLoad.ts"
import { endLeases } from "./CrashWatch.ts"
import { underLoad } from "./UnderLoad.ts"

/** Under load on a database of its own in the server of the tests. */
const onTestServer = async (
  options: Omit<LoadedOptions, "url">,
  strike: (world: CrashWorld, round: number, url: string) => Promise<string>
): Promise<CrashReport> => {
  const database = await freshDatabase()
  const { url } = database
  try {
    return await underLoad({ ...options, url }, (world, round) => strike(world, round, url))
  } finally {
    await database.drop()
  }
}

/** Kills a process at any moment, also while it starts, and starts it again. */
const killed = (processes: number) => (options: ScenarioOptions) =>
  onTestServer({ ...options, processes, clients: 6 }, async (world) => {
    const { chance } = world
    const slot = chance.pick(world.slots)
    await slot.kill()
    const since = performance.now()
    let kind = "process killed"
    if (chance.happens(0.2)) {
      kind = "process killed, and again while it started"
      const starting = slot.start().catch(() => undefined)
      await sleep(chance.below(2_500))
      await slot.kill()
      await starting
    }
    await slot.start()
    await world.recovered(slot, since)
    return kind
  })

export const serviceKills: Scenario = {
  name: "service",
  does: "kill -9 of the only process of a service, and its restart",
  count: 100,
  run: killed(1)
}

export const servicesKills: Scenario = {
  name: "services",
  does: "kill -9 of one of three processes, and its restart",
  count: 100,
  run: killed(3)
}

/** Leases last 60 seconds. */
const pauseMillis = { min: 35_000, spread: 35_000 }
const hurriedMillis = 2_000

/** Stops one of three processes for a while in which the others take over what it was at, and lets it go on. */
export const pauses: Scenario = {
  name: "pause",
  does: "SIGSTOP of one of three processes for 35 to 70 seconds, past its leases",
  count: 6,
  run: (options) =>
    onTestServer({ ...options, processes: 3, clients: 4 }, async (world, _, url) => {
      const { chance, slots } = world
      const slot = chance.pick(slots)
      const millis = options.isHurried
        ? hurriedMillis
        : pauseMillis.min + chance.below(pauseMillis.spread)
      const since = performance.now()
      slot.signal("SIGSTOP")
      if (options.isHurried) await endLeases(url)
      for (const other of slots) if (other !== slot) await world.recovered(other, since)
      await sleep(Math.max(0, since + millis - performance.now()))
      slot.signal("SIGCONT")
      await world.recovered(slot, performance.now())
      return "process paused"
    })
}

const holeMillis = { min: 1_000, spread: 12_000 }

/** Swallows what one of two processes and its database tell each other, and lets it through again. */
export const stalls: Scenario = {
  name: "stall",
  does: "the wire between one of two processes and its database swallows everything for 1 to 13 seconds",
  count: 20,
  run: (options) =>
    onTestServer({ ...options, processes: 2, clients: 6 }, async (world) => {
      const { chance } = world
      const slot = chance.pick(world.slots)
      const kind = chance.pick(["lost", "late"] as const)
      slot.proxy.blackHole(kind)
      await sleep(holeMillis.min + chance.below(holeMillis.spread))
      slot.proxy.heal()
      await world.recovered(slot, performance.now())
      return `wire swallowed, what was on it ${kind}`
    })
}
