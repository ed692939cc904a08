import { Context, Effect, Exit } from "effect"
import type { Refused } from "../units/Refused.ts"
import type { StorageError } from "../units/Refused.ts"

/** What the writes of one piece of work came to, as far as that is known. */
export class WriteMark {
  private open = 0
  private isWritten = false

  /** Whether something was written, or may have been: then nobody can be told that nothing was done. */
  get mayBeWritten(): boolean {
    return this.isWritten || this.open > 0
  }

  /** Follows a write to its end. */
  follow<A, E extends Refused | StorageError>(write: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.open++
      return Effect.onExit(write, (exit) =>
        Effect.sync(() => {
          this.open--
          this.isWritten ||= !isDefinitelyNot(exit)
        })
      )
    })
  }
}

const isDefinitelyNot = (exit: Exit.Exit<unknown, Refused | StorageError>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.every(
    (reason) =>
      reason._tag === "Fail" &&
      !(reason.error._tag === "StorageError" && reason.error.reason === "OutcomeUnknown")
  )

/** The mark of the work that is going on, such as a request. */
export const CurrentWriteMark = Context.Reference<WriteMark | undefined>(
  "@pagora/core/storage/WriteMark",
  { defaultValue: () => undefined }
)
