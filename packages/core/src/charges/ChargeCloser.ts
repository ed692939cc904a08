import { DateTime, Effect } from "effect"
import type { ChargeId, Uuid, WalletId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { endOrRetry } from "../jobs/JobSteps.ts"
import type { ChargeStatus } from "./Charge.ts"
import { ChargeKind } from "./Charge.ts"
import { ChargeWriter, lookAt } from "./ChargeWriter.ts"
import { chargeLimits } from "./ChargeLimits.ts"

/** Charges that are put in line at once. */
const chargesMax = 100

/**
 * Puts the open charges of a closed sub-account, whose id is the job's, in line, so that they are cancelled. It may die
 * anywhere: whoever has its job next begins anew, and a charge that is in line already is put there again.
 */
export const makeCloser = Effect.gen(function* () {
  const writer = yield* ChargeWriter
  const storage = yield* Storage
  const time = yield* ServiceTime

  /** Answers how many there were. */
  const putInLine = Effect.fnUntraced(function* ({ id }: Claimed, status: ChargeStatus) {
    let after: ChargeId | undefined
    for (let seen = 0; ;) {
      const page = yield* storage.list(ChargeKind, {
        wallet: id as Uuid as WalletId,
        status,
        ...present({ after }),
        order: "asc",
        limit: chargesMax
      })
      const due = yield* time.now
      if (page.length > 0) yield* writer.jobs(page.map(({ value }) => lookAt(value, due)))
      seen += page.length
      if (page.length < chargesMax) return seen
      after = page.at(-1)?.value.id
    }
  })

  return Effect.fn("ChargeCloser.work")(
    function* (job: Claimed) {
      // In this order, so that one which becomes pending meanwhile is met all the same.
      const unanswered = yield* putInLine(job, "creating")
      yield* putInLine(job, "pending")
      // The PSP may still answer for those, and make them pending.
      const due = DateTime.addDuration(yield* time.now, chargeLimits.creatingMax)
      yield* writer.jobs([endOrRetry(job, unanswered === 0 ? undefined : due)])
    },
    refusedFor("LeaseLost"),
    // Somebody else has the job.
    Effect.catchTag("LeaseLost", () => Effect.void)
  )
})
