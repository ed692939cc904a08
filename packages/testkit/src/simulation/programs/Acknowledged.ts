import type { World } from "../World.ts"
import { answerFaults } from "./AnswerChecks.ts"
import type { Ask, Asked, Told } from "./Asked.ts"
import type { Answered } from "./Door.ts"
import { learnt } from "./Learning.ts"
import type { Memory } from "./Memory.ts"
import { Sightings } from "./Sightings.ts"
import { classOf } from "./Verdict.ts"

/** So long after the faults a process may still be behind: its circuits are open, its connections are made anew. */
const recoveryMax = 5 * 60_000

/** What clients were told: every request with every answer, in one order. */
export class Acknowledged {
  readonly asked: Array<Asked> = []
  /** What must not be, and was seen at once. */
  readonly violations: Array<string> = []
  readonly sightings: Sightings
  private readonly world: World
  private readonly memory: Memory
  private place = 0
  private calmSince: number | undefined

  constructor(world: World, memory: Memory) {
    this.world = world
    this.memory = memory
    this.sightings = new Sightings((violation) => this.violated(violation), world.reached)
    this.calmSince = world.isFaulty() ? undefined : Number.NEGATIVE_INFINITY
  }

  /** The next place in the order of all that happens to clients. */
  tick(): number {
    return this.place++
  }

  /** The faults are over. */
  calm(): void {
    this.calmSince ??= this.world.now()
  }

  begin(ask: Ask): Asked {
    const beganAt = this.world.now()
    const asked: Asked = {
      ...ask,
      began: this.tick(),
      beganAt,
      told: [],
      outcome: "open",
      ended: Number.POSITIVE_INFINITY
    }
    this.asked.push(asked)
    return asked
  }

  told(asked: Asked, told: Omit<Told, "to" | "at">): void {
    const whole: Told = { ...told, to: this.tick(), at: this.world.now() }
    asked.told.push(whole)
    this.saw(asked.name, whole.answer)
    this.world.note(`${asked.name} ${asked.operation} ${classOf(whole.answer)}`)
    for (const fault of answerFaults(asked, whole, this.isCalm(told.fromAt))) this.violated(fault)
    learnt(this.memory, this.sightings, asked, whole)
  }

  /** Counts an answer for coverage. */
  saw(name: string, answer: Answered): void {
    this.world.reached(`${name}: ${classOf(answer)}`)
  }

  settle(asked: Asked, outcome: Asked["outcome"]): void {
    asked.outcome = outcome
    asked.ended = this.tick()
  }

  /** All was calm, and still nobody could say. Only a charge that was given up for its PSP stays so. */
  neverAnswered({ method, name, operation, path, told }: Asked): void {
    const last = told.at(-1)?.answer ?? "lost"
    if (name === "charge" && classOf(last) === "PSP_UNAVAILABLE") return
    const what = `${name} ${operation} (${method} ${path})`
    this.violated(`${what} never came to a definite answer: ${classOf(last)}`)
  }

  violated(violation: string): void {
    this.world.note(`violation: ${violation}`)
    this.violations.push(violation)
  }

  /** Whether nothing that was asked at a time may fail any more. */
  private isCalm(at: number): boolean {
    return this.calmSince !== undefined && at >= this.calmSince + recoveryMax
  }
}
