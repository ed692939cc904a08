import { Context, Effect, Layer, Schema } from "effect"
import type { AccountId, DiscrepancyId, UnitId, Uuid } from "../kernel/Ids.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { PageRead } from "../ports/StorageDriver.ts"
import type { Resolution } from "../reviews/Resolution.ts"
import type { Discrepancy } from "./Discrepancy.ts"
import { DiscrepancyKind, resolve as resolved } from "./Discrepancy.ts"

export class DiscrepancyNotFound extends Schema.TaggedError<DiscrepancyNotFound>()(
  "DiscrepancyNotFound",
  { id: Schema.String }
) {}

/** Somebody has closed it before. */
export class DiscrepancyResolved extends Schema.TaggedError<DiscrepancyResolved>()(
  "DiscrepancyResolved",
  { id: Schema.String }
) {}

export interface DiscrepancyFilter {
  readonly account?: AccountId
  readonly status?: Discrepancy["status"]
}

/** What PSPs say against what is booked, for the operator to read and to close. */
export class Discrepancies extends Context.Service<
  Discrepancies,
  {
    /** Newest first. */
    readonly page: (
      filter: DiscrepancyFilter,
      page: PageRead
    ) => Effect.Effect<ReadonlyArray<Discrepancy>, StorageError>
    /** Says that somebody has looked into it. No money moves: what has to be corrected is corrected by its own call. */
    readonly resolve: (
      id: Uuid,
      resolution: Omit<Resolution, "at">,
      key?: IdempotencyKey
    ) => Effect.Effect<
      Discrepancy,
      DiscrepancyNotFound | DiscrepancyResolved | IdempotencyKeyTaken | StorageError
    >
  }
>()("@pagora/core/discrepancies/Discrepancies") {
  static readonly layer: Layer.Layer<Discrepancies, never, Storage | Ids | ServiceTime> =
    Layer.effect(
      Discrepancies,
      Effect.gen(function* () {
        const storage = yield* Storage
        const ids = yield* Ids
        const time = yield* ServiceTime

        const page = Effect.fn("Discrepancies.page")(function* (
          filter: DiscrepancyFilter,
          read: PageRead
        ) {
          const found = yield* storage.list(DiscrepancyKind, { ...filter, ...read, order: "desc" })
          return found.map(({ value }) => value)
        })

        const attempt = Effect.fnUntraced(function* (
          id: Uuid,
          { by, reason }: Omit<Resolution, "at">,
          key: IdempotencyKey | undefined
        ) {
          const current = yield* storage.find(DiscrepancyKind, id as DiscrepancyId)
          if (current === undefined) return yield* new DiscrepancyNotFound({ id })
          if (current.value.status === "resolved") return yield* new DiscrepancyResolved({ id })
          const at = yield* time.now
          const next = resolved(current.value, { reason, ...(by === undefined ? {} : { by }), at })
          yield* storage
            .commit({
              id: yield* ids.next<UnitId>(),
              at,
              updates: [Kind.update(DiscrepancyKind, current, next)],
              jobs: [{ _tag: "Cancel", queue: "review", id: next.id }],
              ...begun(key, next.id, DiscrepancyKind.snapshot(next))
            })
            .pipe(keyTaken, refusedFor("StaleVersion"))
          return next
        })
        return Discrepancies.of({
          page,
          resolve: Effect.fn("Discrepancies.resolve")((id, resolution, key) =>
            decideAgain(attempt(id, resolution, key))
          )
        })
      })
    )
}
