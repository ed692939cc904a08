import type { PspDirectory, WebhookTransport } from "@pagora/core"
import { actingFor, ServiceClock, Workers } from "@pagora/core"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Chance } from "../fuzz/Chance.ts"
import type { Engine } from "./Engine.ts"
import type { MachineClock } from "./MachineClock.ts"
import type { Manners, Numbers } from "./MachineProcess.ts"
import { MachineProcess } from "./MachineProcess.ts"
import type { ProcessServices } from "./ProcessServices.ts"
import { Apps, processServices } from "./ProcessServices.ts"
import type { ApiAnswer, ApiCaller, ApiRequest } from "./SimulatedRequest.ts"
import { apiAnswer, isChange, serverRequest } from "./SimulatedRequest.ts"
import type { LinkSetting, StorageLink } from "./StorageLink.ts"
import { storageLink } from "./StorageLink.ts"
import type { Store } from "./Store.ts"
import type { Caller } from "./World.ts"

/** How a machine and what it is connected by are in one simulation. */
export interface MachineSetting extends LinkSetting {
  readonly name: string
  readonly manners: Manners
}

/** What is outside of all machines, as one process reaches it. */
export interface Surroundings {
  readonly psps: (process: Caller) => PspDirectory["Service"]
  readonly transport: (process: Caller) => WebhookTransport["Service"]
}

interface Running {
  readonly process: MachineProcess
  readonly link: StorageLink
  readonly since: number
  /** Once it is up. */
  services: Context.Context<ProcessServices> | undefined
}

/** A start that failed is tried again after so long. */
const startAgainAfter = "2 seconds"

/** Numbers of Effect's `Random`, out of ours. */
const randomOf = (chance: Chance): Numbers => {
  const unit = (): number => chance.below(4_294_967_296) / 4_294_967_296
  return {
    nextDoubleUnsafe: unit,
    nextIntUnsafe: () => Math.floor(unit() * Number.MAX_SAFE_INTEGER)
  }
}

/**
 * A machine on which a process of the service runs, most of the time. It has a clock, and it starts the process again when
 * that has died.
 */
export class Machine {
  readonly name: string
  readonly clock: MachineClock
  private readonly engine: Engine
  private readonly store: Store
  private readonly surroundings: Surroundings
  private readonly setting: MachineSetting
  private running: Running | undefined
  private starts = 0
  private isRetired = false
  /** Until then nothing happens on it. */
  private stillUntil = 0

  constructor(
    engine: Engine,
    store: Store,
    clock: MachineClock,
    surroundings: Surroundings,
    setting: MachineSetting
  ) {
    this.name = setting.name
    this.engine = engine
    this.store = store
    this.clock = clock
    this.surroundings = surroundings
    this.setting = setting
  }

  get isUp(): boolean {
    return this.running?.services !== undefined
  }

  /** Since when its process runs; for ever to come, where none does. */
  get runsSince(): number {
    return this.running?.since ?? Number.POSITIVE_INFINITY
  }

  /** Starts a process, where none runs. */
  start(): void {
    if (this.running !== undefined || this.isRetired) return
    const { engine, setting } = this
    if (this.stillUntil > engine.now()) {
      engine.at(this.stillUntil, () => this.start())
      return
    }
    const chance = engine.chance(`${this.name} start ${this.starts++}`)
    const process = new MachineProcess(this.name, this.clock, randomOf(chance), setting.manners)
    const link = storageLink(engine, this.store, process, setting)
    const since = engine.now()
    const running: Running = { process, link, since, services: undefined }
    this.running = running
    engine.add(process)
    engine.note(`${this.name} starts`)
    const service = processServices({
      driver: link.driver,
      psps: this.surroundings.psps(process),
      transport: this.surroundings.transport(process),
      chance
    })
    const starting = Effect.gen(function* () {
      // It is never closed: what dies does not tidy up.
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithMemoMap(service, Layer.makeMemoMapUnsafe(), scope)
      yield* Context.get(services, ServiceClock).follow
      yield* Scope.provide(Context.get(services, Workers).start, scope)
      return services
    })
    process.begin(starting, Context.empty(), (exit) => {
      if (exit === undefined) return
      if (Exit.isSuccess(exit)) {
        running.services = exit.value
        engine.note(`${this.name} is up`)
        return
      }
      engine.note(`${this.name} does not start`)
      this.stop(process)
      engine.after(startAgainAfter, () => this.start())
    })
  }

  /** The process dies on the spot, and another one is started after so long. */
  crash(againAfterMillis: number): void {
    const { engine, running } = this
    if (running === undefined) return
    engine.note(`${this.name} dies`)
    engine.reached("fault: crash")
    this.stop(running.process)
    engine.after(againAfterMillis, () => this.start())
  }

  /** The process ends, and no other is started. */
  retire(): void {
    this.isRetired = true
    if (this.running === undefined) return
    this.engine.note(`${this.name} is not needed any more`)
    this.stop(this.running.process)
  }

  /** One is needed again. */
  employ(): void {
    this.isRetired = false
    this.start()
  }

  /** The same, at what the process asks of the outside so many calls from now. */
  crashAtCall(calls: number, side: "before" | "after", againAfterMillis: number): void {
    const by = (): void => {
      this.engine.reached(`fault: crash ${side} a call`)
      this.crash(againAfterMillis)
    }
    this.running?.process.befallAtCall({ calls, kind: "any", side, by })
  }

  /** It stands still for so long just after it has sent a write, so many writes from now: what it goes on with is old. */
  pauseAtWrite(writes: number, millis: number, begun: () => void): void {
    const by = (): void => {
      this.engine.reached("fault: pause at a write")
      this.pause(millis)
      begun()
    }
    this.running?.process.befallAtCall({ calls: writes, kind: "write", side: "after", by })
  }

  /** Nothing of it happens for so long; its clock goes on. */
  pause(millis: number): void {
    const { engine } = this
    const until = Math.ceil(engine.now() + millis)
    this.stillUntil = Math.max(this.stillUntil, until)
    this.running?.process.pause()
    engine.note(`${this.name} stands still`)
    engine.at(until, () => this.goOn())
  }

  /** The faults are over: its clock is right, and a process runs on it. */
  recover(): void {
    this.clock.correct()
    this.running?.process.live()
    this.stillUntil = 0
    this.goOn()
    this.start()
  }

  /** The wire to the storage is silent for so long. */
  swallow(millis: number): void {
    this.engine.reached("fault: storage swallowed")
    this.running?.link.swallow(millis)
  }

  /** A request reaches it. Whoever sent it hears nothing (undefined) where the process dies, and where none runs. */
  handle(
    caller: ApiCaller,
    request: ApiRequest,
    answered: (answer: ApiAnswer | undefined) => void
  ): void {
    const { running } = this
    if (running?.services === undefined) return answered(undefined)
    const apps = Context.get(running.services, Apps)
    const app =
      typeof caller === "string" ? apps[caller] : actingFor(apps.inProcess, caller.account)
    const handled = Effect.scoped(
      Effect.provideService(app, HttpServerRequest.HttpServerRequest, serverRequest(request))
    )
    const { engine, store } = this
    const askedAt = engine.now()
    const epoch = running.link.epoch()
    running.process.begin(handled, Context.empty(), (exit) => {
      const answer = exit !== undefined && Exit.isSuccess(exit) ? apiAnswer(exit.value) : undefined
      if (answer !== undefined && answer.status < 300 && isChange(request))
        store.acknowledged(`${request.method} ${request.path}`, askedAt)
      // Until it has met the primary of now a process may tell what the former one shows, and say "no" by its word.
      else if (epoch !== store.former.epoch) return answered(undefined)
      answered(answer)
    })
  }

  /** Does something with the services of the process. */
  use<A, E>(
    effect: Effect.Effect<A, E, ProcessServices>,
    ended: (exit: Exit.Exit<A, E> | undefined) => void
  ): void {
    const { running } = this
    if (running?.services === undefined) return ended(undefined)
    running.process.begin(effect, running.services, ended)
  }

  private goOn(): void {
    const { engine, running } = this
    if (this.stillUntil > engine.now() || running?.process.isPaused() !== true) return
    engine.note(`${this.name} goes on`)
    running.process.resume()
  }

  private stop(process: MachineProcess): void {
    process.die()
    this.engine.remove(process)
    if (this.running?.process === process) this.running = undefined
  }
}
