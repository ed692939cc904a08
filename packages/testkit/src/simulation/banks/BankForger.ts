import type { RawNotification } from "@pagora/core"
import type { Chance } from "../../fuzz/Chance.ts"
import type { BankRecords } from "./BankBook.ts"
import type { BankNotice } from "./BankNotification.ts"
import { sealed, writeNotification } from "./BankNotification.ts"
import type { BankOptions } from "./BankOptions.ts"

/** One way to send what is no true notification. */
interface Forging {
  readonly how: string
  readonly mayBeTaken: boolean
  readonly make: (notice: BankNotice) => RawNotification
}

const forgings = (key: string, anyReference: () => string): ReadonlyArray<Forging> => [
  {
    how: "under the seal of somebody else",
    mayBeTaken: false,
    make: (notice) => writeNotification(`${key}, guessed`, notice, 0)
  },
  {
    how: "without a seal",
    mayBeTaken: false,
    make: (notice) => ({ ...writeNotification(key, notice, 0), headers: {} })
  },
  {
    how: "changed on its way",
    mayBeTaken: false,
    make: (notice) => ({
      ...writeNotification(key, notice, 0),
      body: writeNotification(key, notice, 1).body
    })
  },
  {
    how: "that cannot be read",
    mayBeTaken: false,
    make: (notice) => sealed(key, `<notice>${notice.reference}</notice>`)
  },
  {
    how: "about what did not happen",
    mayBeTaken: true,
    make: (notice) => writeNotification(key, { ...notice, reference: anyReference() }, 0)
  }
]

/** Sends, beside a notice, one that is none. Nobody sends it again. */
export const makeForger = (options: {
  readonly records: BankRecords
  readonly chance: Chance
  readonly key: string
  readonly notify: BankOptions["notify"]
  readonly anyReference: () => string
}): ((notice: BankNotice) => void) => {
  const { anyReference, chance, key, notify, records } = options
  const ways = forgings(key, anyReference)
  return (notice) => {
    const { how, mayBeTaken, make } = chance.pick(ways)
    const { reference } = notice
    records.note(`forged notice ${how}, beside ${notice._tag} ${reference}`)
    notify(make(notice), records.forge({ how, reference, mayBeTaken }))
  }
}
