import { Context, Effect, Layer } from "effect"
import type { Discrepancy } from "../discrepancies/Discrepancy.ts"
import { DiscrepancyKind } from "../discrepancies/Discrepancy.ts"
import type { AccountId, Uuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"
import type { PageRead, WaitingJob } from "../ports/StorageDriver.ts"
import type { PspReturn } from "../psp-reports/PspReturn.ts"
import { PspReturnKind } from "../psp-reports/PspReturn.ts"
import type { Return } from "../returns/Return.ts"
import { ReturnKind } from "../returns/Return.ts"
import type { Withdrawal } from "../withdrawals/Withdrawal.ts"
import { isOperators, WithdrawalKind } from "../withdrawals/Withdrawal.ts"

type Reviewed =
  | { readonly _tag: "Withdrawal"; readonly withdrawal: Withdrawal }
  | { readonly _tag: "Return"; readonly money: Return }
  | { readonly _tag: "Discrepancy"; readonly discrepancy: Discrepancy }
  | { readonly _tag: "PspReturn"; readonly money: PspReturn }

/** Something that only a person can decide, and since when it waits. */
export type Review = Reviewed & { readonly id: Uuid; readonly since: WaitingJob["due"] }

/** Reads all that waits for a person, whatever it is. */
export class Reviews extends Context.Service<
  Reviews,
  {
    /** In the order in which what waits began. */
    readonly page: (
      filter: { readonly account?: AccountId },
      page: PageRead
    ) => Effect.Effect<ReadonlyArray<Review>, StorageError>
  }
>()("@pagora/core/operator/Reviews") {
  static readonly layer: Layer.Layer<Reviews, never, Storage> = Layer.effect(
    Reviews,
    Effect.gen(function* () {
      const storage = yield* Storage

      const read = Effect.fnUntraced(function* (jobs: ReadonlyArray<WaitingJob>) {
        const ids = jobs.map(({ id }) => id)
        if (ids.length === 0) return []
        const withdrawals = yield* storage.findMany(WithdrawalKind, ids)
        const returns = yield* storage.findMany(ReturnKind, ids)
        const discrepancies = yield* storage.findMany(DiscrepancyKind, ids)
        const ofPsps = yield* storage.findMany(PspReturnKind, ids)
        const found = new Map<Uuid, Reviewed>()
        // A program of before knows nothing of money that is waited for: it leaves in the line what it has sent.
        for (const { value } of withdrawals)
          if (isOperators(value)) found.set(value.id, { _tag: "Withdrawal", withdrawal: value })
        for (const { value } of returns) found.set(value.id, { _tag: "Return", money: value })
        for (const { value } of discrepancies)
          found.set(value.id, { _tag: "Discrepancy", discrepancy: value })
        for (const { value } of ofPsps) found.set(value.id, { _tag: "PspReturn", money: value })
        return jobs.flatMap(({ due: since, id }): ReadonlyArray<Review> => {
          const reviewed = found.get(id)
          return reviewed === undefined ? [] : [{ ...reviewed, id, since }]
        })
      })

      const page = Effect.fn("Reviews.page")(function* (
        { account: group }: { readonly account?: AccountId },
        { after, limit }: PageRead
      ) {
        const reviews: Array<Review> = []
        for (let from = after; ;) {
          const left = limit - reviews.length
          const jobs = yield* storage.jobs({
            queue: "review",
            limit: left,
            ...present({ after: from, group })
          })
          reviews.push(...(yield* read(jobs)))
          from = jobs.at(-1)?.id
          if (jobs.length < left || reviews.length >= limit) return reviews
        }
      })
      return Reviews.of({ page })
    })
  )
}
