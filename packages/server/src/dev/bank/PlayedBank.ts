import type { PspCredentialId, PspShape } from "@pagora/core"
import { SandboxPsp, ServiceTime } from "@pagora/core"
import type { BankInHand } from "@pagora/fake-bank"
import { startFakeBank } from "@pagora/fake-bank"
import { startFakeWoovi } from "@pagora/fake-bank/woovi"
import { Effect, Layer, Schema } from "effect"
import type { Scope } from "effect"
import { atHand } from "./BankAtHand.ts"
import type { BankChoice } from "./BankChoice.ts"
import type { RouteOf } from "./BankFaults.ts"
import { bankRoute, makeBankFaults, wooviRoute } from "./BankFaults.ts"
import { makeBankHands } from "./BankHands.ts"
import { bankPsp, wooviPsp } from "./BankPsp.ts"
import { makeBankSettling } from "./BankSettling.ts"
import type { CallbackDoor } from "./CallbackDoor.ts"
import { certifiedDoor, plainDoor } from "./CallbackDoor.ts"
import type { Listener } from "./Listener.ts"

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
    listener: Listener
  ) => Effect.Effect<void, BankNotPrepared, Scope.Scope | SandboxPsp>
}

/** More than anybody's tests send: what wallets hold by an operator's adjustment has never arrived at the bank. */
const balance = 100_000_000_000_00
/** A clock that travels ends no token: how they are renewed is tested at the adapter. */
const tokenSeconds = 100 * 365 * 86_400
const settlesAfterMillis = 1_000

/** A bank, what asks it, and where it calls back. */
interface Stage {
  readonly bank: BankInHand
  readonly psp: PspShape
  readonly routeOf: RouteOf
  readonly door: CallbackDoor
}

/** Starts a fake bank, which lives as long as the scope. */
export const playBank = (
  name: BankChoice,
  { isManual }: { readonly isManual: boolean }
): Effect.Effect<PlayedBank, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => stageOf(name, isManual ? {} : { settlesAfterMillis })),
    ({ bank }) => Effect.promise(() => bank.close())
  ).pipe(Effect.map((stage) => ({ layer: layerOf(stage), callBack: callBackOf(stage) })))

const stageOf = async (
  name: BankChoice,
  settling: { readonly settlesAfterMillis?: number }
): Promise<Stage> => {
  if (name === "woovi") {
    const bank = await startFakeWoovi({ balance, ...settling })
    return { bank, psp: wooviPsp(bank), routeOf: wooviRoute, door: plainDoor }
  }
  const bank = await startFakeBank({ bank: name, balance, tokenSeconds, ...settling })
  return { bank, psp: bankPsp(name, bank), routeOf: bankRoute, door: certifiedDoor(bank) }
}

const layerOf = ({ bank, psp, routeOf }: Stage): PlayedBank["layer"] =>
  Layer.effect(
    SandboxPsp,
    Effect.map(ServiceTime, (time) => {
      const hand = atHand(bank, time)
      return SandboxPsp.of({
        psp,
        ...makeBankHands(hand),
        ...makeBankSettling(hand),
        ...makeBankFaults(bank.faults, routeOf),
        // It is told by HTTP, and tells again by its own clock.
        attach: () => Effect.void,
        resend: hand.catchUp
      })
    })
  )

const callBackOf = ({ door }: Stage): PlayedBank["callBack"] =>
  Effect.fnUntraced(function* (credential, listener) {
    const { psp } = yield* SandboxPsp
    const origin = yield* door(listener)
    const webhookUrl = `${origin}/psp/${credential}/webhook`
    const found = psp.prepare === undefined ? [] : yield* psp.prepare({ webhookUrl })
    const failed = found.find(({ state }) => state === "failed")
    if (failed !== undefined) return yield* new BankNotPrepared({ problem: failed.message })
  })
