import { Effect, Result } from "effect"
import type { Charge } from "../charges/Charge.ts"
import { ChargeKind, Deposit, DepositKind } from "../charges/Charge.ts"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import * as TxId from "../kernel/TxId.ts"
import type { PspReceived } from "../ports/Psp.ts"
import { ReturnKind } from "../returns/Return.ts"
import type { Storage } from "../storage/Storage.ts"
import type { ReadableKind } from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { PspReport } from "./PspReport.ts"
import type { Receiver } from "./PspReturn.ts"
import { pspReturnKey } from "./PspReturn.ts"
import type { Known } from "./ReportVerdict.ts"

/** What is known here of what PSPs name. */
export interface ReportReads {
  /** Whom a payment was booked for, by its end-to-end id, at whichever PSP. */
  readonly receiverOf: (endToEndId: string) => Effect.Effect<Receiver | undefined, StorageError>
  /** References of the returns of a payment that are ours, or that were booked before. */
  readonly returnsOf: (
    psp: PspCredentialId,
    payment: PspReceived
  ) => Effect.Effect<ReadonlySet<string>, StorageError>
  readonly knownOf: (report: PspReport, payment: PspReceived) => Effect.Effect<Known, StorageError>
}

const bookedKinds: ReadonlyArray<ReadableKind<Charge | Deposit>> = [ChargeKind, DepositKind]

/** The id that a reference of ours stands for. */
const idOf = (reference: string): Uuid | undefined =>
  Result.getOrUndefined(Result.flatMap(TxId.parse(reference), TxId.toUuid))

export const makeReads = (storage: Storage["Service"]): ReportReads => {
  const receiverOf = Effect.fnUntraced(function* (endToEndId: string) {
    const found = yield* storage.look(bookedKinds, { _tag: "Key", space: "e2e", key: endToEndId })
    const booked = found?.entity?.value
    if (booked === undefined) return undefined
    const { account, amount, id: source, pspCredentialId, subAccount, wallet } = booked
    return {
      account,
      wallet,
      amount,
      source,
      pspCredentialId,
      endToEndId,
      sourceType: booked instanceof Deposit ? ("deposit" as const) : ("charge" as const),
      ...present({ subAccount })
    }
  })

  const returnsOf = Effect.fnUntraced(function* (
    pspCredentialId: PspCredentialId,
    { endToEndId, returns }: PspReceived
  ) {
    const ids = returns.flatMap(({ reference }) => idOf(reference) ?? [])
    const ours = ids.length === 0 ? [] : yield* storage.findMany(ReturnKind, ids)
    const known = new Set<string>(
      ours
        .filter(({ value }) => value.endToEndId === endToEndId)
        .map(({ value }) => value.reference)
    )
    for (const { reference } of returns) {
      if (known.has(reference)) continue
      const key = pspReturnKey({ pspCredentialId, endToEndId, reference })
      const holder = yield* storage.resolve({ _tag: "Key", ...key })
      if (holder !== undefined) known.add(reference)
    }
    return known
  })

  const chargeNamed = Effect.fnUntraced(function* (
    { pspCredentialId }: PspReport,
    { reference }: PspReceived
  ) {
    const id = reference === undefined ? undefined : idOf(reference)
    const found = id === undefined ? undefined : yield* storage.find(ChargeKind, id)
    return found?.value.pspCredentialId === pspCredentialId ? found.value : undefined
  })

  return {
    receiverOf,
    returnsOf,
    knownOf: Effect.fnUntraced(function* (report: PspReport, payment: PspReceived) {
      const booked = yield* receiverOf(payment.endToEndId)
      // What another PSP has received, this one can neither have nor give back.
      if (booked !== undefined && booked.pspCredentialId !== report.pspCredentialId)
        return { booked, returns: new Set(payment.returns.map(({ reference }) => reference)) }
      const charge = booked === undefined ? yield* chargeNamed(report, payment) : undefined
      return {
        returns: yield* returnsOf(report.pspCredentialId, payment),
        ...present({ booked, charge: charge && { id: charge.id, account: charge.account } })
      }
    })
  }
}
