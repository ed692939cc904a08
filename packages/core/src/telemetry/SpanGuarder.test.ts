import { assert, it } from "@effect/vitest"
import { Effect, Option, Tracer } from "effect"
import { spannedFn } from "./SpanGuarder.ts"

const find = spannedFn("Things.find")(function* (id: number) {
  const span = yield* Effect.option(Effect.currentSpan)
  return { id, span: Option.map(span, ({ name }) => name) }
})

it.effect("a call has its span where somebody looks, and none where nobody does", () =>
  Effect.gen(function* () {
    const looking = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
    const seen = yield* Effect.provideService(find(1), Tracer.Tracer, looking)
    assert.deepStrictEqual(seen, { id: 1, span: Option.some("Things.find") })
    assert.deepStrictEqual(yield* find(2), { id: 2, span: Option.none() })
  })
)
