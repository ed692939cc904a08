import { Effect } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { scopeName } from "./Facts.ts"
import type { Ask } from "./Gather.ts"
import { gather } from "./Gather.ts"
import type { ReadableKind, Versioned } from "./Kind.ts"
import type { StorageError } from "./Refused.ts"
import type { Storage } from "./Storage.ts"
import type { Found, Lookup, Question, Seen, StorageDriverShape } from "./StorageDriver.ts"
import type { StoredRow } from "./Unit.ts"

/** What a lookup found, and the entity under that id, where it is of one of the kinds that were asked for. */
export interface Looked<A> extends Found {
  readonly entity: Versioned<A> | undefined
}

type Reads = Pick<
  Storage["Service"],
  | "find"
  | "begin"
  | "findAny"
  | "resolve"
  | "look"
  | "beginLook"
  | "idempotency"
  | "beginIdempotency"
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
  const beginResolve = beginning(ask)
  const beginLook: Reads["beginLook"] = (kinds, lookups) =>
    Effect.map(
      beginResolve(lookups),
      Effect.map(
        (seen) =>
          seen && {
            table: seen.table,
            id: seen.id,
            entity: seen.row && readAny(kinds, seen.row)
          }
      )
    )
  return {
    begin,
    beginLook,
    find: (kind, id) => Effect.flatten(begin(kind, id)),
    findAny: (kinds, id) =>
      Effect.map(Effect.flatten(ask({ _tag: "Row", table: "operation", id })), (seen) =>
        seen?.row === undefined ? undefined : readAny(kinds, seen.row)
      ),
    resolve: (lookups) =>
      Effect.map(
        Effect.flatten(beginResolve(lookups)),
        (seen) => seen && { table: seen.table, id: seen.id }
      ),
    look: (kinds, lookups) => Effect.flatten(beginLook(kinds, lookups)),
    beginIdempotency: idempotency,
    idempotency: (scope) => Effect.flatten(idempotency(scope)),
    wallet: (id) => Effect.flatten(wallet(id)),
    ledgerTx: (id) => Effect.flatten(ledgerTx(id))
  }
})

/** Asks for all of the lookups now, and answers the first that found something. */
const beginning = (ask: Ask<Question, Seen | undefined>) =>
  Effect.fnUntraced(function* (
    lookups: ReadonlyArray<Lookup>
  ): Effect.fn.Return<Effect.Effect<Seen | undefined, StorageError>> {
    const answers: Array<Effect.Effect<Seen | undefined, StorageError>> = []
    for (const lookup of lookups) answers.push(yield* ask(lookup))
    return Effect.gen(function* () {
      for (const answer of answers) {
        const seen = yield* answer
        if (seen !== undefined) return seen
      }
      return undefined
    })
  })

const nameOf = (question: Question): string => {
  switch (question._tag) {
    case "Row":
      return `${question.table} ${question.id}`
    case "Id":
      return `Id ${question.wallet} ${question.id}`
    case "Ref":
      return `Ref ${question.wallet} ${question.ref}`
    case "IdempotencyKey":
      return `IdempotencyKey ${question.wallet} ${question.key}`
    case "Key":
      return `Key ${JSON.stringify([question.space, question.key])}`
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
