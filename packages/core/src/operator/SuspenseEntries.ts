import { Context, Effect, Layer } from "effect"
import type { Block } from "../blocks/Block.ts"
import { BlockKind } from "../blocks/Block.ts"
import type { Charge, Deposit } from "../charges/Charge.ts"
import { ChargeKind, DepositKind } from "../charges/Charge.ts"
import type { AccountId, ReturnId, Uuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { ReadableKind } from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"
import type { PageRead } from "../ports/StorageDriver.ts"
import type { Queue } from "../units/Unit.ts"
import type { Return } from "../returns/Return.ts"
import { isOver, ReturnKind } from "../returns/Return.ts"

/** How many jobs are looked at at once. */
const linesMax = 200

/** Money in suspense: received and not credited, or charged back, and not with its payer yet. */
export interface SuspenseEntry {
  /** The id of its return. */
  readonly id: ReturnId
  readonly money: Return
  /** Why it is here. */
  readonly reason: Deposit["reason"] | "chargeback"
  /** What was paid, as its account sees it: the deposit, or the charge itself. */
  readonly payment: Deposit | Charge | undefined
  readonly block: Block | undefined
}

export interface SuspenseFilter {
  readonly account?: AccountId
  /** Only what waits for a person. */
  readonly needsReview?: boolean
}

/** Reads what is in suspense: every return that is not over and is no refund. */
export class SuspenseEntries extends Context.Service<
  SuspenseEntries,
  {
    /** Oldest first. */
    readonly page: (
      filter: SuspenseFilter,
      page: PageRead
    ) => Effect.Effect<ReadonlyArray<SuspenseEntry>, StorageError>
  }
>()("@pagora/core/operator/SuspenseEntries") {
  static readonly layer: Layer.Layer<SuspenseEntries, never, Storage> = Layer.effect(
    SuspenseEntries,
    Effect.gen(function* () {
      const storage = yield* Storage
      const inLine = linesIn(storage)
      const shown = showing(storage)

      const page = Effect.fn("SuspenseEntries.page")(function* (
        filter: SuspenseFilter,
        { after: first, limit }: PageRead
      ) {
        const found: Array<Return> = []
        for (let after = first; ;) {
          const ids = yield* inLine(filter, after)
          const returns = yield* storage.findMany(ReturnKind, ids)
          found.push(
            ...returns
              .map(({ value }) => value)
              .filter((money) => money.purpose !== "refund" && !isOver(money))
          )
          after = ids.at(-1)
          if (found.length >= limit || ids.length < linesMax) {
            return yield* shown(found.slice(0, limit))
          }
        }
      })
      return SuspenseEntries.of({ page })
    })
  )
}

/**
 * What is not over stands in the line of the reconciler, or in that of the operator, or in both: ids of either, in order,
 * as far as both are known.
 */
const linesIn = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* (
    { account: group, needsReview = false }: SuspenseFilter,
    after: Uuid | undefined
  ) {
    const queues: ReadonlyArray<Queue> = needsReview ? ["review"] : ["return", "review"]
    const pages = yield* Effect.forEach(queues, (queue) =>
      storage.jobs({
        queue,
        limit: linesMax,
        ...present({ group, after })
      })
    )
    return [...new Set(pages.flatMap((jobs) => jobs.map(({ id }) => id)))]
      .toSorted()
      .slice(0, linesMax)
  })

const showing = (storage: Storage["Service"]) => {
  const byId = <A extends { readonly id: Uuid }>(
    kind: ReadableKind<A>,
    ids: ReadonlyArray<Uuid>
  ): Effect.Effect<ReadonlyMap<Uuid, A>, StorageError> =>
    ids.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          storage.findMany(kind, ids),
          (found) => new Map(found.map(({ value }) => [value.id, value]))
        )

  return Effect.fnUntraced(function* (returns: ReadonlyArray<Return>) {
    const sources = returns.map(({ source }) => source)
    const deposits = yield* byId(DepositKind, sources)
    const blocks = yield* byId(BlockKind, sources)
    const others = sources.filter((source) => !deposits.has(source as never))
    const charges = yield* byId(ChargeKind, [
      ...others.filter((source) => !blocks.has(source as never)),
      ...[...blocks.values()].map(({ charge }) => charge)
    ])
    return returns.map((money): SuspenseEntry => {
      const block = blocks.get(money.source)
      const payment = deposits.get(money.source) ?? charges.get(block?.charge ?? money.source)
      return { id: money.id, money, reason: reasonOf(money, payment), payment, block }
    })
  })
}

const reasonOf = (
  { purpose }: Return,
  payment: Deposit | Charge | undefined
): SuspenseEntry["reason"] => {
  if (purpose === "chargeback" || payment === undefined) return "chargeback"
  return ("reason" in payment ? payment.reason : payment.blockedReason) ?? "charge_not_payable"
}
