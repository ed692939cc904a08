import { setTimeout as sleep } from "node:timers/promises"
import type { OwnPostgres } from "../postgres/OwnPostgres.ts"
import { startOwnPostgres, startStandby, waitForStandby } from "../postgres/OwnPostgres.ts"
import type { FaultyProxy } from "../postgres/index.ts"
import { startFaultyProxy } from "../postgres/index.ts"
import { openSession } from "../postgres/Session.ts"
import type { CrashReport, Scenario, ScenarioOptions } from "./CrashReport.ts"
import type { CrashWorld } from "./CrashWorld.ts"
import { backendsOf, isUp, killPid } from "./PostgresKills.ts"
import type { Slot } from "./Slot.ts"
import { underLoad } from "./UnderLoad.ts"

const settings = { wal_keep_size: "256MB", max_connections: "100", hot_standby: "on" }

const tell = async (url: string, ...statements: ReadonlyArray<string>): Promise<void> => {
  const session = await openSession(url)
  try {
    for (const statement of statements) await session.rows(statement)
  } finally {
    session.close()
  }
}

/** Makes a standby the server of all, whatever has become of the one before. */
const promote = async ({ url }: OwnPostgres): Promise<void> => {
  await tell(
    url,
    "select pg_promote(true, 60)",
    // It would wait for a standby of its own.
    "alter system reset synchronous_standby_names",
    "select pg_reload_conf()"
  )
}

/** Every process of a server. */
const processesOf = async (server: OwnPostgres): Promise<ReadonlyArray<number>> => {
  const session = await openSession(server.url)
  try {
    const rows = await session.rows("select pid from pg_stat_activity")
    return [server.postmaster(), ...rows.map(({ pid }) => Number(pid))]
  } finally {
    session.close()
  }
}

/** How long one that hung goes on. Longer than a statement may take: by then whoever waits for it has opened other sessions. */
const goesOnMillis = 8_000

/** Puts a server out of use in one way or another, and answers what ends it for good. */
const ends = {
  "primary killed": async (server: OwnPostgres) => {
    killPid(server.postmaster())
    return () => server.stop()
  },
  "primary stopped at once": async (server: OwnPostgres) => {
    killPid(server.postmaster(), "SIGQUIT")
    return () => server.stop()
  },
  // It stands still, and goes on when another has taken its place.
  "primary hung, and came back": async (server: OwnPostgres) => {
    const processes = await processesOf(server)
    for (const pid of processes) killPid(pid, "SIGSTOP")
    return async () => {
      for (const pid of processes) killPid(pid, "SIGCONT")
      await sleep(goesOnMillis)
      killPid(server.postmaster())
      await server.stop()
    }
  }
} as const

const kinds = Object.keys(ends) as ReadonlyArray<keyof typeof ends>

/** A primary, and its synchronous standby behind a wire of its own. */
class Pair {
  primary: OwnPostgres
  private standby: OwnPostgres | undefined
  private wire: FaultyProxy | undefined

  constructor(primary: OwnPostgres) {
    this.primary = primary
  }

  /** The primary has a standby from now on. */
  async seed(): Promise<void> {
    this.wire = await startFaultyProxy(this.primary.url)
    this.standby = await startStandby(this.primary, { settings }, this.wire.url)
    await waitForStandby(this.primary)
  }

  cutOff(): void {
    this.wire?.setAway(true)
  }

  /** The standby takes the place of the primary, which is left to whoever ends it. */
  async switchOver(slots: ReadonlyArray<Slot>): Promise<void> {
    const { standby, wire } = this
    if (standby === undefined) throw new Error("There is no standby.")
    await promote(standby)
    // Whoever still speaks to the former one finds out by itself.
    for (const { proxy } of slots) proxy.pointTo(standby.url)
    this.primary = standby
    this.standby = undefined
    this.wire = undefined
    await wire?.close()
  }

  async stop(): Promise<void> {
    await this.wire?.close()
    await this.standby?.stop()
    await this.primary.stop()
  }
}

/** Under load on a primary with a standby, which has another one after each strike. */
const onPairs = async (
  options: ScenarioOptions,
  strike: (world: CrashWorld, pair: Pair, round: number) => Promise<string>
): Promise<CrashReport> => {
  const pair = new Pair(await startOwnPostgres({ settings }))
  try {
    await pair.seed()
    const { url } = pair.primary
    return await underLoad(
      { ...options, processes: 2, clients: 6, url, lookAt: () => pair.primary.url },
      async (world, round) => {
        const kind = await strike(world, pair, round)
        await isUp(pair.primary.url)
        await pair.seed()
        return kind
      }
    )
  } finally {
    await pair.stop()
  }
}

/** The primary goes, its synchronous standby takes its place, and has a standby of its own after that. */
export const switchOvers: Scenario = {
  name: "switch-over",
  does: "the primary is killed, stopped or hung, and its synchronous standby takes its place",
  count: 20,
  run: (options) =>
    onPairs(options, async (world, pair, round) => {
      const { primary: former } = pair
      const kind = kinds[round % kinds.length] ?? "primary killed"
      const since = performance.now()
      const endFormer = await ends[kind](former)
      await pair.switchOver(world.slots)
      world.noteServer(performance.now() - since)
      await Promise.all(world.slots.map((slot) => world.recovered(slot, since)))
      await endFormer()
      return kind
    })
}

/** Commits wait for a standby that does not answer. */
const waitMillis = 2_000
/** Longer than a request may take (10 s): whoever was told then that nobody knows what became of it asks again. */
const askAgainMillis = 13_000

/**
 * The standby is cut off, so that commits wait for it. Then the primary crashes, and shows them when it is back, though the
 * standby has none of them. Whoever acknowledged what it saw there is wrong when the primary is lost for good.
 */
export const cutOffs: Scenario = {
  name: "cut-off",
  does: "the standby is cut off, the primary crashes, comes back and is lost for good",
  count: 5,
  run: (options) =>
    onPairs(options, async (world, pair) => {
      const { primary: former } = pair
      pair.cutOff()
      await sleep(waitMillis)
      const [backend] = await backendsOf(former.url)
      if (backend !== undefined) killPid(backend)
      await isUp(former.url)
      await sleep(askAgainMillis)
      const since = performance.now()
      killPid(former.postmaster())
      await pair.switchOver(world.slots)
      await Promise.all(world.slots.map((slot) => world.recovered(slot, since)))
      await former.stop()
      return "standby cut off, primary crashed and lost"
    })
}
