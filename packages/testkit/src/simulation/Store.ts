import type { StorageDriverShape } from "@pagora/core"
import type { Exit } from "effect"
import { Clock, Context, Effect, References } from "effect"
import { DoorWitness } from "./DoorWitness.ts"
import type { Engine } from "./Engine.ts"
import type { MachineClock } from "./MachineClock.ts"

/**
 * The storage as it is behind the wires of all processes: what reaches it happens at one instant, and it has a clock of its
 * own.
 */
export class Store {
  readonly driver: StorageDriverShape
  readonly clock: MachineClock
  readonly witness: DoorWitness
  private readonly engine: Engine
  private readonly context: Context.Context<never>
  /** How often it was restarted: what it had been asked before is lost. */
  private restarted = 0

  constructor(engine: Engine, driver: StorageDriverShape, clock: MachineClock) {
    this.engine = engine
    this.driver = driver
    this.clock = clock
    this.witness = new DoorWitness(() => clock.currentTimeMillisUnsafe())
    this.context = Context.make(Clock.Clock, clock).pipe(
      Context.add(References.MinimumLogLevel, "None")
    ) as Context.Context<never>
  }

  get restarts(): number {
    return this.restarted
  }

  restart(): void {
    this.restarted++
  }

  /**
   * Does something that was asked for, when whoever asks has come to a stop. No time goes by meanwhile, and one thing is done
   * after the other, also by a storage that takes turns of the platform for it.
   */
  run<A, E>(effect: Effect.Effect<A, E>, ended: (exit: Exit.Exit<A, E>) => void): void {
    this.engine.next(() => {
      const fiber = Effect.runForkWith(this.context)(effect)
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return ended(exit)
      const release = this.engine.hold()
      fiber.addObserver((later) => {
        ended(later)
        release()
      })
    })
  }
}
