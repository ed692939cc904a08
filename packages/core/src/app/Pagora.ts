import type { Context } from "effect"
import { Cause, Duration, Effect, Exit, Latch, Layer, ManagedRuntime, Redacted } from "effect"
import type { Embedded } from "./Embedded.ts"
import * as EmbeddedService from "./Embedded.ts"
import type { App } from "../http/App.ts"
import { metricsText } from "./MetricsApp.ts"
import { answerOf } from "./InProcess.ts"
import { pathBelow } from "../http/MountPath.ts"
import type { PlainError } from "../http/PlainError.ts"
import { alreadyParsed, plainHeaders, plainText } from "../http/PlainError.ts"
import type { Send } from "./PromiseCall.ts"
import type { HostRequest } from "../node/HandOver.ts"
import type { Listener } from "../node/Listener.ts"
import type { HealthReport } from "../operator/HealthChecks.ts"
import { HealthChecks, stopping as stoppingReport } from "../operator/HealthChecks.ts"
import { PagoraError } from "./PagoraError.ts"
import type { PagoraMethods } from "./PagoraMethods.ts"
import { methodsOf } from "./PagoraMethods.ts"
import type { PagoraOptions } from "./PagoraOptions.ts"
import type {
  DeliveryAttempt,
  SubscribedEvent,
  SubscriberName
} from "../subscribers/Subscribers.ts"
import { Subscribers } from "../subscribers/Subscribers.ts"
import { advance, advanceFault } from "./TestTime.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"
import type { EventType } from "../webhooks/EventTypes.ts"
import { eventTypes } from "../webhooks/EventTypes.ts"
import { present } from "../kernel/Present.ts"

/** What the host knows of a request beside the request itself. */
export interface RequestOrigin {
  /** The address that the connection came from; without it, credentials with a list of addresses are refused. */
  readonly remoteAddress?: string | undefined
}

type Fetch = (request: Request, origin?: RequestOrigin) => Promise<Response>

/** The service running inside a program (decision 0032). */
export interface PagoraInstance extends PagoraMethods {
  /** The tenants' API for hosts that speak fetch. It never rejects. */
  readonly fetch: Fetch
  /** The operator's API. Never put it beside the tenants' by accident; it opens with `operatorKey` only. */
  readonly operatorFetch: Fetch
  /** The sandbox's API; it answers 404 where the sandbox PSP does not run. */
  readonly sandboxFetch: Fetch
  /** The tenants' API as a listener of Node's http server, and of everything made of one. */
  readonly listener: Listener
  /**
   * Handles events of one kind, of every account, in this process: at least once, over restarts, until the handler
   * resolves. Many processes may register one name; each event comes to one of them. Resolves when it is registered.
   */
  readonly on: <Type extends EventType>(
    event: Type,
    options: SubscriberName,
    handler: (event: SubscribedEvent<Type>, delivery: DeliveryAttempt) => unknown
  ) => Promise<void>
  /**
   * For tests, with PSPs that play: moves business time on, and resolves when what became due here has been worked off.
   * Nothing moves time where a PSP is a production one.
   */
  readonly advanceTime: (by: { readonly seconds: number }) => Promise<void>
  /** Ends what `on` began under this name, in every process and for good; what waits is cancelled. */
  readonly off: (name: string) => Promise<void>
  /** Whether requests should come here, for a probe. It never rejects, and asks the storage once a second at most. */
  readonly health: () => Promise<HealthReport>
  /** What was counted and measured in this process, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>
  /** Refuses new requests, ends what was begun, and closes everything; 20 seconds at most. */
  readonly stop: () => Promise<void>
}

/** The service by options, for programs in Effect: `Charges` and its like from the context. It logs with their loggers. */
export const layer = EmbeddedService.layer

/** Starts the service. Rejects with a `PagoraError` that says what to change where it cannot. */
export const start = async (options: PagoraOptions): Promise<PagoraInstance> => {
  // Options of a program without types may be anything.
  const observing = Layer.isLayer(options?.storage)
    ? EmbeddedService.observing(options)
    : Layer.empty
  const runtime = ManagedRuntime.make(
    EmbeddedService.layer(options).pipe(Layer.provideMerge(observing))
  )
  const built = await Effect.runPromiseExit(runtime.contextEffect)
  if (Exit.isFailure(built)) {
    await runtime.dispose()
    throw EmbeddedService.cannotStart(Cause.squash(built.cause))
  }
  return instanceOf(runtime, built.value, options)
}

/** How long running requests are waited for, and how long stopping may take in all. */
const drainMax = "8 seconds"
const stopMax = "20 seconds"

/** Counts what runs, and refuses what comes when it was closed. */
const makeDoor = () => {
  let running = 0
  let isClosed = false
  const idle = Latch.makeUnsafe(true)
  return {
    isClosed: () => isClosed,
    enter: () => {
      if (running++ === 0) idle.closeUnsafe()
    },
    leave: () => {
      if (--running === 0) idle.openUnsafe()
    },
    close: Effect.suspend(() => {
      isClosed = true
      return Effect.timeoutOption(idle.await, drainMax)
    })
  }
}
type Door = ReturnType<typeof makeDoor>

type Runtime = ManagedRuntime.ManagedRuntime<Embedded, PagoraError>

const instanceOf = (
  runtime: Runtime,
  context: Context.Context<Embedded>,
  options: PagoraOptions
): PagoraInstance => {
  const { basePath = "" } = options
  const door = makeDoor()
  const served = contextGet(context)
  const answer = async (app: App, call: Parameters<typeof answerOf>[1]): Promise<Response> => {
    door.enter()
    try {
      return await runtime.runPromise(answerOf(app, call))
    } finally {
      door.leave()
    }
  }

  const fetchOf =
    (app: App | undefined, prefix: string): Fetch =>
    async (request, origin) => {
      if (door.isClosed()) return refusal(stopped)
      if (app === undefined) return refusal(noSandbox)
      if (request.bodyUsed) return refusal(bodyRead)
      try {
        const remoteAddress = origin?.remoteAddress
        const address = typeof remoteAddress === "string" ? { remoteAddress } : {}
        return await answer(app, { request: below(prefix, request), ...address })
      } catch {
        // Only what is cut off by the stop comes here: an app answers everything else.
        return refusal(stopped)
      }
    }

  const sendOf =
    (app: App | undefined): Send =>
    async (request, account) => {
      if (door.isClosed()) throw new PagoraError(stopped.code, stopped.message)
      if (app === undefined) throw new PagoraError(noSandbox.code, noSandbox.message)
      return answer(app, { request, ...present({ account }) })
    }

  const methods = methodsOf({
    tenant: sendOf(served.inProcess),
    operator: sendOf(served.operator),
    sandbox: sendOf(served.sandbox),
    operatorKey: Redacted.value(served.operatorKey)
  })
  let stopping: Promise<void> | undefined
  return {
    ...methods,
    ...subscriptionsOf(runtime, door, options),
    advanceTime: timeOf(runtime, door, served.sandbox && methods.sandbox),
    fetch: fetchOf(served.tenant, basePath),
    operatorFetch: fetchOf(served.operator, ""),
    sandboxFetch: fetchOf(served.sandbox, ""),
    health: async () =>
      door.isClosed()
        ? stoppingReport
        : runtime.runPromise(Effect.flatMap(HealthChecks, ({ check }) => check)),
    listener: listenerOf(served.listener, door, basePath),
    metrics: async () => {
      if (door.isClosed()) throw new PagoraError(stopped.code, stopped.message)
      return runtime.runPromise(metricsText)
    },
    stop: () => (stopping ??= stop(runtime, door))
  }
}

const stop = (runtime: Runtime, door: Door): Promise<void> =>
  Effect.runPromise(
    Effect.andThen(
      door.close,
      // A promise: what takes too long is left behind instead of waited for.
      Effect.promise(() => runtime.dispose())
    ).pipe(Effect.timeoutOption(stopMax), Effect.asVoid)
  )

const contextGet = (context: Context.Context<Embedded>) =>
  Effect.runSync(Effect.provideContext(EmbeddedService.Served, context))

const namePattern = /^[\w.:-]{1,100}$/

const subscriptionsOf = (
  runtime: Runtime,
  door: Door,
  { workers = true }: PagoraOptions
): Pick<PagoraInstance, "on" | "off"> => ({
  on: async (event, options, handler) => {
    const fault = subscriptionFault(event, options, handler)
    if (fault !== undefined) throw new PagoraError("INVALID_SUBSCRIBER", fault)
    if (!workers)
      throw new PagoraError(
        "WORKERS_OFF",
        "This process was started with workers: false, so it handles no events: register subscribers where workers run."
      )
    if (door.isClosed()) throw new PagoraError(stopped.code, stopped.message)
    const subscribed = Effect.flatMap(Subscribers, (subscribers) =>
      subscribers.on(event, options, (received, delivery) =>
        Effect.tryPromise(async () => handler(received, delivery))
      )
    )
    await run(runtime, subscribed, {
      SubscriberTaken: `This process handles ${event} under the name ${options.name} already: choose another name.`
    })
  },
  off: async (name) => {
    if (door.isClosed()) throw new PagoraError(stopped.code, stopped.message)
    await run(
      runtime,
      Effect.flatMap(Subscribers, (subscribers) => subscribers.off(name)),
      {}
    )
  }
})

/** With the simulated PSP, its world moves along. */
const timeOf =
  (runtime: Runtime, door: Door, simulated: PagoraMethods["sandbox"] | undefined) =>
  async (by: { readonly seconds: number }): Promise<void> => {
    const fault = advanceFault(by?.seconds)
    if (fault !== undefined) throw new PagoraError("INVALID_ADVANCE", fault)
    if (simulated !== undefined) return void (await simulated.advance(by))
    if (door.isClosed()) throw new PagoraError(stopped.code, stopped.message)
    await run(runtime, advance(Duration.seconds(by.seconds)), {
      TimeIsReal:
        "Business time moves only where every PSP plays: in tests, give PSPs whose environment is sandbox."
    })
  }

const subscriptionFault = (event: string, options: SubscriberName, handler: unknown) => {
  if (!(eventTypes as ReadonlyArray<string>).includes(event))
    return `There is no event ${String(event)}: the events are ${eventTypes.join(", ")}.`
  if (!namePattern.test(String(options?.name ?? "")))
    return "Give a name of 1 to 100 letters, digits and . _ : -, the same in every process and after every restart."
  return typeof handler === "function"
    ? undefined
    : "Give a handler: a function that takes the event and resolves when it is dealt with."
}

/** Runs an effect whose errors have these sentences; the storage's troubles have one of their own. */
const run = async <A, E extends { readonly _tag: string }>(
  runtime: Runtime,
  effect: Effect.Effect<A, E, Embedded>,
  sentences: Readonly<Record<string, string>>
): Promise<A> => {
  const exit = await runtime.runPromiseExit(underGuard(effect))
  if (Exit.isSuccess(exit)) return exit.value
  const cause = Cause.squash(exit.cause)
  const tag = String((cause as { readonly _tag?: unknown })._tag)
  const sentence = sentences[tag] ?? "The storage cannot be used right now. Try again in a moment."
  throw new PagoraError(
    tag in sentences ? snakeCase(tag) : "STORAGE_UNAVAILABLE",
    sentence,
    {},
    {
      cause
    }
  )
}

const snakeCase = (tag: string): string => tag.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()

const stopped = {
  statusCode: 503,
  error: "ServiceUnavailable",
  code: "STOPPING",
  message: "The service is stopping. Try again in a moment."
} as const
/** Amounts and signatures rest on the bytes as they were sent. */
const bodyRead = alreadyParsed(
  "Give Pagora the request before anything reads it, or a clone of it."
)
const noSandbox = {
  statusCode: 404,
  error: "NotFound",
  code: "NO_SANDBOX",
  message: "The sandbox PSP does not run here: start with psp: sandbox() of @pagora/core/sandbox."
} as const

const headersOf = ({ statusCode }: PlainError) =>
  statusCode === 503 ? { ...plainHeaders, "retry-after": "1" } : plainHeaders

const refusal = (error: PlainError): Response =>
  new Response(plainText(error), { status: error.statusCode, headers: headersOf(error) })

/**
 * The request as it is below `basePath`. One that does not lie there is left as it is: its host has taken the path off
 * already, as Express and `fetchBelow` do.
 */
const below = (prefix: string, request: Request): Request => {
  const rest = prefix === "" ? undefined : pathBelow(request.url, prefix)
  return rest === undefined
    ? request
    : new Request(`${new URL(request.url).origin}${rest}`, request)
}

/** As Connect does it: whoever wants to know where the service is mounted finds the whole path. */
const takePrefixOff = (request: HostRequest["request"], prefix: string): void => {
  const target = request.url ?? "/"
  request.originalUrl ??= pathBelow(target, "") ?? target
  request.url = pathBelow(target, prefix) ?? target
}

const listenerOf =
  (listener: Listener | undefined, door: Door, prefix: string): Listener =>
  (request, response) => {
    if (listener === undefined)
      throw new PagoraError(
        "INVALID_CONFIGURATION",
        "The listener needs the package @effect/platform-node: install it, or use fetch."
      )
    if (door.isClosed()) {
      response.writeHead(stopped.statusCode, { ...headersOf(stopped), connection: "close" })
      response.end(plainText(stopped))
      return
    }
    door.enter()
    response.once("close", door.leave)
    if (prefix !== "") takePrefixOff(request, prefix)
    listener(request, response)
  }
