import type { OutboundRequest, SendOutcome } from "@pagora/core"
import { WebhookTransport } from "@pagora/core"
import { Clock, Context, Effect, Layer } from "effect"

export interface RecordedRequest extends OutboundRequest {
  /** When it was sent, by Effect's clock. */
  readonly epochMillis: number
}

/** Answers a request; `nth` counts them over all addresses, from 1. */
export type AnswerScript = (request: RecordedRequest, nth: number) => Effect.Effect<SendOutcome>

/**
 * A `WebhookTransport` without a network: it records what is sent and answers by a script, at first with 200.
 * Its refusals are those of the form only, so any `https` or `http` address can be registered.
 */
export class RecordingTransport extends Context.Service<
  RecordingTransport,
  {
    /** Everything that was sent so far, oldest first, also what is not answered yet. */
    readonly requests: Effect.Effect<ReadonlyArray<RecordedRequest>>
    /** How requests are answered from now on. */
    readonly answerBy: (script: AnswerScript) => Effect.Effect<void>
  }
>()("@pagora/testkit/RecordingTransport") {
  /** A receiver that answers with this status. */
  static readonly answered = (status: number): Effect.Effect<SendOutcome> =>
    Effect.succeed({ _tag: "Answered", status, durationMillis: 0 })

  /** An address that cannot be reached. */
  static readonly failed = (
    reason: (SendOutcome & { readonly _tag: "Failed" })["reason"]
  ): Effect.Effect<SendOutcome> => Effect.succeed({ _tag: "Failed", reason, durationMillis: 0 })

  /** An address that nothing is sent to, found out only when its name was resolved. */
  static readonly blocked: Effect.Effect<SendOutcome> = Effect.succeed({
    _tag: "Blocked",
    reason: "address"
  })

  /** A receiver that takes the request and says nothing until the deadline of ten seconds. */
  static readonly silent: Effect.Effect<SendOutcome> = Effect.delay(
    Effect.succeed({ _tag: "Failed", reason: "timeout", durationMillis: 10_000 }),
    "10 seconds"
  )

  static readonly layer: Layer.Layer<RecordingTransport | WebhookTransport> = Layer.effectContext(
    Effect.sync(() => {
      const requests: Array<RecordedRequest> = []
      let script: AnswerScript = () => RecordingTransport.answered(200)
      return Context.make(
        RecordingTransport,
        RecordingTransport.of({
          requests: Effect.sync(() => [...requests]),
          answerBy: (next) =>
            Effect.sync(() => {
              script = next
            })
        })
      ).pipe(
        Context.add(
          WebhookTransport,
          WebhookTransport.of({
            refusal: (url) => {
              if (!URL.canParse(url)) return "url"
              return /^https?:$/.test(new URL(url).protocol) ? undefined : "scheme"
            },
            send: Effect.fnUntraced(function* (request: OutboundRequest) {
              const recorded = { ...request, epochMillis: yield* Clock.currentTimeMillis }
              requests.push(recorded)
              return yield* script(recorded, requests.length)
            })
          })
        )
      )
    })
  )
}
