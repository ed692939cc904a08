import { Context, Effect, Layer, Result, Schema } from "effect"
import { ChargeKind } from "../charges/Charge.ts"
import { withClaims } from "../charges/PayerClaims.ts"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import * as TxId from "../kernel/TxId.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { ReadableKind } from "../units/Kind.ts"
import * as Kind from "../units/Kind.ts"
import type { NotificationRefused, PspNotice, PspShape, RawNotification } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Queue } from "../units/Unit.ts"
import type { ForeignNotice } from "../psp-reports/PspReport.ts"
import { isName, namedBy } from "../psp-reports/PspReport.ts"
import { PspReports } from "../psp-reports/PspReports.ts"
import { ReturnKind } from "../returns/Return.ts"
import { payoutGroup } from "../withdrawals/PayoutPsps.ts"
import type { Withdrawal } from "../withdrawals/Withdrawal.ts"
import { payoutKey } from "../withdrawals/PayoutNames.ts"
import { WithdrawalKind } from "../withdrawals/Withdrawal.ts"
import { pspNotifications } from "../telemetry/Metrics.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

/** No PSP is configured under this id. */
export class UnknownPsp extends Schema.TaggedError<UnknownPsp>()("UnknownPsp", {
  id: Schema.String
}) {}

type Named = Pick<Withdrawal, "account" | "pspCredentialId"> & { readonly id: Uuid }

/** Whose reference a notice carries, and the line in which the question to the PSP stands. */
interface Question {
  readonly kind: ReadableKind<Named>
  readonly queue: Queue
  /** Whose work it is there: its account's, unless told by its own PSP, which need not be the one that names it. */
  readonly group?: (named: Named, psp: PspShape | undefined) => Uuid
}

/** A notice that names what it is about by our reference. */
type ReferenceNotice = Extract<PspNotice, { readonly reference: string }>

/** What we ask about, by our reference. */
const questions: { readonly [Tag in ReferenceNotice["_tag"]]: Question } = {
  Charge: { kind: ChargeKind, queue: "inbox" },
  Payout: { kind: WithdrawalKind, queue: "payout", group: payoutGroup },
  Refund: { kind: ReturnKind, queue: "return" }
}

const tags = ["Charge", "Payout", "Refund"] as const

type ChargeNotice = Extract<PspNotice, { readonly _tag: "Charge" }>
const isOfCharge = (notice: PspNotice): notice is ChargeNotice => notice._tag === "Charge"

const isOurs = (notice: PspNotice): notice is ReferenceNotice => "reference" in notice

type PspNamedNotice = Extract<PspNotice, { readonly _tag: "PspPayout" }>

/** A payout that is named by the PSP's own id alone. */
const isPspNamed = (notice: PspNotice): notice is PspNamedNotice =>
  notice._tag === "PspPayout" && isName(notice.pspReference)

/** What is named by an id of the PSP. What cannot be such an id is nobody's. */
const isForeign = (notice: PspNotice): notice is ForeignNotice =>
  (notice._tag === "Payment" || notice._tag === "Infraction") && isName(namedBy(notice).name)

/**
 * Takes what PSPs send. A notification is stored as the question it raises, "look at this charge" (or payout, or return), and
 * answered; who paid what is learnt from the PSP itself afterwards. Duplicates raise the same question again.
 */
export class PspInbox extends Context.Service<
  PspInbox,
  {
    /** Answers after the notification is durable. */
    readonly receive: (
      psp: PspCredentialId,
      notification: RawNotification
    ) => Effect.Effect<void, UnknownPsp | NotificationRefused | StorageError>
  }
>()("@pagora/core/psp-inbox/PspInbox") {
  static readonly layer: Layer.Layer<
    PspInbox,
    never,
    Storage | PspDirectory | PspReports | ServiceTime
  > = Layer.effect(
    PspInbox,
    Effect.gen(function* () {
      const directory = yield* PspDirectory
      const reports = yield* PspReports
      const keepClaims = yield* makeKeepClaims
      const { ask, askNamed } = yield* makeAsking

      const receive = spannedFn("PspInbox.receive")(function* (
        psp: PspCredentialId,
        notification: RawNotification
      ) {
        const shape = directory.find(psp)
        if (shape === undefined) return yield* new UnknownPsp({ id: psp })
        const notices = yield* Effect.tapError(shape.readNotification(notification), (refused) =>
          pspNotifications.record(1, refused.reason)
        )
        yield* pspNotifications.record(1, "taken")
        let unknown = notices.length
        const ours = notices.filter(isOurs)
        // Where payments tell who paid, nobody has to claim it.
        if (!shape.capabilities.knowsPayer && shape.confirmPayer !== undefined)
          yield* Effect.forEach(ours.filter(isOfCharge), keepClaims, { concurrency: "unbounded" })
        for (const tag of tags) {
          unknown -= yield* ask(
            questions[tag],
            ours.filter(({ _tag }) => _tag === tag)
          )
        }
        unknown -= yield* askNamed(psp, notices.filter(isPspNamed))
        const foreign = notices.filter(isForeign)
        yield* Effect.forEach(foreign, (notice) => reports.take(psp, notice), {
          concurrency: "unbounded"
        })
        unknown -= foreign.length
        if (unknown > 0) {
          yield* Effect.logWarning("A PSP notified what is not ours.").pipe(
            Effect.annotateLogs({ psp, unknown })
          )
        }
      })
      return PspInbox.of({ receive })
    })
  )
}

/** Keeps who is claimed to have paid a charge, before it is asked about. */
const makeKeepClaims = Effect.gen(function* () {
  const storage = yield* Storage
  const time = yield* ServiceTime

  return Effect.fnUntraced(function* ({ payers = [], reference }: ChargeNotice) {
    const id = Result.flatMap(TxId.parse(reference), TxId.toUuid)
    if (payers.length === 0 || Result.isFailure(id)) return
    const charge = yield* storage.find(ChargeKind, id.success)
    const next = charge && withClaims(charge.value, payers)
    if (charge === undefined || next === undefined || next === charge.value) return
    yield* storage
      .commit({
        at: yield* time.now,
        updates: [Kind.update(ChargeKind, charge, next)]
      })
      .pipe(refusedFor("StaleVersion"))
  }, decideAgain)
})

/** Puts what notices name in line, and answers how much of it is ours. */
const makeAsking = Effect.gen(function* () {
  const directory = yield* PspDirectory
  const storage = yield* Storage
  const time = yield* ServiceTime

  const askAbout = Effect.fnUntraced(function* (
    { group, kind, queue }: Question,
    asked: ReadonlyArray<Uuid>
  ) {
    if (asked.length === 0) return 0
    const owned = yield* storage.findMany(kind, asked)
    const schedule = Effect.fnUntraced(function* (id: Uuid, of: Uuid) {
      const now = yield* time.now
      yield* storage
        .commit({
          at: now,
          jobs: [{ _tag: "Schedule", queue, id, group: of, due: now }]
        })
        .pipe(refusedFor())
    })
    yield* Effect.forEach(
      owned,
      ({ value }) =>
        schedule(value.id, group?.(value, directory.find(value.pspCredentialId)) ?? value.account),
      { concurrency: "unbounded" }
    )
    return owned.length
  })

  const ask = Effect.fnUntraced(function* (
    question: Question,
    notices: ReadonlyArray<ReferenceNotice>
  ) {
    const asked = notices.flatMap(({ reference }) => {
      const id = Result.flatMap(TxId.parse(reference), TxId.toUuid)
      return Result.isSuccess(id) ? [id.success] : []
    })
    return yield* askAbout(question, asked)
  })

  /** Payouts by the PSP's own id of them, which is kept from when it first told it. */
  const askNamed = Effect.fnUntraced(function* (
    credential: PspCredentialId,
    notices: ReadonlyArray<PspNamedNotice>
  ) {
    const holders = yield* Effect.forEach(
      notices,
      ({ pspReference }) =>
        storage.resolve({ _tag: "Key", ...payoutKey(credential, pspReference) }),
      { concurrency: "unbounded" }
    )
    return yield* askAbout(
      questions.Payout,
      holders.flatMap((holder) => holder ?? [])
    )
  })
  return { ask, askNamed }
})
