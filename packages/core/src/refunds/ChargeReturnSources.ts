import { Effect, Layer } from "effect"
import { Charge, ChargeKind, Deposit, DepositKind } from "../charges/Charge.ts"
import { afterPart } from "../charges/ChargeRefunds.ts"
import type { Environment } from "../ports/Psp.ts"
import type { Return } from "../returns/Return.ts"
import type { EndNoted } from "../returns/ReturnSources.ts"
import { ReturnSources } from "../returns/ReturnSources.ts"
import { findNamed } from "../storage/FindNamed.ts"
import { Storage } from "../storage/Storage.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Unit } from "../units/Unit.ts"
import { publish } from "../webhooks/Publisher.ts"
import { refundCompleted } from "./RefundEvents.ts"

/** What follows a return: the charge or the deposit whose money it brings back, and the event of a refund. */
export const chargeReturnSources: Layer.Layer<ReturnSources, never, Storage | Ids> = Layer.effect(
  ReturnSources,
  Effect.gen(function* () {
    const storage = yield* Storage
    const ids = yield* Ids
    return ReturnSources.of({
      pointTo: (next) => pointersTo(storage, next),
      noteEnd: (before, ended) => endNoted(storage, before, ended),
      report: reporter(storage, ids)
    })
  })
)

/** What shows a deposit's way back to its account now shows the new return. */
const pointersTo = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  { id, purpose, source }: Return
): Effect.fn.Return<NonNullable<Unit["updates"]>, StorageError> {
  if (purpose !== "deposit") return []
  const deposit = yield* storage.find(DepositKind, source)
  if (deposit !== undefined) {
    const next = new Deposit({ ...deposit.value, returning: id })
    return [Kind.update(DepositKind, deposit, next)]
  }
  const charge = yield* findNamed(storage, ChargeKind, source)
  return [Kind.update(ChargeKind, charge, new Charge({ ...charge.value, returning: id }))]
})

/** A refund that the PSP has done counts as before: its charge is not even read. */
const endNoted = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  before: Return,
  ended: Return
): Effect.fn.Return<EndNoted, StorageError> {
  const { purpose, resolution, source, status } = ended
  if (purpose !== "refund" || (status !== "failed" && resolution === undefined)) return {}
  const charge = yield* findNamed(storage, ChargeKind, source)
  const next = afterPart(charge.value, before, ended)
  return next === charge.value
    ? { expects: [Kind.expectation(ChargeKind, charge)] }
    : { updates: [Kind.update(ChargeKind, charge, next)] }
})

/** What tells the merchant of a refund. */
const reporter = (storage: Storage["Service"], ids: Ids["Service"]) =>
  Effect.fnUntraced(function* (refund: Return, environment: Environment) {
    const charge = yield* findNamed(storage, ChargeKind, refund.source)
    const { events } = yield* publish(ids, {
      account: refund.account,
      event: refundCompleted(refund, charge.value, environment),
      at: refund.updatedAt
    })
    return events
  })
