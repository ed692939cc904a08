import { Context } from "effect"
import type { Uuid } from "../kernel/Ids.ts"

/** Names the request in answers and logs. Taken from a well-formed `traceparent` (W3C), or made anew. */
export const TraceId = Context.Reference<string>("@pagora/core/http/TraceId", {
  defaultValue: () => ""
})

/** The trace id of a well-formed traceparent. */
export const traceOf = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  const trace = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(header)?.[1]
  return trace === undefined || /^0+$/.test(trace) ? undefined : trace
}

/**
 * Trace ids that nobody made before: a count, and the half of an id that is chance. An id for each request would ask the
 * clock and the source of chance for what hardly anybody reads.
 */
export const tracesOf = (id: Uuid): (() => string) => {
  const chance = id.replaceAll("-", "").slice(16)
  let count = 0
  return () => (++count).toString(16).padStart(16, "0") + chance
}
