import type { DateTime } from "effect"
import { Effect } from "effect"
import type { AccountId, DiscrepancyId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { Ids } from "../time/Ids.ts"
import type { DuplicateKey, Refused, StorageError } from "../units/Refused.ts"
import type { Secrets } from "../ports/Secrets.ts"
import type { NewUnit } from "../units/Unit.ts"
import { reviewJobs } from "../reviews/ReviewJobs.ts"
import type { DiscrepancyReason } from "./Discrepancy.ts"
import { Discrepancy, DiscrepancyKind, discrepancyKey } from "./Discrepancy.ts"

/** Our side of a contradiction, in the words of the PSP's: how it stands here, and by which names. */
export interface Booked {
  readonly status: string
  readonly amount: Centavos
  readonly reference?: string
  readonly pspReference?: string | undefined
  readonly endToEndId?: string | undefined
  readonly returnId?: string | undefined
  readonly settledAt?: DateTime.Utc | undefined
}

/** What a PSP contradicts, and how. */
export interface Contradiction {
  readonly subject: {
    readonly id: Uuid
    readonly account: AccountId
    readonly wallet: WalletId
  }
  readonly subjectType: Discrepancy["subjectType"]
  readonly reason: DiscrepancyReason
  /** What the PSP says, as JSON text. */
  readonly evidence: string
  /** What was booked by then. */
  readonly booked: Booked
  /** What of it tells one contradiction from a repeat; absent: all of it. */
  readonly gist?: string
}

/**
 * What of a PSP's answer is kept, and what of that is compared: what varies by itself from answer to answer, such as the
 * words of a rejection or a time, makes no other contradiction.
 */
export const evidenceOf = <A extends object>(
  said: A | undefined,
  { compared, shown }: Readonly<Record<"compared" | "shown", ReadonlyArray<keyof A>>>
): Pick<Contradiction, "evidence" | "gist"> => {
  if (said === undefined) return { evidence: JSON.stringify({ status: "not_found" }) }
  const textOf = (names: ReadonlyArray<keyof A>): string =>
    jsonOf(Object.fromEntries(names.map((name) => [name, said[name]])))
  return { evidence: textOf([...compared, ...shown]), gist: textOf(compared) }
}

const jsonOf = (value: object): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part))

/** What a record is made with. */
export interface Recording {
  readonly ids: Ids["Service"]
  readonly secrets: Secrets["Service"]
  readonly commit: (unit: NewUnit) => Effect.Effect<void, Refused | StorageError>
}

/**
 * Commits a unit and, in it, the record of a contradiction, which then waits for a person. The record of one that is
 * known already is left as it is, so that a PSP which repeats itself fills no list; the rest of the unit is written
 * all the same. Answers whether it was news.
 */
export const recordOnce = Effect.fn("recordOnce")(function* (
  { commit, ids, secrets }: Recording,
  { booked, evidence, gist = evidence, reason, subject, subjectType }: Contradiction,
  unit: NewUnit
) {
  const id = yield* ids.next<DiscrepancyId>()
  const { account, wallet } = subject
  const createdAt = unit.at
  const discrepancy = new Discrepancy({
    id,
    account,
    wallet,
    subject: subject.id,
    subjectType,
    reason,
    evidence,
    booked: jsonOf(booked),
    status: "open",
    createdAt
  })
  const key = discrepancyKey(discrepancy, yield* secrets.digest(gist))
  return yield* commit({
    ...unit,
    inserts: [...(unit.inserts ?? []), DiscrepancyKind.row(discrepancy)],
    keys: [...(unit.keys ?? []), key],
    jobs: [...(unit.jobs ?? []), ...reviewJobs(undefined, { id, account, since: createdAt })]
  }).pipe(
    Effect.as(true),
    Effect.catchIf(isKnown, () => Effect.as(commit(unit), false))
  )
})

const isKnown = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey" && error.space === "discrepancy"
