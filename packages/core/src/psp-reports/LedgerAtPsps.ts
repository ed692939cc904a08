import { DateTime, Duration, Effect, Schema } from "effect"
import type { LedgerTxId, PspCredentialId } from "../kernel/Ids.ts"
import { idsAt, Uuid } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { negated, zero } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import type { AuditSum } from "../ports/AuditReads.ts"
import type { Storage } from "../storage/Storage.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"

/** There is one ledger in a deployment, so its row has a fixed id. */
const ledgerId = Uuid.make("00000000-0000-7000-8000-000000000007")

/** Ids are made before they are written. What is older than this is there. */
const youngFor = Duration.minutes(15)
/** Transactions whose postings are summed by one read. */
const stretchMax = 5_000

/** What the ledger has at each PSP by all transactions up to an instant, so that nobody sums them once more. */
const LedgerAtPsps = Schema.Struct({
  through: Schema.DateTimeUtcFromString,
  /** Centavos by PSP. */
  sums: Schema.Record(Schema.String, Schema.String)
})
type LedgerAtPsps = typeof LedgerAtPsps.Type

export const LedgerAtPspsKind: Kind.Kind<LedgerAtPsps> = Kind.make({
  name: "ledger_at_psps",
  table: "registry",
  schema: LedgerAtPsps,
  columns: () => ({ id: ledgerId, account: ledgerId, wallet: null, status: "kept" })
})

/** What should be at each PSP, as the ledger has it. */
export interface AtPsps {
  readonly of: (psp: PspCredentialId) => Centavos
  /** What is to be kept for the next time, and what was kept before. */
  readonly before: Kind.Versioned<LedgerAtPsps> | undefined
  readonly next: LedgerAtPsps
}

/** Sums what is new in the ledger onto what was kept; with `isAfresh`, all of it. */
export const ledgerAtPsps = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  now: DateTime.Utc,
  { isAfresh = false }: { readonly isAfresh?: boolean } = {}
): Effect.fn.Return<AtPsps, StorageError> {
  const before = yield* storage.find(LedgerAtPspsKind, ledgerId)
  // What a clock that was ahead has kept would leave out all that came since.
  const isAhead = before !== undefined && DateTime.isGreaterThan(before.value.through, now)
  const kept = isAfresh || isAhead ? undefined : before?.value
  const sums = new Map(Object.entries(kept?.sums ?? {}).map(([psp, sum]) => [psp, BigInt(sum)]))
  const settled = DateTime.subtractDuration(now, youngFor)
  const through = kept === undefined ? settled : DateTime.max(kept.through, settled)
  const old = yield* addTo(sums, storage, {
    after: kept && (idsAt(kept.through).last as LedgerTxId),
    upTo: idsAt(through).last as LedgerTxId
  })
  const next = {
    through,
    sums: Object.fromEntries([...sums].map(([psp, sum]) => [psp, String(sum)]))
  }
  yield* addTo(sums, storage, { after: old, upTo: undefined })
  // A liability to the owners of wallets is what we have at a PSP, with its sign turned round.
  const of = (psp: PspCredentialId) => negated((sums.get(psp) ?? zero) as Centavos)
  return { of, before, next }
})

interface Stretch {
  readonly after: LedgerTxId | undefined
  readonly upTo: LedgerTxId | undefined
}

/** Answers the last transaction that was summed. */
const addTo = Effect.fnUntraced(function* (
  sums: Map<string, bigint>,
  storage: Storage["Service"],
  { upTo, ...from }: Stretch
): Effect.fn.Return<LedgerTxId | undefined, StorageError> {
  let { after } = from
  if (after !== undefined && upTo !== undefined && after >= upTo) return after
  for (let isEnd = false; !isEnd;) {
    const stretch = yield* storage.ledgerStretch({
      limit: stretchMax,
      ...present({ after, upTo })
    })
    for (const { amount, bucket, owner } of stretch.sums) {
      if (bucket === inPsp) sums.set(owner, (sums.get(owner) ?? 0n) + amount)
    }
    after = stretch.last ?? after
    isEnd = stretch.isEnd
  }
  return after
})

const inPsp: AuditSum["bucket"] = "psp_clearing"
