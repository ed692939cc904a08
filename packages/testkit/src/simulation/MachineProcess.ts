import { Clock, Context, Effect, Exit, Fiber, Random, References, Scheduler } from "effect"
import type { Chance } from "../fuzz/Chance.ts"
import type { Runner } from "./Engine.ts"
import type { MachineClock } from "./MachineClock.ts"
import type { CallKind, Caller } from "./World.ts"

/** Random numbers. */
export type Numbers = Context.Service.Shape<typeof Random.Random>

/** What befalls a process at one of its calls of a kind: before that is sent, or just after it was. */
export interface AtCall {
  calls: number
  readonly kind: CallKind | "any"
  readonly side: "before" | "after"
  readonly by: () => void
}

/** How the fibers of one process take turns. */
export interface Manners {
  /** Steps that a fiber takes until it makes room for others. */
  readonly stepsAtOnce: number
  /** How often, of 1, not what waits longest comes next but anything that waits. */
  readonly unfairness: number
}

/**
 * A process: fibers with a scheduler, a clock and chance of their own, over nothing that another one has. It can stand still,
 * and it can die, at any place between two steps: then nothing of it goes on, and nothing of it ends in good order.
 */
export class MachineProcess implements Runner, Caller {
  readonly name: string
  private readonly manners: Manners
  private readonly base: Context.Context<never>
  private ready: Array<() => void> = []
  private paused = false
  private dead = false
  private atCall: AtCall | undefined
  /** Whoever waits outside for something that it does. */
  private readonly awaited = new Set<() => void>()

  constructor(name: string, clock: MachineClock, random: Numbers, manners: Manners) {
    this.name = name
    this.manners = manners
    this.base = Context.make(Scheduler.Scheduler, this.scheduler()).pipe(
      Context.add(
        Clock.Clock,
        clock.of((wake) => this.post(wake))
      ),
      Context.add(Random.Random, random),
      Context.add(References.MinimumLogLevel, "None")
    ) as Context.Context<never>
  }

  readonly isPaused = (): boolean => this.paused
  readonly isDead = (): boolean => this.dead
  readonly waiting = (): number => this.ready.length

  readonly step = (chance: Chance): void => {
    const { ready } = this
    const isUnfair = ready.length > 1 && chance.happens(this.manners.unfairness)
    const [task] = isUnfair ? ready.splice(chance.below(ready.length), 1) : ready.splice(0, 1)
    task?.()
  }

  /** Something that comes from outside: a timer that is over, an answer, a request. */
  readonly post = (task: () => void): void => {
    if (!this.dead) this.ready.push(task)
  }

  readonly exchange = <A>(
    ask: (reply: (answer: A) => void) => void,
    kind: CallKind = "other"
  ): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      const { by, side } = this.befalls(kind) ?? {}
      // Whoever is dead asks nothing: what was running goes no further than here.
      if (side === "before") by?.()
      if (this.dead) return
      let isOver = false
      ask((answer) => {
        if (isOver) return
        isOver = true
        // Never in the same breath, however soon it is there: so it is with every storage.
        this.post(() => resume(Effect.succeed(answer)))
      })
      if (side === "after") by?.()
      return Effect.sync(() => {
        isOver = true
      })
    })

  /** Begins something in it. `ended` is told how that ends; undefined where the process dies before. */
  readonly begin = <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    services: Context.Context<R>,
    ended: (exit: Exit.Exit<A, E> | undefined) => void
  ): void => {
    if (this.dead) return ended(undefined)
    const lost = (): void => ended(undefined)
    this.awaited.add(lost)
    this.post(() => {
      const fiber = Effect.runForkWith(Context.merge(services, this.base))(effect)
      fiber.addObserver((exit) => {
        if (this.awaited.delete(lost)) ended(exit)
      })
    })
  }

  /** Something befalls it when it asks the outside something, so many calls from now. */
  befallAtCall(at: AtCall): void {
    this.atCall = { ...at }
  }

  /** Nothing of the kind any more. */
  live(): void {
    this.atCall = undefined
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }

  /** From now on nothing of it happens any more. */
  die(): void {
    this.dead = true
    this.ready = []
    const lost = [...this.awaited]
    this.awaited.clear()
    for (const tell of lost) tell()
  }

  private befalls(kind: CallKind): AtCall | undefined {
    const { atCall } = this
    if (atCall === undefined || (atCall.kind !== "any" && atCall.kind !== kind)) return undefined
    if (atCall.calls-- > 0) return undefined
    this.atCall = undefined
    return atCall
  }

  private scheduler(): Scheduler.Scheduler {
    const dispatcher: Scheduler.SchedulerDispatcher = {
      scheduleTask: this.post,
      flush: () => {
        while (this.ready.length > 0) this.ready.shift()?.()
      }
    }
    return {
      executionMode: "async",
      shouldYield: (fiber: Fiber.Fiber<unknown, unknown>) =>
        fiber.currentOpCount >= this.manners.stepsAtOnce,
      makeDispatcher: () => dispatcher
    }
  }
}
