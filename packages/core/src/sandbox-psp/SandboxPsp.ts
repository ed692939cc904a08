import type { Redacted } from "effect"
import { Context, Duration, Effect, Layer } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { bacenAmountMax } from "../kernel/Money.ts"
import { Ids } from "../time/Ids.ts"
import type { PspCharge, PspFinding, PspShape } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Secrets } from "../ports/Secrets.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Storage } from "../storage/Storage.ts"
import type { SandboxAccount } from "./SandboxAccount.ts"
import { balanceOf, makeAccount } from "./SandboxAccount.ts"
import { brCode, makeCalls } from "./SandboxCalls.ts"
import { expire, toPspCharge } from "./SandboxCharge.ts"
import type { SandboxBank } from "./SandboxBank.ts"
import { makeBank } from "./SandboxBank.ts"
import * as Charges from "./SandboxCharges.ts"
import { SandboxChargeNotFound } from "./SandboxCharges.ts"
import type { SandboxFault } from "./SandboxFault.ts"
import { makeFaults } from "./SandboxFaults.ts"
import * as Infractions from "./SandboxInfractions.ts"
import type { Receive } from "./SandboxNotices.ts"
import { makeNotices } from "./SandboxNotices.ts"
import * as Payouts from "./SandboxPayouts.ts"
import { makeReceiptCalls } from "./SandboxReceipts.ts"
import * as Refunds from "./SandboxRefunds.ts"
import type { SandboxSettler } from "./SandboxSettler.ts"
import { makeSettler } from "./SandboxSettler.ts"
import { makeSignatures } from "./SandboxSignatures.ts"

export interface SandboxPspOptions {
  readonly credential: PspCredentialId
  /** Signs the notifications; one for all processes that share the storage. */
  readonly secret: Redacted.Redacted
  /** Who receives the money, as payers see it: a name of 1 to 25 letters, a city of 1 to 15. */
  readonly merchantName?: string
  readonly merchantCity?: string
  /**
   * How long payouts and returns are under way before they end well by themselves, where somebody calls `settleDue`
   * (`SandboxDirectory.settling` does). `manual`, which is the default: only hands end them. Returns whose purpose is
   * `automatic` end by themselves in any case, after a second.
   */
  readonly settleAfter?: Duration.Input | "manual"
}

/**
 * A simulated PSP, with the hands of its payers and of the banks around it. It is a world of its own: its books are in the storage, apart
 * from what our service knows, and outlive any end of the process. By `setFaults` it goes wrong as real ones do.
 */
export class SandboxPsp extends Context.Service<
  SandboxPsp,
  {
    readonly psp: PspShape
    /** Ends the charge's time now, unless it has ended; answers when that was. */
    readonly expire: (
      reference: string
    ) => Effect.Effect<Pick<PspCharge, "expiresAt">, SandboxChargeNotFound | StorageError>
    readonly faults: Effect.Effect<ReadonlyArray<SandboxFault>>
    readonly setFaults: (faults: ReadonlyArray<SandboxFault>) => Effect.Effect<void>
    /** What the account there holds; undefined where it is not kept. */
    readonly balance: SandboxAccount["current"]
    /** From now on it holds this, and what comes in and goes out counts: a payout waits where there is too little. */
    readonly setBalance: SandboxAccount["set"]
    /** Where notifications go from now on. Those not accepted yet are sent again before this ends. */
    readonly attach: (receive: Receive) => Effect.Effect<void, StorageError>
    /** Sends the notifications again that were not accepted yet, as real PSPs do from time to time. */
    readonly resend: Effect.Effect<void, StorageError>
  } & SandboxBank &
    SandboxSettler
>()("@pagora/core/sandbox-psp/SandboxPsp") {
  static readonly layer = (
    options: SandboxPspOptions
  ): Layer.Layer<SandboxPsp, never, Storage | ServiceTime | Ids | Secrets> =>
    Layer.effect(SandboxPsp, make(options))
}

const ready: PspFinding = {
  name: "sandbox",
  state: "ok",
  message: "The simulated PSP is ready: no money is real."
}

const make = Effect.fnUntraced(function* ({
  credential,
  merchantCity = "SAO PAULO",
  merchantName = "LOJA DE TESTE",
  secret,
  settleAfter = "manual"
}: SandboxPspOptions) {
  const merchant = { merchantName, merchantCity }
  // A name that no BR Code can carry must not wait for the first charge to show.
  yield* Effect.orDie(Effect.fromResult(brCode(merchant, "0", bacenAmountMax)))
  const faults = makeFaults()
  const account = makeAccount()
  const charges = yield* Charges.makeCharges(credential)
  const payouts = yield* Payouts.makePayouts(credential)
  const refunds = yield* Refunds.makeRefunds(credential)
  const infractions = yield* Infractions.makeInfractions(credential)
  const signatures = yield* makeSignatures(secret)
  const untold = [
    Charges.untoldOf(charges),
    Payouts.untoldOf(payouts),
    Refunds.untoldOf(refunds),
    Infractions.untoldOf(infractions)
  ]
  const notices = yield* makeNotices({ untold, faults, signatures })
  const bank = yield* makeBank({ account, credential, charges, refunds, infractions, notices })
  const receipts = yield* makeReceiptCalls({ credential, charges, refunds, faults })
  const settler = yield* makeSettler({ account, charges, payouts, refunds, notices, settleAfter })

  return SandboxPsp.of({
    psp: {
      provider: "sandbox",
      environment: "sandbox",
      capabilities: {
        idempotentByReference: true,
        knowsPayer: true,
        notFoundIsFinalAfter: Duration.zero,
        settlementLag: Duration.zero
      },
      ...makeCalls({ credential, merchant, charges, faults }),
      ...Payouts.makePayoutCalls({ account, credential, payouts, faults }),
      ...Refunds.makeRefundCalls({ account, credential, charges, refunds, faults }),
      ...receipts,
      ...Infractions.makeInfractionCalls(infractions, faults),
      balance: balanceOf(account),
      readNotification: signatures.read,
      // There is nothing to set up: it is part of the process.
      prepare: () => Effect.succeed([ready]),
      check: () => Effect.succeed([ready])
    },
    ...bank,
    expire: Effect.fn("SandboxPsp.expire")(function* (reference) {
      const ended = yield* charges.change(reference, (charge, now) =>
        Effect.succeed({ entry: expire(charge, now) })
      )
      if (ended === undefined) return yield* new SandboxChargeNotFound({ reference })
      return toPspCharge(ended.value)
    }),
    ...settler,
    faults: faults.current,
    setFaults: faults.set,
    balance: account.current,
    setBalance: account.set,
    attach: notices.attach,
    resend: notices.resend
  })
})
