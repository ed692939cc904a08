import type { Scope } from "effect"
import { Effect, Fiber, Option, Random } from "effect"
import type { Centavos } from "../kernel/Money.ts"
import type { RawNotification } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import { misquote } from "./SandboxFault.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"
import type { SandboxSignatures } from "./SandboxSignatures.ts"
import { safeDefect } from "../telemetry/SafeCause.ts"

/** Takes a notification; true once it is stored, as the answer 200 would say. */
export type Receive = (notification: RawNotification) => Effect.Effect<boolean>

/** One thing to tell of. */
export interface SandboxNotice {
  readonly amount: Centavos
  /** The body, with this amount. */
  readonly write: (amount: Centavos) => string
  /** Writes down that it was accepted. */
  readonly accepted: Effect.Effect<unknown, StorageError>
}

/** Sends each notice of a book that was not accepted yet. */
export type UntoldNotices = (
  send: (notices: ReadonlyArray<SandboxNotice>) => Effect.Effect<void>
) => Effect.Effect<void, StorageError>

/** How the simulated PSP tells of what happened: of each thing at least once, until it is accepted. */
export interface SandboxNotices {
  /** From now on notices go here, and those that were not accepted yet are sent again. */
  readonly attach: (receive: Receive) => Effect.Effect<void, StorageError>
  /** Sends every notice again that was not accepted yet. */
  readonly resend: Effect.Effect<void, StorageError>
  /** Sends these notices. What goes wrong is left to `resend`. */
  readonly notify: (notices: ReadonlyArray<SandboxNotice>) => Effect.Effect<void>
}

export const makeNotices = Effect.fnUntraced(function* (options: {
  readonly untold: ReadonlyArray<UntoldNotices>
  readonly faults: SandboxFaults
  readonly signatures: SandboxSignatures
}): Effect.fn.Return<SandboxNotices, never, Scope.Scope> {
  const { faults, signatures, untold } = options
  const scope = yield* Effect.scope
  const courier = makeCourier(faults, scope)
  let receiver: Receive | undefined

  const tell = Effect.fnUntraced(function* ({ accepted, amount, write }: SandboxNotice) {
    if (receiver === undefined) return
    if ((yield* faults.strike("notify", "dropRequest")) !== undefined) return
    if ((yield* faults.strike("notify", "forget")) !== undefined)
      return yield* Effect.ignore(accepted)
    const isLie = (yield* faults.strike("notify", "lie")) !== undefined
    const notification = yield* signatures.sign(write(isLie ? misquote(amount) : amount))
    // A notice that is not marked is merely sent once more: trouble with the books is no reason to fail.
    yield* courier.carry(notification, receiver, Effect.ignore(accepted))
  })

  const send = (notices: ReadonlyArray<SandboxNotice>) =>
    Effect.forEach(notices, tell, { discard: true })

  const resend = Effect.forEach(untold, (each) => each(send), { discard: true })

  return {
    resend,
    attach: (receive) =>
      Effect.suspend(() => {
        receiver = receive
        return resend
      }),
    notify: (notices) =>
      send(notices).pipe(
        // A payer who goes away does not stop the bank.
        Effect.forkIn(scope),
        Effect.flatMap(Fiber.await),
        Effect.asVoid
      )
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
      Effect.as(Effect.logError("The receiver of a notification died", safeDefect(defect)), false)
    )
  )
