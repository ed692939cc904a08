import type { MergedUnit, StorageDriverShape } from "@pagora/core"
import { StorageError } from "@pagora/core"
import { Effect, Exit } from "effect"
import type { Chance } from "../fuzz/Chance.ts"
import { SessionsAfter } from "./SessionsAfter.ts"
import type { Store } from "./Store.ts"
import type { Caller, World } from "./World.ts"

/** How often what becomes of a call to the storage, of 1. */
export interface StorageTroubles {
  /** The connection breaks before the storage has the call. */
  readonly dropped: number
  /** The storage does it, and the connection breaks before the answer. */
  readonly unanswered: number
  /** The connection breaks, and the call reaches the storage later all the same. */
  readonly late: number
  /** It is answered, and a copy of it reaches the storage once more later. */
  readonly doubled: number
  /** It is answered after seconds. */
  readonly slow: number
  /** It is known that nothing was sent. */
  readonly refused: number
}

export const noTroubles: StorageTroubles = {
  dropped: 0,
  unanswered: 0,
  late: 0,
  doubled: 0,
  slow: 0,
  refused: 0
}

type Fate = keyof StorageTroubles | "answered"

/** How a process is connected with the storage. */
export interface LinkSetting {
  readonly troubles: StorageTroubles
  readonly writesAtOnce: number
}

/** The wire between one process and the storage. */
export interface StorageLink {
  readonly driver: StorageDriverShape
  /** That of the primary which the process has met last. */
  readonly epoch: () => number
  /** From now on nothing comes through for so many milliseconds of true time; whoever waits is told then. */
  readonly swallow: (millis: number) => void
}

/** How often worse things happen to writes, and to who asks what became of them, than to reads: they are what it is about. */
const timesWorse = [1, 3, 10] as const
/** Calls whose outcome somebody has to find out when their answer is lost. */
const writing = new Set(["write", "resolveWrite"])

/** Calls that are answered once what they changed is safe. */
const committing = new Set([
  "write",
  "resolveWrite",
  "sync",
  "claim",
  "renew",
  "purge",
  "keep",
  "forgetWrites"
])

/** How long a connection is silent until whoever waits on it gives it up. */
const silenceMillis = 4_000
const lateMillisMax = 20_000
const slowMillisMax = 6_000

const fateOf = (chance: Chance, troubles: StorageTroubles, times: number): Fate => {
  let left = chance.below(1_000_000) / 1_000_000 / times
  for (const [fate, share] of Object.entries(troubles)) {
    left -= share
    if (left < 0) return fate as Fate
  }
  return "answered"
}

/** Most answers of a storage nearby are there in a millisecond or two. */
const latencyOf = (chance: Chance): number => {
  const kind = chance.below(16)
  if (kind < 6) return 0
  return kind < 15 ? 1 + chance.below(3) : chance.below(40)
}

type Method = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, StorageError>

/** What a process has of the storage that it shares with others. */
export const storageLink = (
  world: World,
  store: Store,
  process: Caller,
  { troubles, writesAtOnce }: LinkSetting
): StorageLink => {
  const wire = new Wire(world, store, process, troubles)
  const members = (of: object): object =>
    Object.fromEntries(
      Object.entries(of).map(([name, member]) => {
        if (name === "audit") return [name, members(member as object)]
        if (typeof member !== "function") return [name, wire.ask(name, [], member as never)]
        const method = member as Method
        return [name, (...args: ReadonlyArray<never>) => wire.ask(name, args, method(...args))]
      })
    )
  const { writesAtOnce: _, ...rest } = store.driver
  // A database forgets by a clock that is not the world's. So that a seed has one trace, nobody hears how much that was.
  const forgetWrites = (max: number) => Effect.as(store.driver.forgetWrites(max), 0)
  return {
    driver: {
      ...members({ ...rest, forgetWrites }),
      epoch: () => wire.sessions.epoch,
      writesAtOnce
    } as unknown as StorageDriverShape,
    epoch: () => wire.sessions.epoch,
    swallow: (millis) => wire.swallow(millis)
  }
}

class Wire {
  private readonly world: World
  private readonly store: Store
  private readonly process: Caller
  private readonly troubles: StorageTroubles
  private readonly chance: Chance
  private readonly worse: number
  private swallowedUntil = 0
  readonly sessions: SessionsAfter

  constructor(world: World, store: Store, process: Caller, troubles: StorageTroubles) {
    this.world = world
    this.store = store
    this.process = process
    this.troubles = troubles
    this.chance = world.chance(`storage of ${process.name}`)
    this.worse = this.chance.pick(timesWorse)
    this.sessions = new SessionsAfter(store.former, this.chance)
  }

  swallow(millis: number): void {
    this.swallowedUntil = this.world.now() + millis
  }

  ask<A>(
    name: string,
    args: ReadonlyArray<unknown>,
    call: Effect.Effect<A, StorageError>
  ): Effect.Effect<A, StorageError> {
    return Effect.flatten(
      this.process.exchange<Exit.Exit<A, StorageError>>(
        (reply) => this.send(name, args, call, reply),
        name === "write" ? "write" : "other"
      )
    )
  }

  private send<A>(
    name: string,
    args: ReadonlyArray<unknown>,
    call: Effect.Effect<A, StorageError>,
    reply: (exit: Exit.Exit<A, StorageError>) => void
  ): void {
    const { chance, world } = this
    if (this.sessions.drawFormer(name, committing.has(name)))
      return this.askFormer(name, args, reply)
    const silent = this.swallowedUntil - world.now()
    const fate = !world.isFaulty()
      ? "answered"
      : silent > 0
        ? "dropped"
        : this.store.isAway
          ? "refused"
          : fateOf(chance, this.troubles, writing.has(name) ? this.worse : 1)
    // All of it is drawn now: when a storage answers is its own affair.
    const [forth, back] = [latencyOf(chance), latencyOf(chance)]
    const silence = silenceMillis + chance.below(silenceMillis)
    const [late, slow] = [chance.below(lateMillisMax), chance.below(slowMillisMax)]
    const isNoticed = chance.happens(0.5)
    if (fate !== "dropped" && fate !== "refused" && this.isOvertaken(name, args))
      return reply(Exit.fail(new StorageError({ reason: "Unavailable" })))
    if (fate !== "answered")
      world.reached(`fault: storage ${fate} ${writing.has(name) ? "write" : "read"}`)
    const broken = (): void => reply(brokenAt(name))
    const execute = (then: (exit: Exit.Exit<A, StorageError> | undefined) => void): void =>
      this.execute(name, args, call, then)
    const answered = (
      backMillis: number,
      seen: (exit: Exit.Exit<A, StorageError>) => void = ignored
    ): void => {
      const { restarts } = this.store
      execute((exit) => {
        if (exit === undefined) return broken()
        seen(exit)
        if (this.store.isAlone && committing.has(name) && isDone(exit))
          return void world.after(silence, broken)
        this.soon(backMillis, () => (this.store.restarts === restarts ? reply(exit) : broken()))
      })
    }
    const brokenSoon = (): void => (isNoticed ? broken() : world.after(silence, broken))
    switch (fate) {
      case "answered":
        return this.soon(forth, () => answered(back))
      case "slow":
        return this.soon(forth, () => answered(slow))
      case "dropped":
        return void world.after(silence, broken)
      case "unanswered":
        return this.soon(forth, () => execute(brokenSoon))
      case "late":
        world.after(late, () => execute(ignored))
        return isNoticed ? this.soon(forth, broken) : void world.after(silence, broken)
      case "doubled":
        // Only of what it did: no wire to a database brings a message twice, but what repeats a message may not have heard that.
        return this.soon(forth, () =>
          answered(back, (exit) => {
            if (isDone(exit)) world.after(late, () => execute(ignored))
          })
        )
      case "refused":
        return this.soon(forth, () => reply(Exit.fail(new StorageError({ reason: "Unavailable" }))))
    }
  }

  /** It is asked in a session with the primary. Nothing is written there of what was decided before that took over. */
  private isOvertaken(name: string, args: ReadonlyArray<unknown>): boolean {
    const { sessions } = this
    sessions.meet()
    if (name !== "write") return false
    const { epoch } = args[0] as MergedUnit.MergedUnit
    const isSo = epoch !== undefined && epoch !== sessions.epoch
    if (isSo) this.world.reached("fault: write overtaken")
    return isSo
  }

  /** It answers what is read, and what is written there waits for a standby that is none any more. */
  private askFormer<A>(
    name: string,
    args: ReadonlyArray<unknown>,
    reply: (exit: Exit.Exit<A, StorageError>) => void
  ): void {
    const { chance, sessions, store, world } = this
    const [forth, back] = [latencyOf(chance), latencyOf(chance)]
    const silence = silenceMillis + chance.below(silenceMillis)
    const broken = (): void => reply(brokenAt(name))
    // The same method of another driver.
    const answer = store.former.answer(name, args) as Effect.Effect<A, StorageError> | undefined
    world.reached(`fault: ${answer === undefined ? "write" : "read"} at a former primary`)
    if (answer === undefined) {
      sessions.giveUp()
      return void world.after(silence, broken)
    }
    const { epoch } = sessions
    this.soon(forth, () =>
      store.run(answer, (exit) =>
        this.soon(back, () => (sessions.epoch === epoch ? reply(exit) : broken()))
      )
    )
  }

  /** Has it done, where anybody is there to do it. */
  private execute<A>(
    name: string,
    args: ReadonlyArray<unknown>,
    call: Effect.Effect<A, StorageError>,
    then: (exit: Exit.Exit<A, StorageError> | undefined) => void
  ): void {
    const { process, store, world } = this
    if (store.isAway) return then(undefined)
    store.run(call, (exit) => {
      if (Exit.isSuccess(exit)) store.witness.saw(name, args, exit.value)
      if (isDone(exit)) store.former.did(name, args)
      if (name === "write") {
        world.note(`${process.name} write ${outcomeOf(exit)}`)
        if (Exit.isSuccess(exit)) store.wrote(args[0] as MergedUnit.MergedUnit)
      }
      then(exit)
    })
  }

  private soon(millis: number, what: () => void): void {
    if (millis === 0) what()
    else this.world.after(millis, what)
  }
}

const ignored = (): void => undefined

const brokenAt = (name: string): Exit.Exit<never, StorageError> =>
  Exit.fail(new StorageError({ reason: writing.has(name) ? "OutcomeUnknown" : "Unavailable" }))

/** Whether it was done: a write that was refused was not. */
const isDone = (exit: Exit.Exit<unknown, StorageError>): boolean =>
  Exit.isSuccess(exit) &&
  (exit.value as { readonly expectation?: string } | null | undefined)?.expectation === undefined

/** The same words in every storage. */
const outcomeOf = (exit: Exit.Exit<unknown, StorageError>): string => {
  if (Exit.isFailure(exit)) return "failed"
  const answer = exit.value as { readonly expectation?: string } | null
  return answer === null ? "in" : answer.expectation === undefined ? "in without leases" : "refused"
}
