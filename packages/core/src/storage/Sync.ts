import { Effect } from "effect"
import { StorageError } from "../units/Refused.ts"
import type { Epoch } from "./Epoch.ts"
import { ofOneEpoch } from "./Epoch.ts"
import { gather } from "./Gather.ts"
import { CurrentWriteMark } from "./WriteMark.ts"

/**
 * One for all who ask for it in one turn, or while another one is under way. To a request it is what a write is: where it fails,
 * nobody knows whether what was read will be there. Nor where another server has taken over since the request began: it may
 * have read at the former one.
 */
export const syncing = Effect.fnUntraced(function* (
  sync: Effect.Effect<void, StorageError>,
  epoch: Epoch
) {
  const ask = yield* gather((asked: ReadonlyArray<"sync">) => Effect.as(sync, asked), String)
  const synced = Effect.flatten(ask("sync")).pipe(
    Effect.mapError(({ cause }) => new StorageError({ reason: "OutcomeUnknown", cause })),
    Effect.asVoid
  )
  const sure = ofOneEpoch(epoch, "OutcomeUnknown", synced)
  return Effect.flatMap(CurrentWriteMark, (mark) => (mark === undefined ? sure : mark.follow(sure)))
})
