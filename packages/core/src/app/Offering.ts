import type { Context } from "effect"
import { Effect, Layer, Option } from "effect"
import { PagoraError } from "./PagoraError.ts"

/** The one service that an option is there for; a layer of something else can come from a program without types. */
export const offering = <I, S, E>(
  service: Context.Key<I, S>,
  layer: Layer.Layer<I, E>,
  option: string,
  name: string
): Layer.Layer<I, E | PagoraError> =>
  Layer.effect(
    service,
    Effect.flatMap(
      Effect.serviceOption(service),
      Option.match({
        onSome: Effect.succeed,
        onNone: () =>
          Effect.fail(
            new PagoraError(
              "INVALID_CONFIGURATION",
              `${option} is a layer without ${name}: give one that provides it.`
            )
          )
      })
    )
  ).pipe(Layer.provide(layer))
