import { Effect } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { scopeName } from "../units/Facts.ts"
import { gather } from "./Gather.ts"
import type { ReadableKind, Versioned } from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Storage } from "./Storage.ts"
import type { Question, StorageDriverShape } from "../ports/StorageDriver.ts"
import type { StoredRow } from "../units/Unit.ts"

/** What a lookup found, and the entity under that id, where it is of one of the kinds that were asked for. */
export interface Looked<A> {
  readonly id: Uuid
  readonly entity: Versioned<A> | undefined
}

type Reads = Pick<
  Storage["Service"],
  | "find"
  | "begin"
  | "findMany"
  | "findAny"
  | "resolve"
  | "look"
  | "beginLook"
  | "idempotency"
  | "beginIdempotency"
  | "beginWallet"
  | "wallet"
  | "ledgerTx"
>

/** The reads that every request makes: of one thing each, and all of those that are asked for in one turn together. */
export const readDoor = Effect.fnUntraced(function* (
  driver: StorageDriverShape
): Effect.fn.Return<Reads> {
  const ask = yield* gather(driver.look, nameOf)
  const idempotency = yield* gather(driver.idempotency, scopeName)
  const wallet = yield* gather(byId(driver.wallets), String)
  const ledgerTx = yield* gather(byId(driver.ledgerTxs), String)

  const begin: Reads["begin"] = (kind, id) =>
    Effect.map(
      ask({ _tag: "Row", table: kind.table, id }),
      Effect.map((seen) => (seen?.row === undefined ? undefined : readAny([kind], seen.row)))
    )
  const beginLook: Reads["beginLook"] = (kinds, lookup) =>
    Effect.map(
      ask(lookup),
      Effect.map((seen) => seen && { id: seen.id, entity: seen.row && readAny(kinds, seen.row) })
    )
  return {
    begin,
    beginLook,
    find: (kind, id) => Effect.flatten(begin(kind, id)),
    findMany: (kind, ids) =>
      Effect.forEach([...new Set(ids)].toSorted(), (id) => begin(kind, id)).pipe(
        Effect.flatMap((begun) => Effect.all(begun)),
        Effect.map((found) => found.filter((entity) => entity !== undefined))
      ),
    findAny: (kinds, id) =>
      Effect.map(Effect.flatten(ask({ _tag: "Row", table: "operation", id })), (seen) =>
        seen?.row === undefined ? undefined : readAny(kinds, seen.row)
      ),
    resolve: (lookup) => Effect.map(Effect.flatten(ask(lookup)), (seen) => seen?.id),
    look: (kinds, lookup) => Effect.flatten(beginLook(kinds, lookup)),
    beginIdempotency: idempotency,
    idempotency: (scope) => Effect.flatten(idempotency(scope)),
    beginWallet: wallet,
    wallet: (id) => Effect.flatten(wallet(id)),
    ledgerTx: (id) => Effect.flatten(ledgerTx(id))
  }
})

const nameOf = (question: Question): string => {
  switch (question._tag) {
    case "Row":
      return `${question.table} ${question.id}`
    case "Name":
      return `Name ${question.wallet} ${question.id ?? ""} ${question.name ?? ""}`
    case "Key":
      return `Key ${JSON.stringify([question.space, question.key])}`
    case "Only":
      return `Only ${question.wallet} ${question.kind}`
  }
}

/** What there is under each id, in its place. */
const byId =
  <Id extends Uuid, A extends { readonly id: Uuid }>(
    read: (ids: ReadonlyArray<Id>) => Effect.Effect<ReadonlyArray<A>, StorageError>
  ) =>
  (ids: ReadonlyArray<Id>): Effect.Effect<ReadonlyArray<A | undefined>, StorageError> =>
    Effect.map(read(ids), (found) => {
      const known = new Map<Uuid, A>(found.map((one) => [one.id, one]))
      return ids.map((id) => known.get(id))
    })

/** A row as an entity of whichever kind it is; undefined where it is of none of these. */
export const readAny = <A>(
  kinds: ReadonlyArray<ReadableKind<A>>,
  row: StoredRow
): Versioned<A> | undefined => kinds.find(({ name }) => name === row.kind)?.read(row)
