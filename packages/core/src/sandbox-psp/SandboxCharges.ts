import { Effect, Result, Schema } from "effect"
import * as EndToEndId from "../kernel/EndToEndId.ts"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Ids } from "../time/Ids.ts"
import type { Versioned } from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { SandboxBook } from "./SandboxBooks.ts"
import { forEachListed, makeBook } from "./SandboxBooks.ts"
import type { SandboxCharge, SandboxPayment } from "./SandboxCharge.ts"
import { SandboxChargeKind, told } from "./SandboxCharge.ts"
import { endToEndKey } from "./SandboxNetwork.ts"
import type { SandboxNotice, UntoldNotices } from "./SandboxNotices.ts"
import { writePayment } from "./SandboxNotification.ts"

/** The simulated PSP has no charge under this reference. */
export class SandboxChargeNotFound extends Schema.TaggedError<SandboxChargeNotFound>()(
  "SandboxChargeNotFound",
  { reference: Schema.String }
) {}

/** The charges of the simulated PSP, and whatever was paid for them. */
export interface SandboxCharges extends SandboxBook<SandboxCharge> {
  /** The charge that was paid by the payment of this end-to-end id. */
  readonly paidBy: (
    endToEndId: string
  ) => Effect.Effect<Versioned<SandboxCharge> | undefined, StorageError>
}

export const makeCharges = Effect.fnUntraced(function* (
  credential: PspCredentialId
): Effect.fn.Return<SandboxCharges, never, Storage | ServiceTime | Ids> {
  const storage = yield* Storage
  const book = yield* makeBook({ credential, kind: SandboxChargeKind, space: "sandbox_txid" })

  const paidBy: SandboxCharges["paidBy"] = Effect.fnUntraced(function* (endToEndId) {
    if (Result.isFailure(EndToEndId.parse(endToEndId))) return undefined
    const holder = yield* storage.resolve({ _tag: "Key", ...endToEndKey(endToEndId) })
    const found = holder === undefined ? undefined : yield* storage.find(SandboxChargeKind, holder)
    return found?.value.credential === credential ? found : undefined
  })
  return { ...book, paidBy }
})

/** The notices of these payments of a charge. `known` saves reading the charge again to mark one. */
export const noticesOf = (
  charges: SandboxCharges,
  { isDirect, reference }: Pick<SandboxCharge, "reference" | "isDirect">,
  payments: ReadonlyArray<SandboxPayment>,
  known?: Versioned<SandboxCharge>
): ReadonlyArray<SandboxNotice> =>
  payments.map((payment) => ({
    amount: payment.amount,
    write: (amount) =>
      writePayment(isDirect === true ? undefined : reference, { ...payment, amount }),
    accepted: charges.change(
      reference,
      (charge) => Effect.succeed({ entry: told(charge, payment.endToEndId) }),
      // Each mark changes the charge, so what is known of it serves one payment only.
      payments.length === 1 ? known : undefined
    )
  }))

/** Of every payment whose notice was not accepted yet. */
export const untoldOf =
  (charges: SandboxCharges): UntoldNotices =>
  (send) =>
    forEachListed(charges, "untold", (page) =>
      send(
        page.flatMap(({ value }) =>
          noticesOf(
            charges,
            value,
            value.payments.filter((payment) => !payment.isTold)
          )
        )
      )
    )
