import type { World } from "../World.ts"
import type { Acknowledged } from "./Acknowledged.ts"
import type { Ask, Asked } from "./Asked.ts"
import type { Answered, Door } from "./Door.ts"
import type { Token } from "./Tokens.ts"
import { Tokens } from "./Tokens.ts"
import { verdictOf } from "./Verdict.ts"
import { present } from "../../Present.ts"

/** How often something is tried on end, while there are faults and when there are none. */
const triesMax = { faulty: 6, calm: 40, read: 3 } as const
/** Whoever is to come back later than this does other things while there are faults. */
const waitMax = 60_000
/** A key is good for 24 hours. Whoever has it is careful. */
const keyMax = 23 * 3_600_000

/** Something on its way to an answer. */
interface Sending {
  readonly asked: Asked
  readonly settled: (asked: Asked) => void
  process: number
  tries: number
  /** Whether a try before may have done it. */
  isUnsure: boolean
  /** The token of the last try. */
  token: string
  /** It was told to come back no sooner. */
  notBefore?: number
}

export interface SenderOptions {
  readonly world: World
  readonly door: Door
  readonly processes: number
  readonly operatorKey: string
  readonly record: Acknowledged
}

/** Asks until there is a definite answer, with the same key at one process after the other. */
export class Sender {
  private readonly options: SenderOptions
  private readonly tokens: Tokens
  /** What was given up until the faults are over. */
  private parked: Array<Sending> = []
  private underWay = 0
  /** When those ask again who wait for that, and for no answer. */
  private readonly waits = new Map<Sending, number>()
  private idle: (() => void) | undefined

  constructor(options: SenderOptions) {
    this.options = options
    const { door, record, world } = options
    this.tokens = new Tokens(door, world.now, (answer) => record.saw("auth", answer))
  }

  send(ask: Ask, settled: (asked: Asked) => void): Asked {
    this.underWay++
    const asked = this.options.record.begin(ask)
    this.attempt({ asked, settled, process: ask.process, tries: 0, isUnsure: false, token: "" })
    return asked
  }

  /** Says when nothing is under way but what was given up until the faults are over. */
  whenIdle(idle: () => void): void {
    this.idle = idle
    this.checkIdle()
  }

  /** When somebody does something next: now, while an answer is awaited. */
  wakesAt(): number {
    const { waits } = this
    return waits.size < this.underWay ? this.options.world.now() : Math.min(...waits.values())
  }

  /** The faults are over: what was given up goes on. */
  resume(): void {
    const parked = this.parked
    this.parked = []
    for (const sending of parked) {
      sending.tries = 0
      this.underWay++
      if (!this.mayRepeat(sending.asked)) this.giveUp(sending, false)
      else if (sending.notBefore === undefined) this.attempt(sending)
      else this.attemptAt(sending, sending.notBefore)
    }
  }

  private checkIdle(): void {
    const { idle } = this
    if (this.underWay > 0 || idle === undefined) return
    this.idle = undefined
    idle()
  }

  private attempt(sending: Sending): void {
    const { asked } = sending
    sending.tries++
    this.withToken(sending, (token) => {
      if (token === "revoked") return this.settle(sending, sending.isUnsure ? "unknown" : "refused")
      if (token === "away") return this.later(sending)
      sending.token = token.text
      const { door, processes, record } = this.options
      const from = record.tick()
      const fromAt = this.options.world.now()
      const process = sending.process % processes
      const { method, path } = asked
      const request = { method, path, headers: headersOf(asked, token.text), body: bodyOf(asked) }
      const caller = asked.inProcess === undefined ? asked.as : { account: asked.inProcess }
      door.call(process, caller, request, (answer) => {
        record.told(asked, { from, fromAt, process, answer })
        this.answered(sending, answer)
      })
    })
  }

  private withToken({ asked, process }: Sending, then: (token: Token) => void): void {
    const { operatorKey, processes } = this.options
    const { as, authorization, credential, inProcess } = asked
    if (inProcess !== undefined) return then({ text: "" })
    if (authorization !== undefined) return then({ text: authorization })
    if (as === "operator") return then({ text: operatorKey })
    if (credential === undefined) return then("revoked")
    this.tokens.with(credential, process % processes, then)
  }

  private answered(sending: Sending, answer: Answered): void {
    const { asked } = sending
    switch (verdictOf(asked, answer)) {
      case "done":
        return this.settle(sending, "done")
      case "refused": {
        const isGone = asked.method === "DELETE" && answer !== "lost" && answer.status === 404
        if (sending.isUnsure) return this.settle(sending, isGone ? "done" : "unknown")
        return this.settle(sending, "refused")
      }
      case "expired":
        if (asked.credential !== undefined) this.tokens.forget(asked.credential, sending.token)
        return this.later(sending)
      case "again":
        return this.later(sending, answer)
      case "unsure":
        sending.isUnsure = true
        return this.mayRepeat(asked) ? this.later(sending, answer) : this.settle(sending, "unknown")
    }
  }

  private mayRepeat({ beganAt, key, keySince = beganAt, method }: Asked): boolean {
    if (method !== "POST") return true
    return key !== undefined && this.options.world.now() - keySince < keyMax
  }

  /** Again after a while, at another process; or when the faults are over; or never. */
  private later(sending: Sending, answer?: Answered): void {
    const { world } = this.options
    const { isSetup = false, method } = sending.asked
    const isFaulty = world.isFaulty()
    const most =
      method === "GET" && !isSetup
        ? triesMax.read
        : isFaulty && !isSetup
          ? triesMax.faulty
          : triesMax.calm
    if (sending.tries >= most && !(isFaulty && isSetup)) {
      if (!isFaulty && method !== "GET") this.options.record.neverAnswered(sending.asked)
      return this.giveUp(sending, isFaulty)
    }
    sending.process++
    // In a night in which no process runs, whoever opens a shop would ask ten thousand times.
    const times = Math.ceil(sending.tries / triesMax.calm)
    const pause = this.pause(answer) * times
    const at = world.now() + pause
    if (isFaulty && !isSetup && pause > waitMax) {
      sending.notBefore = at
      return this.giveUp(sending, true)
    }
    this.attemptAt(sending, at)
  }

  private attemptAt(sending: Sending, at: number): void {
    const { world } = this.options
    this.waits.set(sending, at)
    world.after(Math.max(0, at - world.now()), () => {
      this.waits.delete(sending)
      this.attempt(sending)
    })
  }

  private giveUp(sending: Sending, isFaulty: boolean): void {
    if (isFaulty && sending.asked.method !== "GET") {
      this.parked.push(sending)
      this.underWay--
      return this.checkIdle()
    }
    this.settle(sending, sending.isUnsure ? "unknown" : "refused")
  }

  private pause(answer: Answered | undefined): number {
    const told = answer === undefined || answer === "lost" ? undefined : answer
    const seconds = Number(told?.headers("retry-after") ?? 0)
    return seconds * 1_000 + 100 + this.options.world.chance("client: pauses").below(2_000)
  }

  private settle(sending: Sending, outcome: Asked["outcome"]): void {
    const { asked, settled } = sending
    this.options.record.settle(asked, outcome)
    settled(asked)
    this.underWay--
    this.checkIdle()
  }
}

const headersOf = (asked: Asked, token: string): Readonly<Record<string, string>> => ({
  ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
  ...(asked.body === undefined && asked.raw === undefined
    ? {}
    : { "content-type": "application/json" }),
  ...present({ "idempotency-key": asked.key }),
  // The reserved name and no name are the same wallet.
  ...(asked.as === "operator" || (asked.wallet === "principal" && asked.operation % 2 === 0)
    ? {}
    : { "x-sub-account": asked.wallet })
})

const bodyOf = ({ body, raw }: Asked): string | undefined =>
  raw ?? (body === undefined ? undefined : JSON.stringify(body))
