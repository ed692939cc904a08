import type { DateTime } from "effect"
import { Context, Effect, Layer } from "effect"
import type { AccountId, LedgerTxId, WalletId } from "../kernel/Ids.ts"
import { idsAt } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { Entry, EntryPlace } from "../ledger/Entry.ts"
import { entriesOf } from "../ledger/Entry.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import type { StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"

/** Which entries of an account are wanted, from just after one of them. */
export interface EntryQuery {
  /** Of this wallet only. */
  readonly wallet?: WalletId
  /** Booked at this instant or later. */
  readonly from?: DateTime.Utc
  /** Booked at this instant or before. */
  readonly to?: DateTime.Utc
  readonly after?: EntryPlace
  readonly limit: number
}

export interface EntryPage {
  readonly entries: ReadonlyArray<Entry>
  /** What to go on after; undefined at the end. */
  readonly next: EntryPlace | undefined
}

/** How often more is read for one page, where much of what is booked does not touch a wallet. */
const readsMax = 10

/** Reads the ledger of an account: what was posted to its wallets. */
export class Entries extends Context.Service<
  Entries,
  {
    /** By the ledger transaction newest first, and within one in the order of its postings. */
    readonly list: (account: AccountId, query: EntryQuery) => Effect.Effect<EntryPage, StorageError>
  }
>()("@pagora/core/operator/Entries") {
  static readonly layer: Layer.Layer<Entries, never, Storage> = Layer.effect(
    Entries,
    Effect.gen(function* () {
      const storage = yield* Storage

      const list = Effect.fn("Entries.list")(function* (
        account: AccountId,
        { after, from, limit, to, wallet }: EntryQuery
      ) {
        const scope = wallet === undefined ? { account } : { wallet }
        const first = from && idsAt(from).first
        const page: Array<Entry> = []
        // The transaction that a page ended in is read again: it may have entries left.
        let last = lowest(to === undefined ? undefined : idsAt(to).last, after?.tx)
        let done: LedgerTxId | undefined
        for (let reads = 0; reads < readsMax; reads++) {
          const txs: ReadonlyArray<LedgerTx> = yield* storage.movements({
            ...scope,
            ...present({ first, last, after: done }),
            order: "desc",
            limit: limit + 1
          })
          const found = txs.flatMap((tx) => entriesOf(tx, wallet))
          page.push(...found.filter(({ seq, tx }) => tx !== after?.tx || seq > after.seq))
          if (page.length > limit) {
            const entries = page.slice(0, limit)
            return { entries, next: entries.at(-1) }
          }
          if (txs.length <= limit) return { entries: page, next: undefined }
          done = txs.at(-1)?.id
          last = undefined
        }
        return { entries: page, next: done && { tx: done, seq: seqMax } }
      })
      return Entries.of({ list })
    })
  )
}

/** After every posting that a transaction can have. */
const seqMax = 9_999

const lowest = <A extends string>(one: A | undefined, other: A | undefined): A | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one
