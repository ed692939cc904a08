import type { DateTime } from "effect"
import { Effect } from "effect"
import type { Block, Defence } from "../blocks/Block.ts"
import { BlockKind } from "../blocks/Block.ts"
import { handedIn, refusedBy, sendingOf } from "../blocks/Defence.ts"
import type { Progress } from "../jobs/JobSteps.ts"
import { finish, lookedForAgain, retry } from "../jobs/JobSteps.ts"
import type { BlockId } from "../kernel/Ids.ts"
import { waitingSince } from "../kernel/Waiting.ts"
import type { PspDirectory, PspInfraction, PspOutcome, PspShape } from "../ports/Psp.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import { afterPause } from "../reconciliation/Requests.ts"
import type { Storage } from "../storage/Storage.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import * as Kind from "../units/Kind.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import type { JobWrite } from "../units/Unit.ts"

interface Sending {
  readonly directory: PspDirectory["Service"]
  readonly storage: Storage["Service"]
  readonly time: ServiceTime["Service"]
}

const isAnswered = ({ isAnswered, status }: PspInfraction): boolean =>
  isAnswered === true || status !== "open"

/** Each write of a defence leaves its job alone, brings it again or ends it. */
const writing = ({ storage, time }: Sending) => ({
  write: Effect.fnUntraced(function* (
    current: Kind.Versioned<Block>,
    block: Block,
    at: DateTime.Utc,
    job?: JobWrite
  ) {
    const jobs = job === undefined ? [] : [job]
    yield* storage.commit({ at, updates: [Kind.update(BlockKind, current, block)], jobs })
    return { value: block, version: current.version + 1 }
  }),

  later: Effect.fnUntraced(function* (
    job: Claimed,
    { requestedAt }: Defence,
    outcome?: PspOutcome<unknown>
  ) {
    const at = yield* time.now
    const again = afterPause(waitingSince(requestedAt, at), outcome, at)
    yield* storage.commit({ at, jobs: [retry(job, again)] })
    return "finished" as const
  }),

  ended: Effect.fnUntraced(function* (job: Claimed, current: Kind.Versioned<Block>) {
    const expects = [Kind.expectation(BlockKind, current)]
    yield* storage.commit({ at: yield* time.now, expects, jobs: [finish(job)] })
    return "finished" as const
  }),

  missing: Effect.fnUntraced(function* (job: Claimed) {
    const at = yield* time.now
    yield* storage.commit({ at, jobs: [yield* lookedForAgain("balance block", job, at)] })
    return "finished" as const
  })
})

interface Telling {
  readonly id: string
  readonly defence: Defence
  readonly defend: NonNullable<PspShape["defendInfraction"]>
}

const telling = (services: Sending) => {
  const { later, write } = writing(services)

  return Effect.fnUntraced(function* (
    job: Claimed,
    before: Kind.Versioned<Block>,
    { defence, defend, id }: Telling
  ) {
    const { answer, text } = defence
    const sentAt = yield* services.time.now
    const current = yield* write(before, sendingOf(before.value, defence, sentAt), sentAt)
    const sent = { ...defence, sentAt }
    const outcome = yield* callPsp("defendInfraction", defend({ id, answer, text, now: sentAt }))
    const now = yield* services.time.now
    switch (outcome._tag) {
      case "Done":
        yield* write(current, handedIn(current.value, sent, now), now, finish(job))
        return "finished" as const
      case "Rejected":
        yield* write(current, refusedBy(current.value, sent, outcome, now), now, finish(job))
        yield* Effect.logError("A PSP does not take what was answered to a report of fraud.").pipe(
          Effect.annotateLogs({ block: current.value.id, code: outcome.code })
        )
        return "finished" as const
      default:
        return yield* later(job, defence, outcome)
    }
  })
}

/**
 * Tells PSPs what merchants say to reports of fraud: the intent is written first, and where the PSP may have it already it is
 * asked before it is told again (decision 0110).
 */
export const sendingDefences = (services: Sending) => {
  const { directory, storage, time } = services
  const { ended, later, missing, write } = writing(services)
  const tell = telling(services)

  return Effect.fnUntraced(function* (
    job: Claimed
  ): Effect.fn.Return<Progress, Refused | StorageError> {
    const current = yield* storage.find(BlockKind, job.id as BlockId)
    if (current === undefined) return yield* missing(job)
    const { defence, infraction: id, pspCredentialId } = current.value
    if (id === undefined || defence?.status !== "sending") return yield* ended(job, current)
    const psp = pspCredentialId && directory.find(pspCredentialId)
    if (psp?.defendInfraction === undefined) return yield* later(job, defence)
    if (defence.sentAt !== undefined && psp.findInfraction !== undefined) {
      const found = yield* callPsp("findInfraction", psp.findInfraction(id, yield* time.now))
      if (found._tag !== "Done") return yield* later(job, defence, found)
      const now = yield* time.now
      if (found.value !== undefined && isAnswered(found.value)) {
        yield* write(current, handedIn(current.value, defence, now), now, finish(job))
        return "finished"
      }
    }
    return yield* tell(job, current, { id, defence, defend: psp.defendInfraction.bind(psp) })
  })
}
