import { DateTime, Duration, Effect, Schema } from "effect"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { reachedBy } from "../accounts/PeriodLimit.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import { begun, completed, keyTaken } from "../units/Idempotency.ts"
import * as Kind from "../units/Kind.ts"
import type { NewPspCharge, PspCharge, PspOutcome, PspShape } from "../ports/Psp.ts"
import { callPsp, pspDeadline } from "../psp-calls/PspCall.ts"
import { pauseAt } from "../psp-calls/PspPause.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { watchEnd } from "../reconciliation/LateLooks.ts"
import { isRepeatable } from "../reconciliation/Requests.ts"
import type { IdempotencyScope } from "../units/Unit.ts"
import { asking, Charge, ChargeKind, wasRefused } from "./Charge.ts"
import { chargeLimits, limitChecks } from "./ChargeLimits.ts"
import { lookBetween } from "./ChargeSchedule.ts"
import { afterCreating } from "./ChargeVerdict.ts"
import { lookAt } from "./ChargeWriter.ts"
import { present } from "../kernel/Present.ts"

/**
 * The PSP was not reached, or its answer was lost. The intent stays and is cleared up by itself. `after`: so long it is left
 * alone, and whoever asks sooner learns nothing.
 */
export class PspUnavailable extends Schema.TaggedError<PspUnavailable>()("PspUnavailable", {
  after: Schema.optionalKey(Schema.Duration),
  /** It takes nothing for now: it said so, or is left alone and was not asked. */
  isNotNow: Schema.optionalKey(Schema.Boolean),
  /** Nothing comes of this charge any more, however often it is asked for. */
  isGivenUp: Schema.optionalKey(Schema.Boolean)
}) {}

/** What its caller is told where these answers of a PSP leave it open. */
export const leftOpen = (
  psp: PspShape,
  ...outcomes: ReadonlyArray<PspOutcome<unknown>>
): Effect.Effect<never, PspUnavailable> =>
  Effect.flatMap(pauseAt(psp, outcomes), (after) =>
    Effect.fail(
      new PspUnavailable({
        ...present({ after }),
        isNotNow: outcomes.some(({ _tag }) => _tag === "NotNow")
      })
    )
  )

/** How long one asker has a charge for itself: as long as the PSP may take, and the commit after it. */
export const askMax = Duration.sum(Duration.fromInputUnsafe(pspDeadline), Duration.seconds(5))

/** With a key somebody can go on with the intent, but not while it is being worked on. */
const intended = (intent: Charge, key: IdempotencyKey | undefined): Charge =>
  key === undefined
    ? intent
    : asking(
        new Charge({ ...intent, idempotencyKey: key.scope.key }),
        DateTime.addDuration(intent.createdAt, askMax)
      )

/** The commits of a new charge: what is intended, who asks the PSP, and what the PSP answered. */
const makeCommits = Effect.gen(function* () {
  const storage = yield* Storage
  const time = yield* ServiceTime

  const begin = Effect.fnUntraced(function* (
    intent: Charge,
    { account, subAccount: owner }: ActingWallet,
    key: IdempotencyKey | undefined
  ) {
    const at = intent.createdAt
    const charge = intended(intent, key)
    const due = DateTime.addDuration(at, chargeLimits.creatingMax)
    yield* storage
      .commit({
        at,
        inserts: [ChargeKind.row(charge)],
        // Nothing begins in a sub-account that is suspended or closed meanwhile.
        expects: owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)],
        counters: limitChecks(account.value, charge.amount, at),
        jobs: [lookAt(charge, due)],
        ...begun(key, charge.id, null)
      })
      .pipe(
        keyTaken,
        refusedFor("StaleVersion", "LimitExceeded"),
        Effect.catchTag("LimitExceeded", (refused) =>
          reachedBy("charge", account.value, refused, { at, requested: charge.amount })
        )
      )
    return { value: charge, version: 1 }
  })

  const record = Effect.fnUntraced(function* (intent: Kind.Versioned<Charge>, charge: Charge) {
    yield* storage.commit({
      at: charge.updatedAt,
      updates: [Kind.update(ChargeKind, intent, charge)],
      jobs:
        charge.status === "pending"
          ? [lookAt(charge, lookBetween(charge, charge.updatedAt))]
          : [{ _tag: "Cancel", queue: "charge", id: charge.id }, watchEnd(charge)],
      ...completed(scopesOf(intent.value), charge.id, () => ChargeKind.snapshot(charge))
    })
    return charge
  }, refusedFor("StaleVersion"))

  const takeOver = Effect.fnUntraced(function* (
    intent: Kind.Versioned<Charge>,
    until: DateTime.Utc | undefined
  ) {
    const value = asking(intent.value, until)
    yield* storage
      .commit({ at: yield* time.now, updates: [Kind.update(ChargeKind, intent, value)] })
      .pipe(refusedFor("StaleVersion"))
    return { value, version: intent.version + 1 }
  })

  /**
   * The first to tell its caller of a charge that a worker has taken over. Whether somebody has is read after the charge: whoever
   * does from then on changes its version, and then there is nothing to tell yet.
   */
  const answer = Effect.fnUntraced(
    function* (found: Kind.Versioned<Charge>, charge: Charge, scope: IdempotencyScope) {
      const key = yield* storage.idempotency(scope)
      if (key?.entity !== charge.id) return undefined
      if (key.snapshot !== null && storage.sync !== undefined) yield* storage.sync
      if (key.snapshot !== null) return ChargeKind.fromSnapshot(key.snapshot)
      yield* storage.commit({
        at: yield* time.now,
        updates: [Kind.update(ChargeKind, found, found.value)],
        ...completed([scope], charge.id, () => ChargeKind.snapshot(charge))
      })
      return charge
    },
    refusedFor("StaleVersion"),
    Effect.catchTag("StaleVersion", () => Effect.undefined)
  )

  return { begin, record, takeOver, answer }
})

/** From the intent of a charge to the PSP's answer. No transaction is open while the PSP is asked. */
export const makeIntents = Effect.gen(function* () {
  const time = yield* ServiceTime
  const { answer, begin, record, takeOver } = yield* makeCommits

  /** A client that goes away ends its request: whoever asks again then need not wait for this one. */
  const whileWaitedFor = <A, E, R>(
    asked: Effect.Effect<A, E, R>,
    intent: Kind.Versioned<Charge>
  ): Effect.Effect<A, E, R> => Effect.onInterrupt(asked, () => letOthersAsk(intent))

  const ask = Effect.fnUntraced(function* (intent: Kind.Versioned<Charge>, psp: PspShape) {
    const outcome = yield* asAsked(
      intent.value,
      callPsp("createCharge", psp.createCharge(pspRequest(intent.value)), intent.value.reference)
    )
    const charge = afterCreating(intent.value, outcome, yield* time.now)
    if (charge === undefined) {
      yield* Effect.logWarning("The PSP did not answer a new charge.").pipe(
        Effect.annotateLogs({ charge: intent.value.id, outcome: outcome._tag })
      )
      yield* letOthersAsk(intent)
      return yield* leftOpen(psp, outcome)
    }
    // The worker was faster: what it decided stands, and nobody was told of this charge.
    return yield* record(intent, charge).pipe(
      Effect.catchTag("StaleVersion", () => new PspUnavailable()),
      Effect.catchTag("StorageError", Effect.die)
    )
  }, whileWaitedFor)

  /** Where this fails, a repeat of the request waits until the time to ask is over. */
  const letOthersAsk = (intent: Kind.Versioned<Charge>) =>
    intent.value.askedUntil === undefined ? Effect.void : Effect.ignore(takeOver(intent, undefined))

  const resume = Effect.fnUntraced(function* (
    found: Kind.Versioned<Charge>,
    psp: PspShape,
    scope: IdempotencyScope
  ) {
    const charge = found.value
    if (wasRefused(charge)) return charge
    const isRegistered = charge.pspPaymentId !== undefined
    if (charge.status === "cancelled" && !isRegistered)
      return yield* new PspUnavailable({ isGivenUp: true })
    if (charge.status !== "creating")
      return yield* Effect.flatMap(asRegistered(charge, psp), (registered) =>
        answer(found, registered, scope)
      )
    const now = yield* time.now
    if (charge.askedUntil !== undefined && DateTime.isGreaterThan(charge.askedUntil, now)) return
    // The PSP may take it for another one by now. Its job asks for it, and gives it up.
    if (!isRepeatable(charge.createdAt, { capabilities: psp.capabilities, now }))
      return yield* new PspUnavailable()
    const taken = yield* takeOver(found, DateTime.addDuration(now, askMax)).pipe(
      Effect.catchTag("StaleVersion", () => Effect.undefined)
    )
    return taken === undefined ? undefined : yield* ask(taken, psp)
  })
  return { begin, ask, resume }
})

/** A code of another amount is never handed to a payer: what was asked for is then not known to be there. */
const asAsked = Effect.fnUntraced(function* <A extends PspCharge | undefined>(
  { amount, id, pspCredentialId: psp }: Charge,
  asking: Effect.Effect<PspOutcome<A>>
): Effect.fn.Return<PspOutcome<A>> {
  const outcome = yield* asking
  if (outcome._tag !== "Done" || outcome.value === undefined || outcome.value.amount === amount)
    return outcome
  yield* Effect.logError("A PSP opened a charge of another amount than it was asked for.").pipe(
    Effect.annotateLogs({ charge: id, psp })
  )
  return { _tag: "Unknown", detail: "a charge of another amount" }
})

/** A charge that was paid before its caller was told of it: the code is the PSP's, ours has forgotten it. */
const asRegistered = Effect.fnUntraced(function* (charge: Charge, psp: PspShape) {
  if (charge.pixCopyPaste !== undefined) return charge
  const known = yield* asAsked(
    charge,
    callPsp("findCharge", psp.findCharge(charge.reference), charge.reference)
  )
  if (known._tag !== "Done" || known.value === undefined) return yield* leftOpen(psp, known)
  const { pixCopyPaste, pspPaymentId } = known.value
  return new Charge({ ...charge, pixCopyPaste, pspPaymentId })
})

const scopesOf = ({ idempotencyKey: key, wallet }: Charge): ReadonlyArray<IdempotencyScope> =>
  key === undefined ? [] : [{ wallet, route: chargeRoute, key }]

/** The route that an Idempotency-Key of a charge is scoped to. */
const chargeRoute = "POST /pix"

const pspRequest = (charge: Charge): NewPspCharge => {
  const { document, name } = charge.customer ?? {}
  return {
    reference: charge.reference,
    amount: charge.amount,
    expiresInSeconds: secondsBetween(charge.createdAt, charge.expiresAt),
    ...present({ description: charge.description }),
    ...(document === undefined || name === undefined ? {} : { payer: { document, name } })
  }
}

const secondsBetween = (from: DateTime.Utc, to: DateTime.Utc): number =>
  (DateTime.toEpochMillis(to) - DateTime.toEpochMillis(from)) / 1_000
