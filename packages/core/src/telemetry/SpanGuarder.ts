import type { Exit, Fiber } from "effect"
import { Context, Effect, Exit as Exits, Tracer } from "effect"
import { safeCause } from "./SafeCause.ts"
import { present } from "../kernel/Present.ts"

/**
 * Attributes that a span of the service may have. What is not in the list, such as addresses with ids in them, headers
 * and statements, is what libraries add by themselves, and nobody has looked through it.
 */
const attributes: ReadonlySet<string> = new Set([
  "db.operation.name",
  "db.system.name",
  "error.type",
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "server.address",
  "server.port"
])
const ours = "pagora."

const isAllowed = (key: string, value: unknown): boolean =>
  (attributes.has(key) || key.startsWith(ours)) &&
  (typeof value === "string"
    ? value.length <= 200
    : typeof value === "number" || typeof value === "boolean")

/** Keeps a span to what may be told: fixed names, the attributes above, and errors by kind and place. */
const guardSpan = (span: Tracer.Span): Tracer.Span => {
  const { addLinks, attribute, end } = span
  return Object.assign(span, {
    attribute: (key: string, value: unknown) => {
      if (isAllowed(key, value)) attribute.call(span, key, value)
    },
    // Logs go their own way.
    event: () => undefined,
    addLinks: (links: ReadonlyArray<Tracer.SpanLink>) => addLinks.call(span, links.map(bare)),
    end: (time: bigint, exit: Exit.Exit<unknown, unknown>) => end.call(span, time, safeExit(exit))
  })
}

const bare = ({ span }: Tracer.SpanLink): Tracer.SpanLink => ({ span, attributes: {} })

const safeExit = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exits.isSuccess(exit) ? Exits.void : Exits.failCause(safeCause(exit.cause))

/** Names are words, as `GET /transactions/:id` and `sql.execute` are; what else stands in one may be somebody's data. */
const nameOf = (name: string): string =>
  name
    .slice(0, 200)
    .split(/(?<=[ /])|(?=[ /])/u)
    .map((part) => (/^(?:[ /]|:?[A-Za-z][A-Za-z._-]{0,60}\d{0,2})$/.test(part) ? part : "#"))
    .join("")

const guards = new WeakMap<Tracer.Tracer, Tracer.Tracer>()

/** The same tracer, whose spans keep to what may be told. */
export const guarded = (tracer: Tracer.Tracer): Tracer.Tracer => {
  const known = guards.get(tracer)
  if (known !== undefined) return known
  const guard = Tracer.make({
    span: (options) =>
      guardSpan(
        tracer.span({
          ...options,
          name: nameOf(options.name),
          links: options.links.map(bare)
        })
      ),
    ...present({ context: tracer.context })
  })
  guards.set(tracer, guard)
  guards.set(guard, guard)
  return guard
}

/** Whether anybody looks at spans. Where nobody does, no work is done for them. */
export const isTraced = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean =>
  cache.tracer !== undefined && cache.tracer !== Tracer.nativeTracer

/** The same of whatever runs in a context. */
export const isTracing = (context: Context.Context<never>): boolean =>
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

/** Puts the guard before the tracer, whoever brought it, for everything that an effect does. */
export const underGuard = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    isTraced(fiber)
      ? Effect.provideService(effect, Tracer.Tracer, guarded(fiber.getRef(Tracer.Tracer)))
      : effect
  )

/**
 * As `Effect.fn` with a name, but its calls have a span only where somebody looks. That one makes a span for each call,
 * and an error with a stack, which cost as much as encoding a charge.
 */
export const spannedFn = (name: string): Effect.fn.Untraced =>
  ((...body: Parameters<Effect.fn.Untraced>) => {
    const call = Effect.fnUntraced(...body) as (
      ...args: ReadonlyArray<unknown>
    ) => Effect.Effect<unknown, unknown, unknown>
    return (...args: ReadonlyArray<unknown>) => spanned(call(...args), name, {})
  }) as Effect.fn.Untraced

/** A span where somebody looks; its attributes keep to the list. */
export const spanned = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  name: string,
  options: Tracer.SpanOptions
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    isTraced(fiber) ? Effect.withSpan(effect, name, options) : effect
  ) as Effect.Effect<A, E, R>
