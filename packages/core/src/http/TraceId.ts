import { Context } from "effect"

/** Names the request in answers and logs. Taken from a well-formed `traceparent` (W3C), or made anew. */
export const TraceId = Context.Reference<string>("@pagora/core/http/TraceId", {
  defaultValue: () => ""
})
