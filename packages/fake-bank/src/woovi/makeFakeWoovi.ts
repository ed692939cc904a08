import type { NewCallback } from "../callbacks/Courier.ts"
import type { Indoors } from "../door/Indoors.ts"
import { indoorOrigin, indoors } from "../door/Indoors.ts"
import type { BankInHand } from "../FakeBank.ts"
import type { BankClock } from "../world/BankClock.ts"
import type { Charge } from "../world/Charge.ts"
import type { OfWoovi } from "./FakeWoovi.ts"
import { keyOfNobody } from "./KeyOfNobody.ts"
import type { WooviSettings } from "./WooviInside.ts"
import { openWoovi } from "./WooviInside.ts"
import { makeWooviKeys } from "./WooviKeys.ts"
import { brCodeOf } from "./WooviShapes.ts"

export interface IndoorWooviOptions extends WooviSettings {
  readonly clock: BankClock
  /** Is given each callback, once, with its signature: what becomes of it is the matter of whoever takes it. */
  readonly deliver: (callback: NewCallback) => void
}

/** The same Woovi without a door: without sockets, and with no time and no chance but its own. */
export interface IndoorWoovi
  extends Omit<BankInHand, "callbacks" | "clock" | "close" | "comeBack" | "goDown">, OfWoovi {
  readonly ask: Indoors
  /** The charge that a copy-and-paste code pays. */
  readonly chargeOf: (pixCopyPaste: string) => Charge | undefined
}

/**
 * Makes a Woovi that listens nowhere. With a seed and a clock that is told the time, it does the same each time: it signs with a key
 * that is in its sources, until it is told to rotate.
 */
export const makeFakeWoovi = (options: IndoorWooviOptions): IndoorWoovi => {
  const { deliver } = options
  const keys = makeWooviKeys(keyOfNobody())
  const {
    courier: _,
    desk,
    ...hands
  } = openWoovi({ ...options, keys }, ({ sign }) => ({
    all: [],
    idle: async () => undefined,
    send: (callback) =>
      deliver({
        ...callback,
        headers: { ...callback.headers, ...sign?.(JSON.stringify(callback.body)) }
      })
  }))
  return {
    ...hands,
    url: indoorOrigin,
    ask: indoors(desk),
    chargeOf: (pixCopyPaste) =>
      hands.world.charges.find((charge) => brCodeOf(charge) === pixCopyPaste),
    requests: desk.requests
  }
}
