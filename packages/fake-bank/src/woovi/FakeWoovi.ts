import { makeCourier } from "../callbacks/Courier.ts"
import { openPlainDoor } from "../door/Door.ts"
import type { BankInHand } from "../FakeBank.ts"
import type { BankClockOptions } from "../world/BankClock.ts"
import { makeBankClock } from "../world/BankClock.ts"
import type { KeyLookUps } from "./KeyLookUps.ts"
import type { WooviSettings } from "./WooviInside.ts"
import { openWoovi } from "./WooviInside.ts"
import type { WooviKeys } from "./WooviKeys.ts"
import { makeWooviKeys } from "./WooviKeys.ts"
import type { WooviWebhook } from "./WooviOffice.ts"

/** With a seed it is the same each time, but for its keys. */
export interface FakeWooviOptions extends WooviSettings {
  /** Any that is free, unless told. */
  readonly port?: number
  readonly clock?: BankClockOptions
}

/** What Woovi has that other banks have not. A dispute is named by the end-to-end id of its payment. */
export interface OfWoovi {
  readonly appId: string
  /** Where it answers, without a path. */
  readonly url: string
  /** What its callbacks are signed with. */
  readonly keys: WooviKeys
  readonly keyLookUps: KeyLookUps
  readonly webhooks: ReadonlyArray<WooviWebhook>
}

/** A Woovi that answers, with a hand on everything that happens in it. */
export interface FakeWoovi extends BankInHand, OfWoovi {}

/** Starts Woovi on this machine, by plain HTTP. It lives until `close`. */
export const startFakeWoovi = async (options: FakeWooviOptions = {}): Promise<FakeWoovi> => {
  const clock = makeBankClock(options.clock)
  const connection = () => ({ trust: [] })
  const { courier, desk, ...hands } = openWoovi(
    { ...options, clock, keys: makeWooviKeys() },
    (of) => makeCourier({ ...of, connection })
  )
  const door = await openPlainDoor({ port: options.port ?? 0, serve: desk.serve })
  return {
    ...hands,
    url: door.origin,
    clock,
    callbacks: { all: courier.all, idle: courier.idle },
    requests: desk.requests,
    goDown: door.shut,
    comeBack: door.reopen,
    close: async () => {
      clock.stop()
      await door.shut()
    }
  }
}
