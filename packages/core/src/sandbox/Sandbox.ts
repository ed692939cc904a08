import { Context, Duration, Effect, Layer, Schedule, Schema } from "effect"
import type { Charge } from "../charges/Charge.ts"
import { ChargeKind, isBooked } from "../charges/Charge.ts"
import { Charges } from "../charges/Charges.ts"
import { ChargeWorker } from "../charges/ChargeWorker.ts"
import type { ChargeId, Uuid } from "../kernel/Ids.ts"
import type { PspPayment } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"
import type { PayoutWorker } from "../withdrawals/PayoutWorker.ts"
import type { Withdrawals } from "../withdrawals/Withdrawals.ts"
import { ServiceClock } from "../workers/ServiceClock.ts"
import { Workers } from "../workers/Workers.ts"
import type { SandboxFault } from "../sandbox-psp/SandboxFault.ts"
import type {
  SandboxPaymentOptions,
  SandboxPaymentRefused
} from "../sandbox-psp/SandboxPayments.ts"
import { SandboxPsp } from "../sandbox-psp/SandboxPsp.ts"
import type { SandboxWithdrawals } from "./SandboxWithdrawals.ts"
import { makeWithdrawalControls } from "./SandboxWithdrawals.ts"

export class SandboxNoCharge extends Schema.TaggedError<SandboxNoCharge>()("SandboxNoCharge", {
  id: Schema.String
}) {}

/** How often work that brings new work due is worked off before a call answers all the same. */
const roundsMax = 1_000
/** How long a payment may take to show in the service, when the simulated PSP tells it without faults. */
const toldWithin = Duration.seconds(5)
const poll = Schedule.spaced("10 millis")

/** What a person at the controls of the simulated world can do. */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** Answers once the service has booked what was paid, unless faults keep it from learning of it. */
    readonly pay: (
      id: Uuid,
      options: SandboxPaymentOptions
    ) => Effect.Effect<
      ReadonlyArray<PspPayment>,
      SandboxNoCharge | SandboxPaymentRefused | StorageError
    >
    /** Ends a charge's time now, at the PSP and here, and expires it. */
    readonly expire: (id: Uuid) => Effect.Effect<Charge, SandboxNoCharge | StorageError>
    /** Ends a withdrawal: see `SandboxWithdrawals`. */
    readonly settleWithdrawal: SandboxWithdrawals["settle"]
    /** Moves business time on; what became due, here and at the PSP, has been worked off when it answers. */
    readonly advance: (by: Duration.Duration) => Effect.Effect<void, StorageError>
  }
>()("@pagora/core/sandbox/Sandbox") {
  static readonly layer: Layer.Layer<
    Sandbox,
    never,
    | Storage
    | SandboxPsp
    | Charges
    | ChargeWorker
    | Withdrawals
    | PayoutWorker
    | Workers
    | ServiceClock
  > = Layer.effect(
    Sandbox,
    Effect.gen(function* () {
      const storage = yield* Storage
      const psp = yield* SandboxPsp
      const charges = yield* Charges
      const charging = yield* ChargeWorker
      const workers = yield* Workers
      const clock = yield* ServiceClock

      const chargeOf = Effect.fnUntraced(function* (id: Uuid) {
        const charge = yield* storage.find(ChargeKind, id)
        return charge === undefined ? yield* new SandboxNoCharge({ id }) : charge.value
      })

      const areBooked = (id: Uuid, payments: ReadonlyArray<PspPayment>) =>
        Effect.map(chargeOf(id), (charge) =>
          payments.every(({ endToEndId }) => isBooked(charge, endToEndId))
        )

      /**
       * Waits for what a worker of another process may be doing, unless faults can keep it from being done; `before` is
       * what was in force when it began.
       */
      const unlessFaulty = Effect.fnUntraced(function* <E>(
        isDone: Effect.Effect<boolean, E>,
        before: ReadonlyArray<SandboxFault>
      ) {
        const faults = [...before.filter(({ kind }) => kind === "forget"), ...(yield* psp.faults)]
        if (faults.some((fault) => fault.times !== 0)) return
        yield* isDone.pipe(
          Effect.repeat({ until: (done) => done, schedule: poll }),
          Effect.timeoutOption(toldWithin)
        )
      })

      const pay = Effect.fn("Sandbox.pay")(function* (id: Uuid, options: SandboxPaymentOptions) {
        const charge = yield* chargeOf(id)
        const before = yield* psp.faults
        const payments = yield* psp
          .pay(charge.reference, options)
          .pipe(Effect.catchTag("SandboxChargeNotFound", () => new SandboxNoCharge({ id })))
        yield* charging.drain
        yield* unlessFaulty(areBooked(id, payments), before)
        return payments
      })

      const expire = Effect.fn("Sandbox.expire")(function* (id: Uuid) {
        const charge = yield* chargeOf(id)
        yield* psp
          .expire(charge.reference)
          .pipe(Effect.catchTag("SandboxChargeNotFound", () => new SandboxNoCharge({ id })))
        yield* charges.endNow(id as ChargeId)
        yield* charging.drain
        const isOver = Effect.map(chargeOf(id), ({ status }) => status !== "pending")
        yield* unlessFaulty(isOver, [])
        return yield* chargeOf(id)
      })

      const settleDown = Effect.gen(function* () {
        for (let round = 0; round < roundsMax; round++) {
          const settled = yield* psp.settleDue
          const worked = yield* workers.drain
          if (settled + worked === 0) return
        }
      })

      const advance = Effect.fn("Sandbox.advance")(function* (by: Duration.Duration) {
        // What is being asked now is answered at its own time: a PSP with a clock of its own would refuse it as late (decision 0109).
        yield* workers.drain
        yield* clock.advance(by)
        yield* psp.resend
        yield* settleDown
      })
      const { settle } = yield* makeWithdrawalControls(unlessFaulty)
      return Sandbox.of({ pay, expire, settleWithdrawal: settle, advance })
    })
  )
}
