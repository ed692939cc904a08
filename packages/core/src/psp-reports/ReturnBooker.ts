import { Effect } from "effect"
import type { InfractionBlocks } from "../blocks/InfractionBlocks.ts"
import type { ChargeId, LedgerTxId, PspReturnId, Uuid } from "../kernel/Ids.ts"
import { zero } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import { reviewJobs } from "../reviews/ReviewJobs.ts"
import type { Storage } from "../storage/Storage.ts"
import type { Ids } from "../time/Ids.ts"
import type { DuplicateKey, Refused, StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import type { NewUnit } from "../units/Unit.ts"
import type { PspReturn } from "./PspReturn.ts"
import { borne, left, newPspReturn, PspReturnKind, pspReturnKey, resolve } from "./PspReturn.ts"
import type { ReportConclusion } from "./ReportVerdict.ts"
import type { Standing, Taking } from "./ReturnTaker.ts"
import { besides, lowering, noted, standingOn } from "./ReturnTaker.ts"

type Returned = Extract<ReportConclusion, { readonly _tag: "Returned" }>

interface Booking {
  readonly ids: Ids["Service"]
  readonly storage: Storage["Service"]
  readonly blocks: InfractionBlocks["Service"]
}

/**
 * Money that the PSP gave back by itself is missing in suspense, unless it was claimed: then the wallet bears it in the same
 * commit. No word of a PSP takes more of a wallet than was claimed of it: that is a person's.
 */
export const givingUp = (services: Booking) => {
  const standing = standingOn(services)
  const isBorne = byClaims(services)
  const leave = byPerson(services)

  return Effect.fnUntraced(function* (unit: NewUnit, conclusion: Returned) {
    const { endToEndId, source, sourceType } = conclusion.receiver
    const stands =
      sourceType === "charge" ? yield* standing(source as ChargeId, endToEndId) : undefined
    if (stands === undefined || !(yield* isBorne(unit, conclusion, stands)))
      yield* tellReturn(yield* leave(unit, conclusion, stands))
    return "more" as const
  })
}

/** What was claimed bears it, where that is enough and the wallet has it. */
const byClaims = (services: Booking) => {
  const { blocks, ids } = services
  const lower = lowering(ids)
  const book = booking(services)

  return Effect.fnUntraced(function* (
    unit: NewUnit,
    { accepted, money, receiver, report }: Returned,
    stands: Standing
  ) {
    const taking = yield* lower(stands, {
      amount: money.amount,
      at: unit.at,
      bearer: "wallet",
      isDecided: false,
      isAccepted: ({ infraction = "" }) => accepted.has(infraction)
    })
    if (taking.first === undefined || taking.claimed < money.amount) return false
    // Nothing comes to a closed wallet any more; the block knows whose money is claimed in its place.
    const { subAccount, wallet } = taking.first
    const { subAccount: _, ...payment } = receiver
    const bearer = { ...payment, wallet, ...present({ subAccount }) }
    const open = newPspReturn(yield* ids.next<PspReturnId>(), bearer, money, unit.at)
    const charged = resolve(open, "charged", {
      reason: "The balance block of its payment bears it.",
      at: unit.at
    })
    const booked = yield* book(unit, charged, taking)
    const ledger = [...booked.ledger, borne(charged, yield* ids.next<LedgerTxId>())]
    return yield* blocks
      .settle(stands.charge, taking.changes, { ...booked, ledger, noted: (charge) => charge })
      .pipe(
        Effect.as(true),
        Effect.catchTag("InsufficientFunds", () => Effect.succeed(false)),
        asBooked(report.id)
      )
  })
}

/** A person has to say who bears it. Until then, nothing else goes back of the payment. */
const byPerson = (services: Booking) => {
  const { blocks, ids, storage } = services
  const lower = lowering(ids)
  const book = booking(services)

  return Effect.fnUntraced(function* (
    unit: NewUnit,
    { money: known, receiver, report }: Returned,
    stands: Standing | undefined
  ) {
    const money = newPspReturn(yield* ids.next<PspReturnId>(), receiver, known, unit.at)
    const { account, createdAt: since, id } = money
    const review = reviewJobs(undefined, { id, account, since })
    if (stands === undefined) {
      const booked = yield* book(unit, money, undefined)
      yield* storage.commit({ ...booked, jobs: review }).pipe(asBooked(report.id))
      return money
    }
    const terms = { amount: zero, at: unit.at, bearer: "wallet", isDecided: false } as const
    const taking = yield* lower(stands, terms)
    const booked = yield* book(unit, money, taking)
    yield* blocks
      .settle(stands.charge, taking.changes, {
        ...booked,
        updates: [...booked.updates, ...besides(stands, id)],
        jobs: [...booked.jobs, ...review],
        noted: noted(id)
      })
      .pipe(asBooked(report.id))
    return money
  })
}

const booking = ({ ids }: Booking) =>
  Effect.fnUntraced(function* (unit: NewUnit, money: PspReturn, taking: Taking | undefined) {
    const { expects = [], jobs = [], ledger = [], updates = [] } = taking?.unit ?? {}
    return {
      ...unit,
      expects,
      inserts: [PspReturnKind.row(money)],
      updates: [...(unit.updates ?? []), ...updates],
      ledger: [...ledger, left(money, yield* ids.next<LedgerTxId>())],
      keys: [{ ...pspReturnKey(money), holder: money.id }],
      jobs
    }
  })

const tellReturn = ({ id, pspCredentialId, source }: PspReturn) =>
  Effect.logError("A PSP gave a payment back by itself; a person has to say who bears it.").pipe(
    Effect.annotateLogs({ psp: pspCredentialId, pspReturn: id, source })
  )

/** Somebody else has booked it meanwhile, which another look tells. */
export const asBooked =
  (id: Uuid) =>
  <A, E extends Refused | StorageError>(commit: Effect.Effect<A, E>) =>
    Effect.catchIf(commit, isBooked, () => new StaleVersion({ id }))

const isBooked = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey"
