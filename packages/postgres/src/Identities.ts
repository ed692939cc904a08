import type { StorageDriverShape } from "@pagora/core"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { int, uuid } from "./Parameters.ts"

/** How long resolving waits for a write that is just ending, in milliseconds; then it is asked again. */
const resolveWaitMillis = 1_000

/** What becomes of the identities of writes. */
export const makeIdentities = (
  database: Database
): Pick<StorageDriverShape, "resolveWrite" | "forgetWrites"> => ({
  resolveWrite: (id) =>
    Effect.map(
      database.read("select pagora.settle_write($1, $2) as is_in", [
        uuid(id),
        int(resolveWaitMillis)
      ]),
      (answers) => answers[0]?.["is_in"] === true
    ),
  forgetWrites: (max) =>
    Effect.map(
      database.read("select pagora.forget_writes($1) as forgotten", [int(max)]),
      (answers) => Number(answers[0]?.["forgotten"] ?? 0)
    )
})
