import type { MergedUnit, StorageDriverShape } from "@pagora/core"
import type { Exit } from "effect"
import { Clock, Context, Effect, References } from "effect"
import { DoorWitness } from "./DoorWitness.ts"
import type { Engine } from "./Engine.ts"
import { FormerPrimary } from "./FormerPrimary.ts"
import type { MachineClock } from "./MachineClock.ts"

/**
 * The storage as it is behind the wires of all processes: what reaches it happens at one instant, and it has a clock of its
 * own.
 */
export class Store {
  readonly driver: StorageDriverShape
  readonly clock: MachineClock
  readonly witness: DoorWitness
  readonly former: FormerPrimary
  private readonly engine: Engine
  private readonly context: Context.Context<never>
  /** How often it was restarted: what it had been asked before is lost. */
  private restarted = 0
  private awayUntil = 0
  private alone: { readonly since: number; readonly until: number } | undefined
  private writesUntil: { left: number; readonly awayMillis: number } | undefined

  constructor(engine: Engine, driver: StorageDriverShape, clock: MachineClock) {
    this.engine = engine
    // What it shows may be missing at its standby.
    this.driver = { ...driver, sync: Effect.void }
    this.clock = clock
    this.former = new FormerPrimary(engine.now)
    this.witness = new DoorWitness(() => clock.currentTimeMillisUnsafe())
    this.context = Context.make(Clock.Clock, clock).pipe(
      Context.add(References.MinimumLogLevel, "None")
    ) as Context.Context<never>
  }

  get restarts(): number {
    return this.restarted
  }

  /** Whether it takes nothing for now. */
  get isAway(): boolean {
    return this.awayUntil > this.engine.now()
  }

  /** Whatever it was asked, nobody hears what became of it; and for so long it cannot be asked. */
  restart(awayMillis: number): void {
    this.engine.reached("fault: storage restart")
    this.restarted++
    this.awayUntil = this.engine.now() + awayMillis
    this.writesUntil = undefined
  }

  /** The same, when it has done so many more writes. */
  restartAfter(writes: number, awayMillis: number): void {
    this.writesUntil = { left: writes, awayMillis }
  }

  /**
   * For so long its standby is away, and what commits waits for it: it is done, and shows, and nobody hears so. What was done
   * meanwhile may be gone with the storage.
   */
  standAlone(millis: number): void {
    this.engine.reached("fault: standby away")
    const now = this.engine.now()
    this.alone = {
      since: this.isAlone ? (this.alone?.since ?? now) : now,
      until: Math.max(now + millis, this.alone?.until ?? 0)
    }
  }

  get isAlone(): boolean {
    return this.alone !== undefined && this.alone.until > this.engine.now()
  }

  /**
   * A standby has taken its place, and for so long sessions with the server of before are answered what they read, by what that
   * knows.
   */
  switchOver(millis: number): void {
    this.engine.reached("fault: former primary")
    this.former.goOn(millis)
  }

  /** A change that was asked for at an instant is acknowledged now: where nothing was safe since then, it may be lost. */
  acknowledged(what: string, askedAt: number): void {
    if (this.alone !== undefined && this.isAlone && this.alone.since < askedAt)
      this.witness.broken(`${what} is acknowledged while the standby has nothing of it`)
  }

  /** It has done a write. Only one by which something comes to be counts: of that somebody waits to hear. */
  wrote({ inserts }: Pick<MergedUnit.MergedUnit, "inserts">): void {
    const { writesUntil } = this
    if (inserts.length > 0 && writesUntil !== undefined && --writesUntil.left === 0)
      this.restart(writesUntil.awayMillis)
  }

  /** It is there, and stays. */
  recover(): void {
    this.awayUntil = 0
    this.alone = undefined
    this.former.end()
    this.writesUntil = undefined
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
