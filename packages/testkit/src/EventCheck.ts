import { eventSchemas, WebhookTransport } from "@pagora/core"
import { Effect, Layer, Result, Schema } from "effect"

const decoders = new Map(
  Object.entries(eventSchemas).map(([type, schema]) => [
    type,
    Schema.decodeUnknownResult(schema as Schema.Codec<unknown>, { onExcessProperty: "error" })
  ])
)

/** What about the body of a webhook is not as its schema says; undefined when all of it is. */
const eventFault = (body: string): string | undefined => {
  const event = JSON.parse(body) as { readonly event?: string }
  const decode = decoders.get(event.event ?? "")
  // A kind that no receiver can ask for is no event of the contract.
  if (decode === undefined) return undefined
  const decoded = decode(event)
  return Result.isFailure(decoded) ? `${event.event}: ${decoded.failure.message}` : undefined
}

/**
 * Holds every event that goes out against its schema. The sender survives whatever its transport does, so what is
 * wrong is kept, and the story fails at its end.
 */
export const checkingEvents: Layer.Layer<WebhookTransport, never, WebhookTransport> = Layer.effect(
  WebhookTransport,
  Effect.gen(function* () {
    const transport = yield* WebhookTransport
    const faults: Array<string> = []
    yield* Effect.addFinalizer(() =>
      faults.length === 0
        ? Effect.void
        : Effect.die(new Error(`Events that are not as their schemas say:\n${faults.join("\n")}`))
    )
    return WebhookTransport.of({
      ...transport,
      send: (request) => {
        const fault = eventFault(request.body)
        if (fault !== undefined) faults.push(fault)
        return transport.send(request)
      }
    })
  })
)
