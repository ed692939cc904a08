import type { MergedUnit, Purgeable, StorageDriverShape, StorageError } from "@pagora/core"
import { memory, StorageDriver } from "@pagora/core"
import type { DateTime } from "effect"
import { Context, Effect, Layer } from "effect"

/** What is read, and no more: whatever is written there waits for a standby for ever. Of jobs it keeps nothing. */
const answered = [
  "facts",
  "rows",
  "look",
  "idempotency",
  "wallets",
  "list",
  "positions",
  "operations",
  "ledgerTxs",
  "movements",
  "events",
  "deliveries",
  "outgoing",
  "attempts"
] as const satisfies ReadonlyArray<keyof StorageDriverShape>
type Answered = (typeof answered)[number]

const reads: ReadonlySet<string> = new Set(answered)

type Change = (driver: StorageDriverShape) => Effect.Effect<unknown, StorageError>

/**
 * A server whose place another one has taken, and which goes on beside it for a while: what sessions with it read is as it
 * was when it lost its place. It is in memory, whatever the storage.
 */
export class FormerPrimary {
  private readonly now: () => number
  /** What it has to be told of before it is as the storage is. */
  private changes: Array<Change> = []
  private driver: StorageDriverShape | undefined
  private until = 0
  private lost = 0

  /** Whether it answers a method. */
  static readonly isAnswered = (name: string): name is Answered => reads.has(name)

  /** @param now True time. */
  constructor(now: () => number) {
    this.now = now
  }

  get isThere(): boolean {
    return this.until > this.now()
  }

  /** Another number each time that a primary has lost its place. */
  get epoch(): number {
    return this.lost
  }

  /** The storage has done this. */
  did(name: string, args: ReadonlyArray<unknown>): void {
    if (name === "write") {
      const merged = withoutJobs(args[0] as MergedUnit.MergedUnit)
      this.changes.push((driver) => Effect.map(driver.write(merged), written))
    }
    if (name === "purge") {
      const [what, before, max] = args as unknown as [Purgeable, DateTime.Utc, number]
      this.changes.push((driver) => driver.purge(what, before, max))
    }
  }

  /** From now on, and for so long, it stays as it is now. */
  goOn(millis: number): void {
    if (this.isThere) return
    const driver = (this.driver ??= emptyDriver())
    for (const change of this.changes) Effect.runSync(change(driver))
    this.changes = []
    this.until = this.now() + millis
    this.lost++
  }

  end(): void {
    this.until = Math.min(this.until, this.now())
  }

  /** What it answers; undefined where it answers nothing. */
  answer(
    name: string,
    args: ReadonlyArray<unknown>
  ): Effect.Effect<unknown, StorageError> | undefined {
    if (!FormerPrimary.isAnswered(name) || this.driver === undefined) return undefined
    const method = this.driver[name] as (...args: ReadonlyArray<unknown>) => ReturnType<Change>
    return method(...args)
  }
}

/** It was written where everything else is, so that it can be here. */
const written = (answer: unknown): void => {
  if (answer !== null) throw new Error(`The former primary differs: ${JSON.stringify(answer)}`)
}

const emptyDriver = (): StorageDriverShape =>
  Context.get(Effect.runSync(Effect.scoped(Layer.build(memory()))), StorageDriver)

const withoutJobs = (merged: MergedUnit.MergedUnit): MergedUnit.MergedUnit => ({
  ...merged,
  jobs: [],
  units: merged.units.map((unit) => ({ ...unit, jobs: [] }))
})
