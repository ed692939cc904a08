import { Effect } from "effect"
import { StorageError } from "../units/Refused.ts"
import { gather } from "./Gather.ts"
import { CurrentWriteMark } from "./WriteMark.ts"

/**
 * One for all who ask for it in one turn, or while another one is under way. To a request it is what a write is: where it fails,
 * nobody knows whether what was read will be there.
 */
export const syncing = Effect.fnUntraced(function* (sync: Effect.Effect<void, StorageError>) {
  const ask = yield* gather((asked: ReadonlyArray<"sync">) => Effect.as(sync, asked), String)
  const synced = Effect.flatten(ask("sync")).pipe(
    Effect.mapError(({ cause }) => new StorageError({ reason: "OutcomeUnknown", cause })),
    Effect.asVoid
  )
  return Effect.flatMap(CurrentWriteMark, (mark) =>
    mark === undefined ? synced : mark.follow(synced)
  )
})
