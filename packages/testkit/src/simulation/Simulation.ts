import type { PspShape, StorageDriverShape } from "@pagora/core"
import { PspCredentialId } from "@pagora/core"
import { Effect } from "effect"
import type { Bank } from "./banks/Bank.ts"
import { makeBank } from "./banks/Bank.ts"
import type { BankOptions } from "./banks/BankOptions.ts"
import { Engine, NeverEnds } from "./Engine.ts"
import { befall, drawFaults } from "./FaultPlan.ts"
import { untilCompared } from "./HoldingsOracle.ts"
import { Machine } from "./Machine.ts"
import { MachineClock } from "./MachineClock.ts"
import type { Plan } from "./Plan.ts"
import { doorOf, notifierOf, payersOf } from "./Doors.ts"
import { judgeByAll } from "./Oracles.ts"
import { simulatedOperatorKey } from "./ProcessServices.ts"
import { Client } from "./programs/Client.ts"
import { routedOver } from "./programs/DrawShops.ts"
import { otherPsp, usualPsps } from "./programs/Names.ts"
import { makeProgram } from "./programs/Program.ts"
import { passing, untilQuiet } from "./QuietEnd.ts"
import { Receivers } from "./Receivers.ts"
import { ReportedShop } from "./reports/ReportedShop.ts"
import type { Setting } from "./Setting.ts"
import { calmed, drawSetting } from "./Setting.ts"
import { Store } from "./Store.ts"
import { drawTheme, themed } from "./Theme.ts"
import type { World } from "./World.ts"

/** What one simulation came to. */
export interface Report {
  readonly seed: number
  /** Of all that happened: the same for the same plan, whatever the storage. */
  readonly hash: string
  readonly violations: ReadonlyArray<string>
  readonly operations: number
  readonly faults: number
  readonly steps: number
  /** What was reached, and how often. */
  readonly coverage: ReadonlyMap<string, number>
  /** The trace, where it was asked for. */
  readonly lines: ReadonlyArray<string>
}

export interface SimulationOptions {
  /** An empty storage of its own. */
  readonly driver: StorageDriverShape
  /** Whether the lines of the trace are kept. */
  readonly isTraced?: boolean
  /** Makes each of the banks, such as one behind the protocol of a real one; those of this package unless told. */
  readonly makeBank?: BankMaker
}

/** What answers by promises lets the time of the world stand still meanwhile: `hold` answers what lets it go on. */
export type BankMaker = (
  world: World & { readonly hold: () => () => void },
  options: BankOptions
) => Bank

/** Operations of a program. */
const operationsMin = 200
const operationsMore = 80
/** Faults happen in the first so many milliseconds; a program takes about as long. */
const faultsWithin = 150_000

const bankIds = [
  PspCredentialId.make(usualPsps[0]),
  PspCredentialId.make(usualPsps[1]),
  PspCredentialId.make(otherPsp)
] as const

/** All of one world. */
class Stage {
  readonly engine: Engine
  readonly store: Store
  readonly machines: ReadonlyArray<Machine>
  readonly banks: ReadonlyMap<PspCredentialId, Bank>
  readonly receivers: Receivers
  /** Where fraud is reported about payments. */
  readonly reported: ReportedShop | undefined

  constructor(seed: number, setting: Setting, options: SimulationOptions) {
    const engine = new Engine(seed, options.isTraced)
    const clock = (offset: number, drift: number) =>
      new MachineClock(engine.now, (millis, what) => engine.at(millis, what), { offset, drift })
    this.engine = engine
    this.store = new Store(engine, options.driver, clock(0, 0))
    this.receivers = new Receivers(engine, setting.receivers)
    const machines: Array<Machine> = []
    const notifier = notifierOf(engine, machines)
    const make = options.makeBank ?? makeBank
    this.banks = new Map(
      bankIds.map((id, index) => [
        id,
        make(engine, {
          name: "ABC".charAt(index),
          capabilities: setting.promises[index] ?? {},
          faults: setting.banks,
          lies: setting.isLyingWorld,
          notify: notifier(id)
        })
      ])
    )
    const { banks, receivers, store } = this
    const usual = bankIds[setting.usualBank] ?? bankIds[0]
    for (const [index, { clock: own, ...rest }] of setting.machines.entries())
      machines.push(
        new Machine(
          engine,
          store,
          clock(own.offset, own.drift),
          {
            psps: (process) => {
              const doors = new Map(
                [...banks].map(([id, bank]) => [id, this.watched(bank.psp(process))])
              )
              return { default: usual, all: bankIds, find: (id) => doors.get(id) }
            },
            transport: (process) => receivers.transport(process)
          },
          { name: `machine ${index + 1}`, ...rest }
        )
      )
    this.machines = machines
    const all = [...banks.values()]
    this.reported = all.some(({ reports }) => reports !== undefined)
      ? new ReportedShop({
          world: engine,
          door: doorOf(engine, machines),
          payers: payersOf(all),
          processes: machines.length,
          operatorKey: simulatedOperatorKey,
          banks: all
        })
      : undefined
  }

  /** What leaves for a bank is held against what is stored. */
  private watched(psp: PspShape): PspShape {
    const { witness } = this.store
    const watch =
      <Asked extends { readonly reference: string }, A>(tell: (asked: Asked) => Effect.Effect<A>) =>
      (asked: Asked) =>
        Effect.suspend(() => {
          witness.leaves(asked.reference)
          return tell(asked)
        })
    return { ...psp, sendPayout: watch(psp.sendPayout), refund: watch(psp.refund) }
  }

  /** The faults are over: what was held up comes out, what stands still goes on, and every clock is right. */
  calm(): void {
    this.engine.calm()
    for (const bank of this.banks.values()) bank.calm()
    this.store.clock.correct()
    this.store.recover()
    for (const machine of this.machines) machine.recover()
  }
}

/** Only these of a list, by their places; all where nothing is said. */
const only = <A>(all: ReadonlyArray<A>, places: ReadonlyArray<number> | undefined) =>
  places === undefined ? all : places.flatMap((place) => all[place] ?? [])

/**
 * Runs a deployment and all that is around it through one world: processes that die, stand still and lose their storage,
 * banks and receivers that do as they please, clients who ask until they are told. Then everything is well again, and what is
 * stored, what was told and what the banks did are held against each other.
 */
export const simulate = async (plan: Plan, options: SimulationOptions): Promise<Report> => {
  const probe = new Engine(plan.seed)
  const theme = drawTheme(probe.chance("theme"))
  const setting = calmed(themed(drawSetting(probe.chance("setting")), theme), plan.calm)
  const drawn = makeProgram(
    probe.chance("program"),
    operationsMin + probe.chance("size").below(operationsMore),
    theme?.scene
  )
  const program = {
    shops: routedOver(probe.chance("routes"), drawn.shops),
    operations: only(drawn.operations, plan.operations)
  }
  const faults = drawFaults(probe.chance("faults"), faultsWithin, setting.machines.length)
  const stage = new Stage(plan.seed, setting, options)
  const { banks, engine, machines, store } = stage
  let morning = engine.now()
  const until = (millis: number): void => {
    morning = Math.max(morning, millis)
  }
  for (const fault of only(faults, plan.faults))
    engine.after(fault.atMillis, () => {
      if (engine.isFaulty()) befall(fault, { engine, store, machines, until })
    })
  const client = new Client({
    world: engine,
    door: doorOf(engine, machines),
    payers: payersOf([...banks.values()]),
    program,
    processes: machines.length,
    operatorKey: simulatedOperatorKey,
    hasMethods: true
  })
  const violations = await live(stage, client, options.driver, () => morning).catch(
    whereItNeverEnds
  )
  return {
    seed: plan.seed,
    violations,
    operations: drawn.operations.length,
    faults: faults.length,
    steps: engine.stepped,
    coverage: engine.coverage,
    lines: engine.trace.lines,
    hash: engine.trace.digest()
  }
}

/** From the start of the machines to the judgement; `morning` is when the last night is over. */
const live = async (
  stage: Stage,
  client: Client,
  driver: StorageDriverShape,
  morning: () => number
): Promise<ReadonlyArray<string>> => {
  const { banks, engine, machines, reported } = stage
  for (const machine of machines) machine.start()
  let isOver = false
  const end = (): void => {
    isOver = true
  }
  client.start(end)
  reported?.start()
  await engine.run(() => isOver)
  // A night that nobody cut short, or a long pause of one of them: what comes afterwards is old.
  if (morning() > engine.now()) await passing(engine, morning() - engine.now())

  stage.calm()
  isOver = false
  const calmAt = engine.now()
  client.conclude(end)
  reported?.conclude()
  const outside = (): number | undefined => {
    const all = [...banks.values()]
    if (all.some((bank) => bank.pending().length > 0)) return engine.now()
    const wakes = [...all.map(({ reports }) => reports?.wakesAt()), reported?.wakesAt()]
    return earliest([isOver ? undefined : client.wakesAt(), ...wakes])
  }
  const forever = await untilQuiet(engine, driver, machines, outside, new Set(banks.keys()))
  for (const machine of machines) machine.employ()
  await engine.run(() => machines.every(({ isUp }) => isUp))
  const uncompared = await untilCompared(engine, driver, machines, banks)
  const told = await judged(engine, client)
  const judging = { driver, banks, client, calmAt, reported, received: stage.receivers.received }
  return [
    ...stage.store.witness.violations,
    ...[...forever, ...uncompared].map((what) => `liveness: ${what}`),
    ...told,
    ...(await judgeByAll(judging))
  ]
}

const earliest = (times: ReadonlyArray<number | undefined>): number | undefined => {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Whoever goes round in a circle is a fault of the service; whatever else breaks is one of the simulation itself. */
const whereItNeverEnds = (error: unknown): ReadonlyArray<string> => {
  if (error instanceof NeverEnds) return [`liveness: ${error.message}`]
  throw error
}

const judged = async (engine: Engine, client: Client): Promise<ReadonlyArray<string>> => {
  let violations: ReadonlyArray<string> | undefined
  client.judge((found) => {
    violations = found
  })
  await engine.run(() => violations !== undefined)
  return violations ?? []
}
