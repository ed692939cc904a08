import type { DateTime } from "effect"
import { Effect, Result } from "effect"
import type { PspCredentialId, UnitId, Uuid } from "../kernel/Ids.ts"
import * as TxId from "../kernel/TxId.ts"
import { Ids } from "../ports/Ids.ts"
import type { Versioned } from "../ports/Kind.ts"
import * as Kind from "../ports/Kind.ts"
import type { DuplicateKey, StaleVersion } from "../ports/Refused.ts"
import { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { Unit } from "../ports/Unit.ts"
import type { SandboxCharge, SandboxChargeId } from "./SandboxCharge.ts"
import { SandboxChargeKind } from "./SandboxCharge.ts"

/** What a charge becomes, and the end-to-end ids that come to exist by it. */
export interface SandboxChange {
  readonly charge: SandboxCharge
  readonly endToEndIds?: ReadonlyArray<string>
}

/**
 * The books of the simulated PSP for one credential. They go through the write door in units of their own, so
 * they outlive the process and may be kept by several at once.
 */
export interface SandboxCharges {
  readonly find: (
    reference: string
  ) => Effect.Effect<Versioned<SandboxCharge> | undefined, StorageError>
  /** The charge under the reference, made now unless it is there; undefined when another credential has it. */
  readonly open: (
    reference: string,
    make: (id: SandboxChargeId, now: DateTime.Utc) => SandboxCharge
  ) => Effect.Effect<SandboxCharge | undefined, StorageError>
  /**
   * Decides on the charge as it is and writes what was decided; decides again when somebody was faster.
   * Undefined when there is no such charge. `known` saves reading it first.
   */
  readonly change: (
    reference: string,
    decide: (charge: SandboxCharge, now: DateTime.Utc) => Effect.Effect<SandboxChange>,
    known?: Versioned<SandboxCharge>
  ) => Effect.Effect<Versioned<SandboxCharge> | undefined, StorageError>
  /** Charges with a notice that was not accepted yet, in the order they were made. */
  readonly untold: (
    after: Uuid | undefined
  ) => Effect.Effect<ReadonlyArray<Versioned<SandboxCharge>>, StorageError>
}

export const makeCharges = Effect.fnUntraced(function* (
  credential: PspCredentialId
): Effect.fn.Return<SandboxCharges, never, Storage | ServiceTime | Ids> {
  const storage = yield* Storage
  const time = yield* ServiceTime
  const ids = yield* Ids

  const findAny = Effect.fnUntraced(function* (reference: string) {
    const found = yield* storage.resolve([{ _tag: "Key", space: txidSpace, key: reference }])
    return found === undefined ? undefined : yield* storage.find(SandboxChargeKind, found.id)
  })

  // What cannot be a txid has no charge, and need not be a text that storage can take.
  const find: SandboxCharges["find"] = (reference) =>
    Result.isFailure(TxId.parse(reference))
      ? Effect.succeed(undefined)
      : Effect.map(findAny(reference), (found) =>
          found?.value.credential === credential ? found : undefined
        )

  const open: SandboxCharges["open"] = Effect.fnUntraced(function* (reference, make) {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const now = yield* time.now
      const charge = make(yield* ids.next<SandboxChargeId>(), now)
      const refused = yield* refusalOf(storage, {
        id: yield* ids.next<UnitId>(),
        at: now,
        inserts: [SandboxChargeKind.row(charge)],
        keys: [{ space: txidSpace, key: reference, holder: charge.id }]
      })
      if (refused === undefined) return charge
      const first = yield* findAny(reference)
      if (first !== undefined)
        return first.value.credential === credential ? first.value : undefined
    }
    return yield* new StorageError({ reason: "Contended" })
  })

  const change: SandboxCharges["change"] = Effect.fnUntraced(function* (reference, decide, known) {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const found = attempt === 0 && known !== undefined ? known : yield* find(reference)
      if (found === undefined) return undefined
      const now = yield* time.now
      const { charge, endToEndIds = [] } = yield* decide(found.value, now)
      if (charge === found.value) return found
      const refused = yield* refusalOf(storage, {
        id: yield* ids.next<UnitId>(),
        at: now,
        updates: [Kind.update(SandboxChargeKind, found, charge)],
        keys: endToEndIds.map((key) => ({ space: endToEndSpace, key, holder: charge.id }))
      })
      if (refused === undefined) return { value: charge, version: found.version + 1 }
    }
    return yield* new StorageError({ reason: "Contended" })
  })

  return {
    find,
    open,
    change,
    untold: (after) =>
      storage.list(SandboxChargeKind, {
        account: credential,
        status: "untold",
        order: "asc",
        limit: pageMax,
        ...(after === undefined ? {} : { after })
      })
  }
})

/** How many charges one read of `untold` gives at most; fewer means there are no more. */
export const pageMax = 100

const txidSpace = "sandbox_txid"
const endToEndSpace = "sandbox_end_to_end_id"

/** Each time somebody else has got on, so this many writers can meet at one charge. */
const attemptsMax = 64

/** What stood in the way of a unit, if it is one of the two things that deciding again can solve. */
const refusalOf = (
  storage: Storage["Service"],
  unit: Unit
): Effect.Effect<StaleVersion | DuplicateKey | undefined, StorageError> =>
  storage
    .commit(unit)
    .pipe(
      Effect.as(undefined),
      Effect.catchTag(["StaleVersion", "DuplicateKey"], Effect.succeed),
      Effect.catchTag(["LeaseLost", "InsufficientFunds", "LimitExceeded", "NotEmpty"], Effect.die)
    )
