import { Effect } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import type { Kind, Versioned } from "../units/Kind.ts"
import { StorageError } from "../units/Refused.ts"
import type { Storage } from "./Storage.ts"

type Find = Pick<Storage["Service"], "find" | "findMany">

/**
 * The entity that another one names. It was written before that or with it, so that it is there: a server that does not know it
 * is behind the one that named it, such as a former primary that goes on. Nothing is decided by that (decision 0117).
 */
export const findNamed = <A>(
  storage: Find,
  kind: Kind<A>,
  id: Uuid
): Effect.Effect<Versioned<A>, StorageError> =>
  Effect.flatMap(storage.find(kind, id), (found) =>
    found === undefined ? behind(kind.name, id) : Effect.succeed(found)
  )

/** All that another one names, in the order of their ids. */
export const findAllNamed = <A extends { readonly id: Uuid }>(
  storage: Find,
  kind: Kind<A>,
  ids: ReadonlyArray<Uuid>
): Effect.Effect<ReadonlyArray<Versioned<A>>, StorageError> => {
  if (ids.length === 0) return Effect.succeed([])
  return Effect.flatMap(storage.findMany(kind, ids), (found) => {
    const missing = ids.find((id) => found.every(({ value }) => value.id !== id))
    return missing === undefined ? Effect.succeed(found) : behind(kind.name, missing)
  })
}

const behind = (name: string, id: Uuid) =>
  new StorageError({
    reason: "Unavailable",
    cause: new Error(`The storage does not know the ${name} ${id}, which something in it names.`)
  })
