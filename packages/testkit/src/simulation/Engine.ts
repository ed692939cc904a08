import type { Duration } from "effect"
import { Duration as Durations } from "effect"
import type { Chance } from "../fuzz/Chance.ts"
import { chanceOf } from "../fuzz/Chance.ts"
import { DueLine } from "./DueLine.ts"
import type { World } from "./World.ts"
import { Trace } from "./Trace.ts"

/** What runs by itself and has a line of what it will do next: a process of the service. */
export interface Runner {
  readonly name: string
  /** Whether it does nothing for now, though much is in its line. */
  readonly isPaused: () => boolean
  /** How much is in its line. */
  readonly waiting: () => number
  /** Does one thing of its line, as `chance` has it. */
  readonly step: (chance: Chance) => void
}

/** A world in which somebody goes round in a circle. */
export class NeverEnds extends Error {}

/** When the first process starts: a Tuesday in the forenoon in Brasília. */
const beginning = Date.UTC(2026, 10, 24, 13)
/** A simulation that takes more steps goes round in a circle. A day of looks at what a bank still has to show takes 600,000. */
const stepsMax = 1_500_000
/** So many in a millisecond at most. */
const stepsOfInstantMax = 2_000

/** A turn of the platform's event loop, in which promises come back. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * Runs a world: all that is due in true time, and in between whatever its processes have in their lines, one thing after the
 * other. The seed says which. Time goes on when nobody has anything to do.
 */
export class Engine implements World {
  readonly trace: Trace
  private readonly seed: number
  private readonly line = new DueLine()
  private readonly runners: Array<Runner> = []
  private readonly nexts: Array<() => void> = []
  private readonly chances = new Map<string, Chance>()
  private readonly cells = new Map<string, number>()
  private readonly order: Chance
  private millis = beginning
  private faulty = true
  /** Answers of the platform that somebody waits for: until they are there, no time goes by. */
  private outstanding = 0
  private came: (() => void) | undefined
  private steps = 0
  private stepsOfInstant = 0

  constructor(seed: number, isKept = false) {
    this.seed = seed
    this.trace = new Trace(isKept)
    this.order = this.chance("order")
  }

  readonly now = (): number => this.millis
  readonly isFaulty = (): boolean => this.faulty
  readonly note = (line: string): void => this.trace.add(`${this.millis - beginning} ${line}`)
  readonly reached = (cell: string): void =>
    void this.cells.set(cell, (this.cells.get(cell) ?? 0) + 1)

  readonly after = (delay: Duration.Input, what: () => void): void =>
    this.at(this.millis + Durations.toMillis(Durations.fromInputUnsafe(delay)), what)

  readonly chance = (purpose: string): Chance => {
    const known = this.chances.get(purpose)
    if (known !== undefined) return known
    const chance = chanceOf(this.seed, placeOf(purpose))
    this.chances.set(purpose, chance)
    return chance
  }

  /** What was reached, and how often. */
  get coverage(): ReadonlyMap<string, number> {
    return this.cells
  }

  /** How many things were done. */
  get stepped(): number {
    return this.steps
  }

  /** Something happens at an instant of true time; what is past happens now. */
  at(millis: number, what: () => void): void {
    this.line.add(Math.max(Math.ceil(millis), this.millis), what)
  }

  /** From now on no fault begins. */
  calm(): void {
    this.faulty = false
    this.note("calm")
  }

  /** Something happens as soon as whoever runs has come to a stop, before anybody else goes on. */
  next(what: () => void): void {
    this.nexts.push(what)
  }

  add(runner: Runner): void {
    this.runners.push(runner)
  }

  /** Whoever died does nothing any more. */
  remove(runner: Runner): void {
    this.runners.splice(this.runners.indexOf(runner), 1)
  }

  /** Lets time stand still until the platform has answered. */
  hold(): () => void {
    this.outstanding++
    return () => {
      this.outstanding--
      this.came?.()
    }
  }

  /** Goes on until something holds. */
  async run(until: () => boolean): Promise<void> {
    while (!until()) {
      if (++this.steps > stepsMax) throw new NeverEnds(`it did not end in ${stepsMax} steps`)
      if (this.outstanding > 0) await this.answer()
      else if (this.nexts.length > 0) this.nexts.shift()?.()
      else if (!this.step()) this.pass()
    }
    await turn()
  }

  private answer(): Promise<void> {
    return new Promise((resolve) => {
      this.came = () => {
        this.came = undefined
        resolve()
      }
    })
  }

  /** One thing of one of those that have something to do; false where nobody has. */
  private step(): boolean {
    // What goes on and on in one instant waits for the next one: no machine works without time going by.
    if (++this.stepsOfInstant > stepsOfInstantMax) {
      this.stepsOfInstant = 0
      this.millis++
    }
    let waiting = 0
    for (const runner of this.runners) if (!runner.isPaused()) waiting += runner.waiting()
    if (waiting === 0) return false
    let chosen = this.order.below(waiting)
    for (const runner of this.runners) {
      if (runner.isPaused()) continue
      chosen -= runner.waiting()
      if (chosen >= 0) continue
      runner.step(this.order)
      break
    }
    return true
  }

  private pass(): void {
    const due = this.line.take()
    if (due === undefined)
      throw new Error("Nothing is due any more, and nobody has come to an end.")
    this.millis = Math.max(this.millis, due.at)
    this.stepsOfInstant = 0
    due.what()
  }
}

/** The same for the same words, and hardly ever for others (FNV-1a). */
const placeOf = (words: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < words.length; index++)
    hash = Math.imul(hash ^ words.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
