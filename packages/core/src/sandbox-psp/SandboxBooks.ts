import type { DateTime } from "effect"
import { Effect, Result } from "effect"
import { present } from "../kernel/Present.ts"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import * as TxId from "../kernel/TxId.ts"
import { Ids } from "../time/Ids.ts"
import type { Versioned } from "../units/Kind.ts"
import * as Kind from "../units/Kind.ts"
import type { DuplicateKey, StaleVersion } from "../units/Refused.ts"
import { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { NewUnit } from "../units/Unit.ts"
import { SandboxRejected } from "./SandboxAnswers.ts"

/** What is under one reference in a book of the simulated PSP, which is apart from the service's (decision 0012). */
export interface SandboxEntry {
  readonly id: Uuid
  readonly credential: PspCredentialId
  readonly reference: string
}

/** What an entry becomes, the names that come to exist by it, and what changes together with it. */
export interface SandboxChange<A> {
  readonly entry: A
  readonly keys?: ReadonlyArray<{ readonly space: string; readonly key: string }>
  readonly updates?: NonNullable<NewUnit["updates"]>
  readonly inserts?: NonNullable<NewUnit["inserts"]>
}

/**
 * One book of the simulated PSP, for one credential: entries by reference. It goes through the write door in units
 * of its own, so it outlives the process and may be kept by several at once.
 */
export interface SandboxBook<A extends SandboxEntry> {
  readonly find: (reference: string) => Effect.Effect<Versioned<A> | undefined, StorageError>
  /** The entry under the reference, made now unless it is there. What `make` refuses leaves nothing. */
  readonly open: (
    reference: string,
    make: (
      id: A["id"],
      now: DateTime.Utc
    ) => Effect.Effect<SandboxChange<A>, SandboxRejected | StorageError>
  ) => Effect.Effect<A, SandboxRejected | StorageError>
  /**
   * Decides on the entry as it is and writes what was decided; decides again when somebody was faster.
   * Undefined when there is no such entry. `known` saves reading it first.
   */
  readonly change: <E>(
    reference: string,
    decide: (entry: A, now: DateTime.Utc) => Effect.Effect<SandboxChange<A>, E>,
    known?: Versioned<A>
  ) => Effect.Effect<Versioned<A> | undefined, E | StorageError>
  /** The entries, those whose status column says this, in the order they were made: at most `pageMax` at once. */
  readonly list: (
    status: string | undefined,
    after: Uuid | undefined
  ) => Effect.Effect<ReadonlyArray<Versioned<A>>, StorageError>
}

export const makeBook = Effect.fnUntraced(function* <A extends SandboxEntry>(options: {
  readonly credential: PspCredentialId
  readonly kind: Kind.Kind<A>
  /** Where the references are unique. */
  readonly space: string
}): Effect.fn.Return<SandboxBook<A>, never, Storage | ServiceTime | Ids> {
  const { credential, kind, space } = options
  const storage = yield* Storage
  const time = yield* ServiceTime
  const ids = yield* Ids

  const findAny = Effect.fnUntraced(function* (reference: string) {
    const holder = yield* storage.resolve({ _tag: "Key", space, key: reference })
    return holder === undefined ? undefined : yield* storage.find(kind, holder)
  })

  // What cannot be a reference has no entry, and need not be a text that storage can take.
  const find: SandboxBook<A>["find"] = (reference) =>
    Result.isFailure(TxId.parse(reference))
      ? Effect.succeed(undefined)
      : Effect.map(findAny(reference), (found) =>
          found?.value.credential === credential ? found : undefined
        )

  const open: SandboxBook<A>["open"] = Effect.fnUntraced(function* (reference, make) {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const now = yield* time.now
      const id = yield* ids.next<A["id"]>()
      const made = yield* Effect.result(make(id, now))
      // The refusal of a repeat may be the work of the first: what is there is looked at after what was refused.
      const refused = Result.isFailure(made)
        ? made.failure
        : yield* refusalOf(storage, {
            at: now,
            inserts: [kind.row(made.success.entry), ...(made.success.inserts ?? [])],
            updates: made.success.updates ?? [],
            keys: [{ space, key: reference, holder: id }, ...heldBy(id, made.success)]
          })
      if (Result.isSuccess(made) && refused === undefined) return made.success.entry
      if (refused?._tag === "StorageError") return yield* refused
      const first = yield* findAny(reference)
      if (first?.value.credential === credential) return first.value
      if (first !== undefined) return yield* takenReference
      if (refused?._tag === "SandboxRejected") return yield* refused
    }
    return yield* new StorageError({ reason: "Contended" })
  })

  const change: SandboxBook<A>["change"] = Effect.fnUntraced(function* (reference, decide, known) {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const found = attempt === 0 && known !== undefined ? known : yield* find(reference)
      if (found === undefined) return undefined
      const now = yield* time.now
      const decided = yield* decide(found.value, now)
      if (decided.entry === found.value) return found
      const refused = yield* refusalOf(storage, {
        at: now,
        updates: [Kind.update(kind, found, decided.entry), ...(decided.updates ?? [])],
        inserts: decided.inserts ?? [],
        keys: heldBy(found.value.id, decided)
      })
      if (refused === undefined) return { value: decided.entry, version: found.version + 1 }
    }
    return yield* new StorageError({ reason: "Contended" })
  })

  const list: SandboxBook<A>["list"] = (status, after) =>
    storage.list(kind, {
      account: credential,
      ...present({ status }),
      order: "asc",
      limit: pageMax,
      ...present({ after })
    })
  return { find, open, change, list }
})

/** Every entry whose status column says this, page by page; what is done meanwhile may take entries away. */
export const forEachListed = Effect.fnUntraced(function* <A extends SandboxEntry, E>(
  book: Pick<SandboxBook<A>, "list">,
  status: string,
  each: (entries: ReadonlyArray<Versioned<A>>) => Effect.Effect<unknown, E>
): Effect.fn.Return<void, E | StorageError> {
  let page: ReadonlyArray<Versioned<A>>
  let after: Uuid | undefined
  do {
    page = yield* book.list(status, after)
    after = page.at(-1)?.value.id
    yield* each(page)
  } while (page.length === pageMax)
})

/** Entries of one page of a list. */
export const pageMax = 100

/** Each time somebody else has got on, so this many writers can meet at one entry. */
const attemptsMax = 64

const takenReference = new SandboxRejected({
  code: "REFERENCE_TAKEN",
  message: "Another receiver has used this reference."
})

const heldBy = (holder: Uuid, { keys = [] }: Pick<SandboxChange<unknown>, "keys">) =>
  keys.map((key) => ({ ...key, holder }))

/** What stood in the way of a unit, if it is one of the two things that deciding again can solve. */
const refusalOf = (
  storage: Storage["Service"],
  unit: NewUnit
): Effect.Effect<StaleVersion | DuplicateKey | undefined, StorageError> =>
  storage
    .commit(unit)
    .pipe(
      Effect.as(undefined),
      Effect.catchTag(["StaleVersion", "DuplicateKey"], Effect.succeed),
      Effect.catchTag(["LeaseLost", "InsufficientFunds", "LimitExceeded", "NotEmpty"], Effect.die)
    )
