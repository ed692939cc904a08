import type { PspCredentialId } from "@pagora/core"
import { SandboxPsp, ServiceTime } from "@pagora/core"
import type { FakeBank } from "@pagora/fake-bank"
import { startFakeBank } from "@pagora/fake-bank"
import { Effect, Layer, Schema } from "effect"
import type { Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { atHand } from "./BankAtHand.ts"
import { makeBankFaults } from "./BankFaults.ts"
import { makeBankHands } from "./BankHands.ts"
import type { BankChoice } from "./BankChoice.ts"
import { bankPsp } from "./BankPsp.ts"
import { makeBankSettling } from "./BankSettling.ts"
import { openCallbackDoor } from "./CallbackDoor.ts"

/** The bank did not take how it is to call us, so it would tell of nothing. */
export class BankNotPrepared extends Schema.TaggedError<BankNotPrepared>()("BankNotPrepared", {
  problem: Schema.String
}) {
  override get message(): string {
    return `The fake bank cannot be used: ${this.problem}`
  }
}

/** A bank that plays in the place of the simulated PSP (decision 0105). */
export interface PlayedBank {
  readonly layer: Layer.Layer<SandboxPsp, never, ServiceTime>
  /** Has the bank tell what happens to the service behind this listener. */
  readonly callBack: (
    credential: PspCredentialId,
    listener: (request: IncomingMessage, response: ServerResponse) => void
  ) => Effect.Effect<void, BankNotPrepared, Scope.Scope | SandboxPsp>
}

/** More than anybody's tests send: what wallets hold by an operator's adjustment has never arrived at the bank. */
const balance = 100_000_000_000_00
/** A clock that travels ends no token: how they are renewed is tested at the adapter. */
const tokenSeconds = 100 * 365 * 86_400
const settlesAfterMillis = 1_000

/** Starts a fake bank, which lives as long as the scope. */
export const playBank = (
  name: BankChoice,
  { isManual }: { readonly isManual: boolean }
): Effect.Effect<PlayedBank, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      startFakeBank({
        bank: name,
        balance,
        tokenSeconds,
        ...(isManual ? {} : { settlesAfterMillis })
      })
    ),
    (bank) => Effect.promise(() => bank.close())
  ).pipe(Effect.map((bank) => ({ layer: layerOf(name, bank), callBack: callBackOf(bank) })))

const layerOf = (name: BankChoice, bank: FakeBank): PlayedBank["layer"] =>
  Layer.effect(
    SandboxPsp,
    Effect.map(ServiceTime, (time) => {
      const hand = atHand(bank, time)
      return SandboxPsp.of({
        psp: bankPsp(name, bank),
        ...makeBankHands(hand),
        ...makeBankSettling(hand),
        ...makeBankFaults(bank.faults),
        // It is told by HTTPS, and tells again by its own clock.
        attach: () => Effect.void,
        resend: hand.catchUp
      })
    })
  )

const callBackOf = (bank: FakeBank): PlayedBank["callBack"] =>
  Effect.fnUntraced(function* (credential, listener) {
    const { psp } = yield* SandboxPsp
    const origin = yield* openCallbackDoor(bank, listener)
    const webhookUrl = `${origin}/psp/${credential}/webhook`
    const found = psp.prepare === undefined ? [] : yield* psp.prepare({ webhookUrl })
    const failed = found.find(({ state }) => state === "failed")
    if (failed !== undefined) return yield* new BankNotPrepared({ problem: failed.message })
  })
