import type { RawNotification } from "@pagora/core"
import type { Chance } from "../../fuzz/Chance.ts"
import type { BankRecords } from "./BankBook.ts"
import type { BankNotice } from "./BankNotification.ts"
import { sealed, writeNotification } from "./BankNotification.ts"
import type { BankOptions } from "./BankOptions.ts"

/** One way to send what is no true notification. */
export interface Forging {
  readonly how: string
  readonly mayBeTaken: boolean
  readonly make: () => RawNotification
}

/** A notice as it goes out. */
export interface Letter {
  /** What it tells of, in words, and by whose reference. */
  readonly about: string
  readonly reference: string
  readonly notification: RawNotification
  /** What somebody may send beside it. */
  readonly forgings: ReadonlyArray<Forging>
}

/** What can be sent beside a notice. */
export const forgingsOf = (
  key: string,
  notice: BankNotice,
  anyReference: () => string
): ReadonlyArray<Forging> => [
  {
    how: "under the seal of somebody else",
    mayBeTaken: false,
    make: () => writeNotification(`${key}, guessed`, notice, 0)
  },
  {
    how: "without a seal",
    mayBeTaken: false,
    make: () => ({ ...writeNotification(key, notice, 0), headers: {} })
  },
  {
    how: "changed on its way",
    mayBeTaken: false,
    make: () => ({
      ...writeNotification(key, notice, 0),
      body: writeNotification(key, notice, 1).body
    })
  },
  {
    how: "that cannot be read",
    mayBeTaken: false,
    make: () => sealed(key, `<notice>${notice.reference}</notice>`)
  },
  {
    how: "about what did not happen",
    mayBeTaken: true,
    make: () => writeNotification(key, { ...notice, reference: anyReference() }, 0)
  }
]

/** Sends, beside a letter, one that is none. Nobody sends it again. */
export const makeForger =
  (options: {
    readonly records: BankRecords
    readonly chance: Chance
    readonly notify: BankOptions["notify"]
  }): ((letter: Letter) => void) =>
  ({ about, forgings, reference }) => {
    const { chance, notify, records } = options
    const { how, make, mayBeTaken } = chance.pick(forgings)
    records.note(`forged notice ${how}, beside ${about}`)
    notify(make(), records.forge({ how, reference, mayBeTaken }))
  }
