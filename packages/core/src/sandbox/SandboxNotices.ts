import type { Scope } from "effect"
import { Effect, Fiber, Option, Random } from "effect"
import type { Versioned } from "../ports/Kind.ts"
import type { RawNotification } from "../ports/Psp.ts"
import type { StorageError } from "../ports/Refused.ts"
import type { SandboxCharge, SandboxPayment } from "./SandboxCharge.ts"
import { told } from "./SandboxCharge.ts"
import type { SandboxCharges } from "./SandboxCharges.ts"
import { pageMax } from "./SandboxCharges.ts"
import { misquote } from "./SandboxFault.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"
import { write } from "./SandboxNotification.ts"
import type { SandboxSignatures } from "./SandboxSignatures.ts"

/** Takes a notification; true once it is stored, as the answer 200 would say. */
export type Receive = (notification: RawNotification) => Effect.Effect<boolean>

/** How the simulated PSP tells of payments: of each at least once, until it is accepted. */
export interface SandboxNotices {
  /** From now on notices go here, and those that were not accepted yet are sent again. */
  readonly attach: (receive: Receive) => Effect.Effect<void, StorageError>
  /** Sends every notice again that was not accepted yet. */
  readonly resend: Effect.Effect<void, StorageError>
  /** Sends the notices of these payments of a charge. What goes wrong is left to `resend`. */
  readonly notify: (
    charge: Versioned<SandboxCharge>,
    payments: ReadonlyArray<SandboxPayment>
  ) => Effect.Effect<void>
}

export const makeNotices = Effect.fnUntraced(function* (options: {
  readonly charges: SandboxCharges
  readonly faults: SandboxFaults
  readonly signatures: SandboxSignatures
}): Effect.fn.Return<SandboxNotices, never, Scope.Scope> {
  const { charges, faults, signatures } = options
  const scope = yield* Effect.scope
  const courier = makeCourier(faults, scope)
  let receiver: Receive | undefined

  const tell = Effect.fnUntraced(function* (
    reference: string,
    payment: SandboxPayment,
    known?: Versioned<SandboxCharge>
  ) {
    if (receiver === undefined) return
    if ((yield* faults.strike("notify", "dropRequest")) !== undefined) return
    const isLie = (yield* faults.strike("notify", "lie")) !== undefined
    const claim = isLie ? { ...payment, amount: misquote(payment.amount) } : payment
    const notification = yield* signatures.sign(write(reference, claim))
    const accepted = charges.change(
      reference,
      (charge) => Effect.succeed({ charge: told(charge, payment.endToEndId) }),
      known
    )
    // A notice that is not marked is merely sent once more: trouble with the books is no reason to fail.
    yield* courier.carry(notification, receiver, Effect.ignore(accepted))
  })

  const resend = Effect.gen(function* () {
    let page: ReadonlyArray<Versioned<SandboxCharge>>
    let after: SandboxCharge["id"] | undefined
    do {
      page = yield* charges.untold(after)
      after = page.at(-1)?.value.id
      for (const { value } of page) {
        const waiting = value.payments.filter((payment) => !payment.isTold)
        yield* Effect.forEach(waiting, (payment) => tell(value.reference, payment), {
          discard: true
        })
      }
    } while (page.length === pageMax)
  })

  return {
    resend,
    attach: (receive) =>
      Effect.suspend(() => {
        receiver = receive
        return resend
      }),
    notify: (charge, payments) => {
      // Each mark changes the charge, so what is known of it serves one payment only.
      const known = payments.length === 1 ? charge : undefined
      return Effect.forEach(payments, (payment) =>
        tell(charge.value.reference, payment, known)
      ).pipe(
        // A payer who goes away does not stop the bank.
        Effect.forkIn(scope),
        Effect.flatMap(Fiber.await),
        Effect.asVoid
      )
    }
  }
})

/**
 * Carries notifications by the detours that the faults prescribe. Those that wait do so in the scope; when it
 * closes they are gone, unaccepted.
 */
const makeCourier = (faults: SandboxFaults, scope: Scope.Scope) => {
  /** Held back until a later one has gone. */
  const held = new Set<Effect.Effect<void>>()

  const releaseHeld = Effect.suspend(() => {
    const deliveries = [...held]
    held.clear()
    return Effect.all(deliveries, { discard: true })
  })

  const deliver = Effect.fnUntraced(function* (
    send: Effect.Effect<boolean>,
    accepted: Effect.Effect<void>
  ) {
    const isRepeated = (yield* faults.strike("notify", "duplicate")) !== undefined
    const answers = yield* Effect.replicateEffect(
      send,
      isRepeated ? yield* Random.nextIntBetween(2, 3) : 1
    )
    if (answers.includes(true)) {
      const lost = yield* faults.strike("notify", "dropAnswer", "errorAfterDoing")
      if (lost === undefined) yield* accepted
    }
    yield* releaseHeld
  })

  /** Ends when the notification was sent, or as soon as it has to wait. */
  const carry = Effect.fnUntraced(function* (
    notification: RawNotification,
    receive: Receive,
    accepted: Effect.Effect<void>
  ) {
    const delivery = deliver(answerOf(receive, notification), accepted)
    // While one is held, the next is the later one that it waits for.
    const reorder = held.size === 0 ? yield* faults.strike("notify", "reorder") : undefined
    if (reorder !== undefined) {
      held.add(delivery)
      const anyway = Effect.suspend(() => (held.delete(delivery) ? delivery : Effect.void))
      yield* Effect.forkIn(Effect.delay(anyway, `${reorder.delaySeconds ?? 5} seconds`), scope)
      return
    }
    const delay = yield* faults.strike("notify", "delay")
    if (delay === undefined) return yield* delivery
    yield* Effect.forkIn(Effect.delay(delivery, `${delay.delaySeconds ?? 1} seconds`), scope)
  })

  return { carry }
}

const answerOf = (receive: Receive, notification: RawNotification): Effect.Effect<boolean> =>
  receive(notification).pipe(
    Effect.timeoutOption("10 seconds"),
    Effect.map(Option.getOrElse(() => false)),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("The receiver of a notification died", defect), false)
    )
  )
