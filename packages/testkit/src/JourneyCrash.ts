import { ServiceClock, StorageDriver, WebhookTransport } from "@pagora/core"
import { Listener } from "@pagora/core/node"
import { Context, Deferred, Effect, Exit, Layer, Scope } from "effect"
import { present } from "./Present.ts"
import { RecordingTransport } from "./RecordingTransport.ts"
import { layerPagora } from "./TestPagora.ts"

/** Where a process dies: before or after its `call`-th change of the storage, counted from 0. */
export interface CrashPoint {
  readonly call: number
  readonly side: "before" | "after"
}

/**
 * One process of the service, over a storage that outlives it. It can be told to die at a point: from then on
 * nothing of it reads, writes or sends any more, and nothing of it ends in good order.
 */
export interface MortalProcess {
  /** Everything of the service, to be provided to whoever uses this process. */
  readonly services: Context.Context<Services>
  /** Changes of the storage are counted from now on. */
  readonly arm: (point: CrashPoint | undefined) => Effect.Effect<void>
  /** Changes counted since then. */
  readonly calls: Effect.Effect<number>
  /** To be called when somebody outside gets to know something, such as an answer. */
  readonly seen: () => void
  /**
   * Where a death leaves something else behind than at any other point since then: after each change, and before those
   * that do not directly follow the one before, because meanwhile something was sent or seen.
   */
  readonly points: Effect.Effect<ReadonlyArray<CrashPoint>>
  /** Completes when it dies. */
  readonly death: Effect.Effect<void>
  readonly isDead: () => boolean
}

type Services = Layer.Success<ReturnType<typeof layerPagora>> | RecordingTransport

/** The methods of a driver that change what is stored; a claim does, too. */
const changing = new Set<string>(["write", "claim"])
/** Those that change something else, and where no process dies. */
const keeping = new Set<string>(["renew", "purge", "forgetWrites", "resolveWrite", "keep"])

/** The life of a process: what happens after its end does not happen. */
const makeLife = () => {
  const death = Deferred.makeUnsafe<void>()
  let point: CrashPoint | undefined
  let calls = 0
  let isDead = false
  let points: Array<CrashPoint> = []
  /** Whether nothing has left the process since a change ended, and no other is on its way. */
  let isQuiet = false
  let underWay = 0

  const die = Effect.suspend(() => {
    isDead = true
    Deferred.doneUnsafe(death, Exit.void)
    return Effect.never
  })
  const alive = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() =>
      isDead
        ? Effect.never
        : Effect.flatMap(effect, (value) => (isDead ? Effect.never : Effect.succeed(value)))
    )
  const seen = () => {
    isQuiet = false
  }
  const counted = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      if (isDead) return Effect.never
      const call = calls++
      if (!isQuiet) points.push({ call, side: "before" })
      points.push({ call, side: "after" })
      isQuiet = false
      underWay++
      const ending = Effect.ensuring(
        effect,
        Effect.sync(() => {
          isQuiet = --underWay === 0
        })
      )
      if (call !== point?.call) return alive(ending)
      return point.side === "before" ? die : Effect.flatMap(ending, () => die)
    })
  /** What leaves the process and is no change to be counted. */
  const leaving = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.andThen(Effect.sync(seen), alive(effect))

  return {
    alive,
    counted,
    leaving,
    seen,
    points: Effect.sync(() => points),
    death: Deferred.await(death),
    isDead: () => isDead,
    calls: Effect.sync(() => calls),
    arm: (next: CrashPoint | undefined) =>
      Effect.sync(() => {
        point = next
        calls = 0
        points = []
        isQuiet = false
      })
  }
}

type Life = ReturnType<typeof makeLife>
type Method = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, never>

const mortalDriver = (driver: StorageDriver["Service"], life: Life): StorageDriver["Service"] => ({
  ...(mortal(driver, life) as unknown as StorageDriver["Service"]),
  // It is told at once, and asks nobody.
  ...present({ epoch: driver.epoch })
})

const mortal = (members: object, life: Life): object =>
  Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      if (name === "audit") return [name, mortal(member as object, life)]
      if (typeof member !== "function") return [name, life.alive(member as never)]
      const through = changing.has(name)
        ? life.counted
        : keeping.has(name)
          ? life.leaving
          : life.alive
      const method = member as unknown as Method
      return [name, (...args: ReadonlyArray<never>) => through(method(...args))]
    })
  )

/**
 * One for all processes: each of its own would leave a listener at the standard input, which keeps all that there was of
 * a process that is dead.
 */
const platform = Layer.effectContext(
  Effect.runSync(Effect.cached(Effect.scoped(Layer.build(Listener.services))))
)

/**
 * Starts a process over a storage. It is never closed: a process that dies does not tidy up, and one that lives
 * ends with the test.
 */
export const startMortal = Effect.fnUntraced(function* (
  driver: StorageDriver["Service"],
  transport: Context.Context<RecordingTransport | WebhookTransport>
) {
  const life = makeLife()
  const { refusal, send } = Context.get(transport, WebhookTransport)
  const service = layerPagora(
    Layer.succeed(StorageDriver, mortalDriver(driver, life)),
    Layer.succeed(WebhookTransport, { refusal, send: (request) => life.leaving(send(request)) }),
    { platform }
  ).pipe(Layer.merge(Layer.succeedContext(Context.pick(RecordingTransport)(transport))))
  const services = yield* Layer.buildWithMemoMap(
    service,
    Layer.makeMemoMapUnsafe(),
    yield* Scope.make()
  )
  yield* Effect.orDie(Context.get(services, ServiceClock).follow)
  const process: MortalProcess = {
    services,
    arm: life.arm,
    calls: life.calls,
    seen: life.seen,
    points: life.points,
    death: life.death,
    isDead: life.isDead
  }
  return process
})

/** Runs something in a process until it ends or the process dies; undefined when it died. */
export const untilDeath = <A, E, R>(
  process: MortalProcess,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A | undefined, E, Exclude<R, Services>> =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<A, E>()
    // Detached, and left alone afterwards: what stops in the middle stays there, as with a real process.
    yield* Effect.forkDetach(
      Effect.onExit(Effect.provideContext(effect, process.services), (exit) =>
        process.isDead() ? Effect.void : Deferred.done(ended, exit)
      )
    )
    return yield* Effect.raceFirst(Deferred.await(ended), Effect.as(process.death, undefined))
  })
