import { Context, Effect } from "effect"
import { CurrentWriteMark } from "../storage/WriteMark.ts"
import type { StorageError } from "../units/Refused.ts"
import { ChangesNothing } from "./ChangesNothing.ts"
import type { Ending } from "./CompiledApi.ts"

/**
 * Whoever asks for a change and is told that it is made is told what was read, where nothing was left to write. That is made as safe
 * as a write first (decision 0115). A request that has written, or has made sure of what it read, need not do so again.
 *
 * @param sync Makes it so; undefined where all that is read is.
 */
export const acknowledged =
  (sync: Effect.Effect<void, StorageError> | undefined): Ending =>
  (answering, { annotations, method }) =>
    sync === undefined || method === "GET" || Context.get(annotations, ChangesNothing)
      ? answering
      : Effect.tap(answering, ({ status }) =>
          status >= 300
            ? Effect.void
            : Effect.flatMap(CurrentWriteMark, (mark) =>
                mark?.mayBeWritten === true ? Effect.void : sync
              )
        )
