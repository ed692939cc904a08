import { Cause, DateTime, Deferred, Effect, Exit, FiberSet, Schedule } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { decideAgain } from "../storage/DecideAgain.ts"
import type * as Kind from "../units/Kind.ts"
import type { DuplicateKey, LeaseLost, Refused, StorageError } from "../units/Refused.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Storage } from "../storage/Storage.ts"
import { endpointsDisabled } from "../telemetry/Metrics.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { Tried } from "./DeliveryTries.ts"
import { decideTries } from "./DeliveryTries.ts"
import type { Endpoint } from "./Endpoint.ts"
import { EndpointKind } from "./Endpoint.ts"

interface RecordPorts {
  readonly storage: Storage["Service"]
  readonly time: ServiceTime["Service"]
}

/** What was sent should also be recorded, so a short trouble of the storage is waited out. */
const patience = { schedule: Schedule.exponential("100 millis"), times: 6 } as const

interface Waiting {
  readonly tried: Tried
  readonly done: Deferred.Deferred<void>
}

/**
 * Records tries, each exactly once and only for the holder of its lease. What comes of one endpoint in a turn, or while
 * its last record is being written, is one unit: so tries never lose to one another when the endpoint changes, and many
 * of them cost what one does. One whose lease is lost takes none of the others along (decision 0093).
 */
export const makeRecords = Effect.fnUntraced(function* (ports: RecordPorts) {
  const lines = new Map<Uuid, Array<Waiting>>()
  const working = yield* FiberSet.make<void>()
  const write = writing(ports)

  const workOff = Effect.fnUntraced(function* (endpoint: Uuid, line: Array<Waiting>) {
    let known: Kind.Versioned<Endpoint> | undefined
    for (;;) {
      // Whoever else has ended in this turn goes along.
      yield* Effect.yieldNow
      const batch = take(line)
      if (batch.length === 0) {
        lines.delete(endpoint)
        return
      }
      known = yield* write(
        batch.map(({ tried }) => tried),
        known
      )
      for (const { done } of batch) Deferred.doneUnsafe(done, Exit.void)
    }
  })

  /** Completes when the try is recorded, or somebody else has the delivery. It never fails. */
  return (tried: Tried): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { endpoint } = tried.loaded.delivery
      const waiting: Waiting = { tried, done: Deferred.makeUnsafe() }
      const line = lines.get(endpoint)
      if (line !== undefined) {
        line.push(waiting)
        return Deferred.await(waiting.done)
      }
      const begun = [waiting]
      lines.set(endpoint, begun)
      return Effect.andThen(
        FiberSet.run(working, workOff(endpoint, begun)),
        Deferred.await(waiting.done)
      )
    })
})

/** All that wait, one of each delivery: of two whose lease was given anew in between only one counts. */
const take = (line: Array<Waiting>): ReadonlyArray<Waiting> => {
  const seen = new Set<Uuid>()
  const again: Array<Waiting> = []
  const batch = line.splice(0).filter((waiting) => {
    const { id } = waiting.tried.loaded.delivery
    if (!seen.has(id)) return seen.add(id)
    again.push(waiting)
    return false
  })
  line.push(...again)
  return batch
}

/** Writes tries of one endpoint down, and answers the endpoint as it is then, as far as that is known. */
const writing = ({ storage, time }: RecordPorts) => {
  type Known = Kind.Versioned<Endpoint> | undefined

  const decided = (tries: ReadonlyArray<Tried>, read: Known) => {
    let endpoint = read
    const [first] = tries
    const lookAgain =
      first === undefined
        ? Effect.void
        : Effect.map(storage.find(EndpointKind, first.loaded.delivery.endpoint), (newer) => {
            endpoint = newer
          })
    const decision = Effect.gen(function* () {
      const { after, unit } = decideTries(endpoint, tries, yield* time.now)
      yield* storage.commit(unit)
      if (endpoint === undefined || after === undefined || after === endpoint.value) return endpoint
      if (endpoint.value.enabled) yield* tellDisabled(after)
      return { value: after, version: endpoint.version + 1 }
    })
    return decideAgain(Effect.tapErrorTag(decision, "StaleVersion", () => lookAgain)).pipe(
      Effect.retry({
        ...patience,
        while: (error) => error._tag === "StorageError" && error.reason !== "Closed"
      })
    )
  }

  const those = (
    tries: ReadonlyArray<Tried>,
    known: Known
  ): Effect.Effect<Known, Refused | StorageError> => {
    if (tries.length === 0) return Effect.succeed(known)
    return Effect.catchTag(
      decided(tries, newest(tries, known)),
      ["LeaseLost", "DuplicateKey"],
      (late) => {
        // Somebody else has it: our lease was over, or the job was scheduled anew.
        const others = tries.filter((tried) => !isOf(late, tried))
        return others.length === tries.length
          ? Effect.fail(late)
          : Effect.andThen(
              Effect.logDebug("A webhook attempt came too late to count."),
              those(others, known)
            )
      }
    )
  }

  const each = (tries: ReadonlyArray<Tried>, known: Known): Effect.Effect<Known> =>
    Effect.catchCause(those(tries, known), (cause) =>
      // What breaks a record is the affair of one try, mostly; that the storage is away is everybody's.
      tries.length > 1 && Cause.hasDies(cause)
        ? Effect.as(
            Effect.forEach(tries, (tried) => each([tried], undefined), { discard: true }),
            undefined
          )
        : Effect.as(
            Effect.logError(
              "A webhook attempt is not recorded; it is made again when its lease ends.",
              safeCause(cause)
            ),
            undefined
          )
    )
  return each
}

/** The endpoint as it was read last. */
const newest = (
  tries: ReadonlyArray<Tried>,
  known: Kind.Versioned<Endpoint> | undefined
): Kind.Versioned<Endpoint> | undefined =>
  tries.reduce(
    (last, { loaded: { endpoint } }) =>
      endpoint === undefined || (last !== undefined && last.version >= endpoint.version)
        ? last
        : endpoint,
    known
  )

/** Whether a refusal is about a try. */
const isOf = (late: LeaseLost | DuplicateKey, { loaded: { delivery } }: Tried): boolean =>
  late._tag === "LeaseLost"
    ? late.id === delivery.id
    : late.space === "attempt" && late.key === `${delivery.id} ${delivery.attempts + 1}`

/** The operator's signal; the list of endpoints shows the same. */
const tellDisabled = ({ account, disabled, enabled, failingSince, id }: Endpoint) =>
  enabled
    ? Effect.void
    : Effect.annotateLogs(Effect.logWarning("A webhook endpoint was switched off"), {
        account,
        endpoint: id,
        reason: disabled?.reason,
        failingSince: failingSince && DateTime.formatIso(failingSince)
      }).pipe(Effect.andThen(endpointsDisabled.record(1)))
