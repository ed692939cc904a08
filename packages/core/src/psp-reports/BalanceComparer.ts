import type { DateTime } from "effect"
import { Effect } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { toBrlString } from "../kernel/Money.ts"
import type { PspBalance, PspDirectory, PspShape } from "../ports/Psp.ts"
import { hasPsp } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { Storage } from "../storage/Storage.ts"
import { pspBalances, pspDifferences } from "../telemetry/Metrics.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import type { NewUnit } from "../units/Unit.ts"
import type { BalanceComparison, Compared } from "./BalanceComparison.ts"
import {
  BalanceComparisonsKind,
  comparisonsId,
  differenceOf,
  isDue,
  knownAt,
  looked,
  unexplainedIn
} from "./BalanceComparison.ts"
import type { AtPsps } from "./LedgerAtPsps.ts"
import { ledgerAtPsps, LedgerAtPspsKind } from "./LedgerAtPsps.ts"
import { underWayAtPsps } from "./SentToPsps.ts"

interface Comparing {
  readonly storage: Storage["Service"]
  readonly directory: PspDirectory["Service"]
  readonly time: ServiceTime["Service"]
}

const writeOf = <A>(
  kind: Kind.Kind<A>,
  before: Kind.Versioned<A> | undefined,
  next: A
): Pick<NewUnit, "inserts" | "updates"> =>
  before === undefined
    ? { inserts: [kind.row(next)] }
    : { updates: [Kind.update(kind, before, next)] }

/** What was found of each PSP's balance last. */
export const lastComparisons = (
  storage: Storage["Service"]
): Effect.Effect<(psp: PspCredentialId) => BalanceComparison | undefined, StorageError> =>
  Effect.map(
    storage.find(BalanceComparisonsKind, comparisonsId),
    (found) => (psp) => found?.value.last[psp]
  )

/** Undefined where the PSP does not tell it now. */
export const balanceOf = Effect.fnUntraced(function* (
  psp: PspShape
): Effect.fn.Return<PspBalance | undefined> {
  const asked = psp.balance?.()
  const outcome = asked && (yield* callPsp("balance", asked))
  return outcome?._tag === "Done" ? outcome.value : undefined
})

/**
 * Holds what a PSP tells of its balance against the ledger. What differs, and stands still over two looks, is told in the log,
 * once for each such difference, and by a metric; nothing is booked (decision 0106).
 */
export const comparingBalances = ({ directory, storage, time }: Comparing) => {
  /** Another process that looked at the same time has kept as much. */
  const keepLedger = Effect.fnUntraced(function* ({ before, next }: AtPsps) {
    const write = writeOf(LedgerAtPspsKind, before, next)
    yield* storage.commit({ at: yield* time.now, ...write }).pipe(
      refusedFor("StaleVersion", "DuplicateKey"),
      Effect.catchTag(["StaleVersion", "DuplicateKey"], () => Effect.void)
    )
  })

  const keepLook = (next: BalanceComparison) =>
    decideAgain(
      Effect.gen(function* () {
        const before = yield* storage.find(BalanceComparisonsKind, comparisonsId)
        const last = { ...before?.value.last, [next.id]: next }
        yield* storage
          .commit({ at: next.at, ...writeOf(BalanceComparisonsKind, before, { last }) })
          .pipe(
            Effect.catchTag("DuplicateKey", () => new StaleVersion({ id: comparisonsId })),
            refusedFor("StaleVersion")
          )
      })
    )

  /** A sum that was kept may be wrong: nothing is told of a difference that is not there when all is summed anew. */
  const confirmed = Effect.fnUntraced(function* (
    id: PspCredentialId,
    compared: Compared,
    at: DateTime.Utc
  ) {
    const ledger = yield* ledgerAtPsps(storage, at, { isAfresh: true })
    yield* keepLedger(ledger)
    return { ...compared, ledger: ledger.of(id) }
  })

  return Effect.fnUntraced(function* (
    id: PspCredentialId,
    psp: PspShape
  ): Effect.fn.Return<void, StorageError> {
    if (psp.balance === undefined) return
    const at = yield* time.now
    const before = knownAt((yield* lastComparisons(storage))(id), at)
    if (before !== undefined && !isDue(before, at)) return
    const ledger = yield* ledgerAtPsps(storage, at)
    yield* keepLedger(ledger)
    const balance = yield* balanceOf(psp)
    if (balance === undefined) {
      yield* Effect.logWarning("A PSP does not tell its balance; it is asked again.").pipe(
        Effect.annotateLogs({ psp: id })
      )
      return
    }
    const underWayAt = yield* underWayAtPsps(storage)
    const found = { balance, ledger: ledger.of(id), underWay: underWayAt(id) }
    const first = looked(before, { ...found, id }, at)
    const compared = first.isNews ? yield* confirmed(id, found, at) : found
    const { isNews, next } = looked(before, { ...compared, id }, at)
    yield* keepLook(next)
    // One that was revoked meanwhile is not measured any more.
    if (hasPsp(directory, id)) yield* measure(id, compared)
    if (isNews) yield* tell(id, compared)
  })
}

const measure = Effect.fnUntraced(function* (id: PspCredentialId, compared: Compared) {
  const { available, blocked } = compared.balance
  yield* pspBalances.record(Number(available), id, "available")
  yield* pspBalances.record(Number(blocked), id, "blocked")
  yield* pspDifferences.record(Number(differenceOf(compared)), id)
})

const tell = (psp: PspCredentialId, compared: Compared) =>
  Effect.logWarning(
    "What a PSP holds is not what the ledger has there: compare its statement with GET /transactions."
  ).pipe(
    Effect.annotateLogs({
      psp,
      unexplained: signedBrl(unexplainedIn(compared)),
      ledger: signedBrl(compared.ledger)
    })
  )

const signedBrl = (amount: Centavos): string =>
  amount < 0n ? `-${toBrlString(-amount as Centavos)}` : toBrlString(amount)
