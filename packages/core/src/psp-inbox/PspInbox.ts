import { Context, Effect, Layer, Result, Schema } from "effect"
import { ChargeKind } from "../charges/Charge.ts"
import type { AccountId, ChargeId, PspCredentialId, UnitId } from "../kernel/Ids.ts"
import * as TxId from "../kernel/TxId.ts"
import { refusedFor } from "../ports/DecideAgain.ts"
import { Ids } from "../ports/Ids.ts"
import type { NotificationRefused, RawNotification } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"

/** No PSP is configured under this id. */
export class UnknownPsp extends Schema.TaggedError<UnknownPsp>()("UnknownPsp", {
  id: Schema.String
}) {}

/**
 * Takes what PSPs send. A notification is stored as the question it raises, "look at this charge", and
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
  static readonly layer: Layer.Layer<PspInbox, never, Storage | PspDirectory | Ids | ServiceTime> =
    Layer.effect(
      PspInbox,
      Effect.gen(function* () {
        const storage = yield* Storage
        const directory = yield* PspDirectory
        const ids = yield* Ids
        const time = yield* ServiceTime

        const ask = Effect.fnUntraced(function* (id: ChargeId, account: AccountId) {
          const now = yield* time.now
          yield* storage
            .commit({
              id: yield* ids.next<UnitId>(),
              at: now,
              jobs: [{ _tag: "Schedule", queue: "inbox", id, group: account, due: now }]
            })
            .pipe(refusedFor())
        })

        const receive = Effect.fn("PspInbox.receive")(function* (
          psp: PspCredentialId,
          notification: RawNotification
        ) {
          const shape = directory.find(psp)
          if (shape === undefined) return yield* new UnknownPsp({ id: psp })
          const notices = yield* shape.readNotification(notification)
          const asked = notices.flatMap((notice) => {
            const id = Result.flatMap(TxId.parse(notice.reference), TxId.toUuid)
            return Result.isSuccess(id) ? [id.success] : []
          })
          const charges = yield* storage.findMany(ChargeKind, asked)
          if (charges.length < notices.length) {
            yield* Effect.logWarning("A PSP notified charges that are not ours.").pipe(
              Effect.annotateLogs({ psp, unknown: notices.length - charges.length })
            )
          }
          yield* Effect.forEach(charges, ({ value }) => ask(value.id, value.account), {
            concurrency: "unbounded"
          })
        })
        return PspInbox.of({ receive })
      })
    )
}
