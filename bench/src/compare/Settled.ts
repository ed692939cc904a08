import type { Scope } from "effect"
import { Effect, Latch } from "effect"
import type { BenchDatabase } from "./BenchDatabase.ts"

/** How long nobody looks after a look. */
const lookMillis = 1

/**
 * Answers what waits until a charge of Pagora's is settled. It is seen in the database, because whoever asked the API or
 * subscribed would be work for the server that is measured; it is seen a little late.
 */
export const watchSettled = Effect.fnUntraced(function* ({
  rows
}: BenchDatabase): Effect.fn.Return<(id: string) => Effect.Effect<void>, never, Scope.Scope> {
  const waiting = new Map<string, () => void>()
  const awaited = Latch.makeUnsafe(false)
  const look = Effect.gen(function* () {
    yield* awaited.await
    const settled = yield* rows(
      `select id from pagora.operation where id = any($1::uuid[]) and status = 'completed'`,
      [[...waiting.keys()]]
    )
    for (const { id } of settled) {
      waiting.get(String(id))?.()
      waiting.delete(String(id))
    }
    if (waiting.size === 0) awaited.closeUnsafe()
    yield* Effect.sleep(lookMillis)
  })
  yield* Effect.forkScoped(Effect.forever(look))
  return (id) =>
    Effect.callback((resume) => {
      waiting.set(id, () => resume(Effect.void))
      awaited.openUnsafe()
    })
})
