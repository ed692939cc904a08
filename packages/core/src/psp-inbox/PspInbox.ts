import { Context, Effect, Layer, Result, Schema } from "effect"
import { ChargeKind } from "../charges/Charge.ts"
import type { AccountId, PspCredentialId, Uuid } from "../kernel/Ids.ts"
import * as TxId from "../kernel/TxId.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import type { ReadableKind } from "../units/Kind.ts"
import type { NotificationRefused, PspNotice, RawNotification } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Queue } from "../units/Unit.ts"
import { ReturnKind } from "../returns/Return.ts"
import { WithdrawalKind } from "../withdrawals/Withdrawal.ts"
import { pspNotifications } from "../telemetry/Metrics.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

/** No PSP is configured under this id. */
export class UnknownPsp extends Schema.TaggedError<UnknownPsp>()("UnknownPsp", {
  id: Schema.String
}) {}

/** Whose reference a notice carries, and the line in which the question to the PSP stands. */
interface Question {
  readonly kind: ReadableKind<{ readonly id: Uuid; readonly account: AccountId }>
  readonly queue: Queue
}

/** The notices that we ask about. */
const questions: { readonly [Tag in PspNotice["_tag"]]?: Question } = {
  Charge: { kind: ChargeKind, queue: "inbox" },
  Payout: { kind: WithdrawalKind, queue: "payout" },
  Refund: { kind: ReturnKind, queue: "return" }
}

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
  static readonly layer: Layer.Layer<PspInbox, never, Storage | PspDirectory | ServiceTime> =
    Layer.effect(
      PspInbox,
      Effect.gen(function* () {
        const storage = yield* Storage
        const directory = yield* PspDirectory
        const time = yield* ServiceTime

        /** Puts our own in line, and answers how many those were. */
        const ask = Effect.fnUntraced(function* (
          { kind, queue }: Question,
          notices: ReadonlyArray<PspNotice>
        ) {
          const asked = notices.flatMap(({ reference }) => {
            const id = Result.flatMap(TxId.parse(reference), TxId.toUuid)
            return Result.isSuccess(id) ? [id.success] : []
          })
          if (asked.length === 0) return 0
          const owned = yield* storage.findMany(kind, asked)
          const schedule = Effect.fnUntraced(function* (id: Uuid, group: AccountId) {
            const now = yield* time.now
            yield* storage
              .commit({
                at: now,
                jobs: [{ _tag: "Schedule", queue, id, group, due: now }]
              })
              .pipe(refusedFor())
          })
          yield* Effect.forEach(owned, ({ value }) => schedule(value.id, value.account), {
            concurrency: "unbounded"
          })
          return owned.length
        })

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
          for (const [tag, question] of Object.entries(questions)) {
            unknown -= yield* ask(
              question,
              notices.filter(({ _tag }) => _tag === tag)
            )
          }
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
