import { Context, Effect, Layer, Schema } from "effect"
import type { Redacted } from "effect"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import type { Environment } from "../ports/Psp.ts"
import type { MadePsp, PspSettings, PspSettingsRefused } from "../ports/PspProvider.ts"
import { ReportWorker } from "../psp-reports/ReportWorker.ts"
import { decideAgain, refusedFor, staleWhenEnded } from "../storage/DecideAgain.ts"
import { Storage } from "../storage/Storage.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { NewUnit } from "../units/Unit.ts"
import { KeptPsps, keptTimes } from "./KeptPsps.ts"
import type { PspProviderUnknown } from "./Makers.ts"
import type { NamedPsp, PspCredential } from "./PspCredential.ts"
import {
  added,
  clashes,
  clashOf,
  keptMax,
  namedAs,
  namedBy,
  PspCredentialKind,
  revoked,
  rotated,
  unsealed,
  vaultId,
  VaultKind
} from "./PspCredential.ts"

export class PspCredentialNotFound extends Schema.TaggedError<PspCredentialNotFound>()(
  "PspCredentialNotFound",
  { id: Schema.String }
) {}

/** The PSP is there already: configured, or kept under another id. */
export class PspAlreadyThere extends Schema.TaggedError<PspAlreadyThere>()("PspAlreadyThere", {
  other: Schema.String,
  by: Schema.Literals(clashes),
  isConfigured: Schema.Boolean
}) {}

/** The operator means another environment than that of the deployment. */
export class PspOfOtherEnvironment extends Schema.TaggedError<PspOfOtherEnvironment>()(
  "PspOfOtherEnvironment",
  { deployment: Schema.String }
) {}

/** The new settings are about another account at the PSP, where nothing of what was begun would be found. */
export class PspAccountChanged extends Schema.TaggedError<PspAccountChanged>()(
  "PspAccountChanged",
  {}
) {}

export class TooManyPspCredentials extends Schema.TaggedError<TooManyPspCredentials>()(
  "TooManyPspCredentials",
  { max: Schema.Int }
) {}

export interface NewPspCredential {
  readonly provider: string
  /** That of the deployment, unless told; another one is refused. */
  readonly environment?: Environment
  /** Under which charges remember it: one that was configured before goes on under its id. */
  readonly id?: PspCredentialId
  readonly label?: string
  readonly settings: Redacted.Redacted<PspSettings>
}

type Unmakeable = PspProviderUnknown | PspSettingsRefused

/**
 * Adds, rotates and revokes the credentials of PSPs that the operator keeps in the service. Each answers when every process
 * has had time to see it (decision 0108).
 */
export class PspCredentials extends Context.Service<
  PspCredentials,
  {
    readonly add: (
      request: NewPspCredential,
      key?: IdempotencyKey
    ) => Effect.Effect<
      PspCredential,
      | Unmakeable
      | PspAlreadyThere
      | PspOfOtherEnvironment
      | TooManyPspCredentials
      | IdempotencyKeyTaken
      | StorageError
    >
    /** Other credentials for the same account at the same PSP, under the same id; for one that is revoked, too. */
    readonly rotate: (
      id: Uuid,
      settings: Redacted.Redacted<PspSettings>,
      key?: IdempotencyKey
    ) => Effect.Effect<
      PspCredential,
      | Unmakeable
      | PspCredentialNotFound
      | PspAlreadyThere
      | PspAccountChanged
      | IdempotencyKeyTaken
      | StorageError
    >
    /** Destroys the settings. What was begun waits for a PSP that is gone; what is new there is refused. */
    readonly revoke: (id: Uuid) => Effect.Effect<void, PspCredentialNotFound | StorageError>
    /** Those that are kept, revoked ones included, newest first, without their settings. */
    readonly list: Effect.Effect<ReadonlyArray<PspCredential>, StorageError>
  }
>()("@pagora/core/psp-vault/PspCredentials") {
  static readonly layer: Layer.Layer<
    PspCredentials,
    never,
    KeptPsps | ReportWorker | Storage | Ids | ServiceTime
  > = Layer.effect(
    PspCredentials,
    Effect.gen(function* () {
      const storage = yield* Storage
      const kept = yield* KeptPsps
      const time = yield* ServiceTime
      const { begin } = yield* ReportWorker
      const seen = Effect.andThen(kept.refresh, Effect.sleep(keptTimes.seenWithin))
      // A process that did not know the PSP yet would take these for those of one that is gone.
      const seenAndAsked = Effect.andThen(seen, begin)

      const revoking = Effect.fnUntraced(function* (id: Uuid) {
        const { current, vault } = yield* readVault(storage, id)
        if (current === undefined) return yield* new PspCredentialNotFound({ id })
        if (current.value.status === "revoked") return
        const at = yield* time.now
        const updates = [Kind.update(PspCredentialKind, current, revoked(current.value, at))]
        yield* storage
          .commit(counted(vault, { at, updates }))
          .pipe(refusedFor("StaleVersion", "DuplicateKey"), staleWhenFirst)
      })

      const revoke = Effect.fn("PspCredentials.revoke")(function* (id: Uuid) {
        yield* decideAgain(revoking(id))
        yield* seen
      })

      const list = Effect.map(
        storage.list(PspCredentialKind, { account: vaultId, order: "desc", limit: keptMax }),
        (rows) => rows.map(({ value }) => unsealed(value))
      )
      const { adding, rotating } = yield* makeChanges

      const add = Effect.fn("PspCredentials.add")(function* (
        request: NewPspCredential,
        key?: IdempotencyKey
      ) {
        const credential = yield* adding(request, key)
        yield* seenAndAsked
        return credential
      })
      const rotate = Effect.fn("PspCredentials.rotate")(function* (
        id: Uuid,
        settings: Redacted.Redacted<PspSettings>,
        key?: IdempotencyKey
      ) {
        const credential = yield* rotating(id, settings, key)
        yield* seenAndAsked
        return credential
      })
      return PspCredentials.of({ add, rotate, revoke, list })
    })
  )
}

/** All that is kept, and which of it is this PSP. */
const readVault = Effect.fnUntraced(function* (storage: Storage["Service"], id: Uuid | undefined) {
  // Before the rows: whoever changes one of them meanwhile changes it too.
  const vault = yield* storage.find(VaultKind, vaultId)
  const rows = yield* storage.list(PspCredentialKind, {
    account: vaultId,
    order: "asc",
    limit: keptMax
  })
  return { vault, rows, current: rows.find(({ value }) => value.psp === id) }
})

type Vault = Kind.Versioned<{ readonly changes: number }> | undefined

/** The unit with the count of changes, which nobody else may have changed since it was read. */
const counted = (vault: Vault, unit: NewUnit): NewUnit => ({
  ...unit,
  inserts: [
    ...(unit.inserts ?? []),
    ...(vault === undefined ? [VaultKind.row({ changes: 1 })] : [])
  ],
  updates: [
    ...(unit.updates ?? []),
    ...(vault === undefined
      ? []
      : [Kind.update(VaultKind, vault, { changes: vault.value.changes + 1 })])
  ]
})

/** Two that change for the first time at once: the second looks again. */
const staleWhenFirst = staleWhenEnded(vaultId)

/** What makes and seals settings, and decides whether they may be kept. */
const makeChanges = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  const time = yield* ServiceTime
  const { configured, environment, makers } = yield* KeptPsps

  /** Writes what may be kept: nothing that is configured, or kept already. */
  const write = Effect.fnUntraced(function* (change: Change, key: IdempotencyKey | undefined) {
    const { credential, made, others, unit, vault } = change
    yield* alone(namedBy(credential.psp, made.psp), configured, others)
    const snapshot = PspCredentialKind.snapshot(unsealed(credential))
    const whole = {
      ...unit,
      ...begun(key, credential.id, snapshot)
    }
    yield* storage
      .commit(counted(vault, whole))
      .pipe(keyTaken, refusedFor("StaleVersion", "DuplicateKey"), staleWhenFirst)
    return unsealed(credential)
  })

  const adding = Effect.fnUntraced(function* (
    request: NewPspCredential,
    key: IdempotencyKey | undefined
  ) {
    const { label, provider, settings } = request
    if (request.environment !== undefined && request.environment !== environment)
      return yield* new PspOfOtherEnvironment({ deployment: environment })
    const made = yield* makers.make(provider, settings)
    const id = yield* ids.next<Uuid>()
    const psp = request.id ?? (yield* ids.next<PspCredentialId>())
    const sealed = yield* makers.seal({ psp, provider }, settings, made)
    return yield* decideAgain(
      Effect.gen(function* () {
        const { rows: others, vault } = yield* readVault(storage, psp)
        if (others.length >= keptMax) return yield* new TooManyPspCredentials({ max: keptMax })
        const at = yield* time.now
        const credential = added({ id, psp, provider, environment, label }, sealed, at)
        const unit = { at, inserts: [PspCredentialKind.row(credential)] }
        return yield* write({ credential, made, others, unit, vault }, key)
      })
    )
  })

  const rotating = Effect.fnUntraced(function* (
    id: Uuid,
    settings: Redacted.Redacted<PspSettings>,
    key: IdempotencyKey | undefined
  ) {
    const known = (yield* readVault(storage, id)).current
    if (known === undefined) return yield* new PspCredentialNotFound({ id })
    const made = yield* makers.make(known.value.provider, settings)
    const sealed = yield* makers.seal(known.value, settings, made)
    return yield* decideAgain(
      Effect.gen(function* () {
        const { current, rows, vault } = yield* readVault(storage, id)
        if (current === undefined) return yield* new PspCredentialNotFound({ id })
        const { value } = current
        if (value.pspAccount !== made.psp.identity?.account) return yield* new PspAccountChanged()
        const at = yield* time.now
        const credential = rotated(value, sealed, at)
        const unit = { at, updates: [Kind.update(PspCredentialKind, current, credential)] }
        const others = rows.filter((row) => row !== current)
        return yield* write({ credential, made, others, unit, vault }, key)
      })
    )
  })
  return { adding, rotating }
})

type Row = Kind.Versioned<PspCredential>

/** What is to be kept of a PSP, beside what is kept. */
interface Change {
  readonly credential: PspCredential
  readonly made: MadePsp
  readonly others: ReadonlyArray<Row>
  readonly unit: NewUnit
  readonly vault: Vault
}

/** Refuses what is configured, or kept already under another id. */
const alone = (
  one: NamedPsp,
  configured: ReadonlyArray<NamedPsp>,
  others: ReadonlyArray<Row>
): Effect.Effect<void, PspAlreadyThere> => {
  const wanted = clashOf(one, configured)
  // One that is revoked has only its id.
  const names = others.flatMap(({ value }) =>
    value.status === "active" || value.psp === one.id ? [namedAs(value)] : []
  )
  const clash = wanted ?? clashOf(one, names)
  return clash === undefined
    ? Effect.void
    : Effect.fail(
        new PspAlreadyThere({
          other: clash.other.id,
          by: clash.by,
          isConfigured: wanted !== undefined
        })
      )
}
