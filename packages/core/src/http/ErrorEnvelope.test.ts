import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { ServiceTime } from "../time/ServiceTime.ts"
import { NotFound, refuse } from "./ErrorEnvelope.ts"
import { noSuchPath } from "./Unanswered.ts"

const at = { timestamp: "2026-11-22T12:00:00.000Z", traceId: "0123456789abcdef0123456789abcdef" }

const now = Effect.succeed(DateTime.makeUnsafe(at.timestamp))
const time = ServiceTime.of({
  now,
  bounds: Effect.map(now, (instant) => ({ earliest: instant, latest: instant })),
  real: now,
  offset: Effect.succeed(Duration.zero),
  setOffset: () => Effect.void
})

it.effect("a refusal notes no stack, and errors after it do", () =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(refuse(NotFound, { message: "There is none." }))
    assert.notMatch(refused.stack ?? "", /\n\s+at /)
    assert.match(new Error("after it").stack ?? "", /\n\s+at /)
  }).pipe(Effect.provideService(ServiceTime, time))
)

it("a path that is not there is answered as the class of the envelope would be", () => {
  const id = "/…"
  const envelope = new NotFound({
    message: "There is no such path.",
    details: { code: "ROUTE_NOT_FOUND", resource: "path", id },
    ...at
  })
  const { body } = noSuchPath(id, at)
  assert.strictEqual(
    new TextDecoder().decode(body._tag === "Uint8Array" ? body.body : undefined),
    JSON.stringify(envelope)
  )
})
