import { Effect } from "effect"
import type { Metric } from "effect"
import type { Refused, StorageError } from "../units/Refused.ts"
import type { AttemptRow, Queue, Unit } from "../units/Unit.ts"
import {
  commits,
  deliveries,
  deliveryEnds,
  jobs,
  ledgerTransactions,
  money,
  suspenseEntries,
  transitions
} from "./Metrics.ts"

/** Queues of subscribers carry an id, and a label must not. */
export const queueLabel = (queue: string): string =>
  queue.startsWith("subscriber:") ? "subscriber" : queue

/**
 * Counts what a unit changed, now that it is written: once for everything that happens to money, wherever it happens
 * (decision 0048).
 */
export const countWritten = (unit: Unit): Effect.Effect<void> =>
  Effect.map(Effect.context<never>(), (context) => {
    const add = <Input>(metric: Metric.Metric<Input, unknown>, input: Input) =>
      metric.updateUnsafe(input, context)
    add(commits.of("written"), 1)
    for (const row of unit.inserts ?? []) add(transitions.of(row.kind, row.status), 1)
    for (const { row, was } of unit.updates ?? []) {
      if (was !== row.status) add(transitions.of(row.kind, row.status), 1)
    }
    for (const job of unit.jobs ?? []) {
      const outcome = outcomes[job._tag]
      if (outcome !== undefined) add(jobs.of(queueLabel(job.queue), outcome), 1)
    }
    for (const tx of unit.ledger ?? []) {
      add(ledgerTransactions.of(tx.kind), 1)
      for (const { account, amount } of tx.postings) {
        // What we owe grows by a debit of the PSP: its account is our money there.
        if (account.bucket === "psp_clearing")
          add(money.of(amount < 0n ? "in" : "out"), amount < 0n ? -amount : amount)
        if (account.bucket === "suspense" && amount > 0n) add(suspenseEntries.of(), 1)
      }
    }
    const { attempts = [] } = unit
    if (attempts.length === 0) return
    const to = receiverOf(unit)
    for (const attempt of attempts) countAttempt(attempt, to, add)
  })

const outcomes = {
  Finish: "finished",
  Retry: "retried",
  Schedule: undefined,
  Cancel: undefined
} as const

type Receiver = "endpoint" | "subscriber"

/** A try is recorded together with the job that it was. */
const receiverOf = ({ jobs: changed = [] }: Unit): Receiver =>
  changed.some(({ queue }: { readonly queue: Queue }) => queue.startsWith("subscriber:"))
    ? "subscriber"
    : "endpoint"

const countAttempt = (
  { durationMillis, httpStatus, outcome, status }: AttemptRow,
  to: Receiver,
  add: <Input>(metric: Metric.Metric<Input, unknown>, input: Input) => void
): void => {
  const answer = httpStatus === null ? outcome : `${Math.floor(httpStatus / 100)}xx`
  add(deliveries.of(to, answer), durationMillis / 1_000)
  if (status !== "queued") add(deliveryEnds.of(to, status), 1)
}

/** Counts a unit that was not written, by the name of the reason. */
export const countRefused = (error: Refused | StorageError): Effect.Effect<void> =>
  Effect.map(Effect.context<never>(), (context) => {
    const outcome = error._tag === "StorageError" ? error.reason : error._tag
    commits.of(outcome).updateUnsafe(1, context)
    if (error._tag === "LeaseLost")
      jobs.of(queueLabel(error.queue), "lease_lost").updateUnsafe(1, context)
  })
