import type { World } from "../World.ts"
import type { BankAgenda } from "./BankAgenda.ts"
import type { BankRecords } from "./BankBook.ts"
import { forgingsOf } from "./BankForger.ts"
import type { BankNotice } from "./BankNotification.ts"
import { writeNotification } from "./BankNotification.ts"
import type { BankOptions } from "./BankOptions.ts"
import type { BankPost, NoticeFate } from "./BankPost.ts"
import { makePost } from "./BankPost.ts"

/** How a bank tells of what happened. */
export interface BankNotices extends Omit<BankPost, "send"> {
  /** Tells of something in this way. */
  readonly tell: (notice: BankNotice, fate: NoticeFate) => void
}

export const makeNotices = (options: {
  readonly world: World
  readonly agenda: BankAgenda
  readonly records: BankRecords
  readonly key: string
  readonly bank: BankOptions
  /** A reference that a notice can be about without a cause. */
  readonly anyReference: () => string
}): BankNotices => {
  const { anyReference, key } = options
  const { send, ...post } = makePost(options)
  let sent = 0
  return {
    ...post,
    tell: (notice, fate) => {
      const { _tag, reference } = notice
      const letter = {
        about: `${_tag} ${reference}`,
        reference,
        notification: writeNotification(key, notice, (sent += 1)),
        forgings: forgingsOf(key, notice, anyReference)
      }
      send(letter, fate)
    }
  }
}
