import { Context, Effect, Layer, Schema } from "effect"
import type { ReturnId, UnitId, Uuid } from "../kernel/Ids.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import { Ids } from "../time/Ids.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Return } from "../returns/Return.ts"
import { isOver, ReturnKind } from "../returns/Return.ts"
import { ReturnWorker } from "../returns/ReturnWorker.ts"
import { SandboxPsp } from "../sandbox-psp/SandboxPsp.ts"
import type { SandboxRefundOutcome } from "../sandbox-psp/SandboxRefund.ts"
import { SandboxCannotSettle } from "../sandbox-psp/SandboxSettler.ts"

export class SandboxNoRefund extends Schema.TaggedError<SandboxNoRefund>()("SandboxNoRefund", {
  id: Schema.String
}) {}

/** How often a PSP that faults keep from answering is turned to before a call answers all the same. */
const roundsMax = 32

/** Ends refunds as a person at the controls of the simulated world wants it. */
export class SandboxRefundControls extends Context.Service<
  SandboxRefundControls,
  {
    /** A PSP call still pending is made first; answers the refund after its outcome was committed. */
    readonly settle: (
      id: Uuid,
      outcome: SandboxRefundOutcome
    ) => Effect.Effect<Return, SandboxNoRefund | SandboxCannotSettle | StorageError>
  }
>()("@pagora/core/sandbox/SandboxRefundControls") {
  static readonly layer: Layer.Layer<
    SandboxRefundControls,
    never,
    Storage | SandboxPsp | ReturnWorker | Ids | ServiceTime
  > = Layer.effect(
    SandboxRefundControls,
    Effect.gen(function* () {
      const storage = yield* Storage
      const psp = yield* SandboxPsp
      const worker = yield* ReturnWorker
      const ids = yield* Ids
      const time = yield* ServiceTime

      const refundOf = Effect.fnUntraced(function* (id: Uuid) {
        const found = yield* storage.find(ReturnKind, id as ReturnId)
        return found?.value.purpose === "refund" ? found.value : yield* new SandboxNoRefund({ id })
      })

      /** Looks after it at once, whenever its next turn is, until it is as wanted. */
      const workUntil = Effect.fnUntraced(function* (
        id: Uuid,
        isWanted: (refund: Return) => boolean
      ) {
        for (let round = 0; round < roundsMax; round++) {
          const refund = yield* refundOf(id)
          if (isWanted(refund)) return refund
          const at = yield* time.now
          yield* storage
            .commit({
              id: yield* ids.next<UnitId>(),
              at,
              jobs: [{ _tag: "Schedule", queue: "return", id, group: refund.account, due: at }]
            })
            .pipe(refusedFor())
          yield* worker.drain
        }
        return yield* refundOf(id)
      })

      const settle = Effect.fn("SandboxRefundControls.settle")(function* (
        id: Uuid,
        outcome: SandboxRefundOutcome
      ) {
        const { reference, status } = yield* workUntil(
          id,
          (refund) => refund.status !== "requested"
        )
        yield* psp
          .settleRefund(reference, outcome)
          .pipe(
            Effect.catchTag("SandboxRefundNotFound", () =>
              status === "failed" && outcome === "error"
                ? Effect.void
                : new SandboxCannotSettle({ what: "refund", status, outcome })
            )
          )
        return yield* workUntil(id, isOver)
      })
      return SandboxRefundControls.of({ settle })
    })
  )
}
