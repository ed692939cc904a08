import { Context, Effect, Fiber, Layer } from "effect"
import type { Redacted } from "effect"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { Environment } from "../ports/Psp.ts"
import type { PspSettings, PspSettingsRefused } from "../ports/PspProvider.ts"
import { ReportWorker } from "../psp-reports/ReportWorker.ts"
import { decideAgain, refusedFor, staleWhenEnded } from "../storage/DecideAgain.ts"
import { Storage } from "../storage/Storage.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { NewUnit } from "../units/Unit.ts"
import { KeptPsps, keptTimes } from "./KeptPsps.ts"
import {
  PspAccountChanged,
  PspAlreadyThere,
  PspCredentialNotFound,
  PspOfOtherEnvironment,
  PspOfOtherProvider,
  TooManyPspCredentials
} from "./PspCredentialRefusals.ts"
import type { Makers, PspProviderUnknown } from "./Makers.ts"
import type { NamedPsp, PspCredential, SealedPlace, SealedSettings } from "./PspCredential.ts"
import {
  added,
  clashOf,
  isActive,
  keptMax,
  namedAs,
  namedBy,
  PspCredentialKind,
  rememberedMax,
  revoked,
  rotated,
  unsealed,
  vaultId,
  VaultKind
} from "./PspCredential.ts"

export interface NewPspCredential {
  readonly provider: string
  /** That of the deployment, unless told; another one is refused. */
  readonly environment?: Environment
  /** Under which charges remember it: one that was configured before goes on under its id. */
  readonly id?: PspCredentialId
  readonly label?: string
  readonly settings: Redacted.Redacted<PspSettings>
}

export interface PspRotation {
  /** What the operator takes them for; another bank or environment than that of what is kept is refused. */
  readonly provider?: string
  readonly environment?: Environment
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
      rotation: PspRotation,
      key?: IdempotencyKey
    ) => Effect.Effect<
      PspCredential,
      | Unmakeable
      | PspCredentialNotFound
      | PspAlreadyThere
      | PspAccountChanged
      | PspOfOtherEnvironment
      | PspOfOtherProvider
      | TooManyPspCredentials
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
      const scope = yield* Effect.scope
      // A process that did not know the PSP yet would take these for those of one that is gone.
      const seenAndAsked = Effect.andThen(seen, begin)
      /** Whoever asked for a change may leave once it is made: its looks begin all the same. */
      const followed = <A, E>(change: Effect.Effect<A, E>) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const changed = yield* restore(change)
            yield* restore(Fiber.join(yield* Effect.forkIn(underGuard(seenAndAsked), scope)))
            return changed
          })
        )

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
        storage.list(PspCredentialKind, { account: vaultId, order: "desc", limit: rememberedMax }),
        (rows) => rows.map(({ value }) => unsealed(value))
      )
      const { adding, rotating } = yield* makeChanges

      const add = Effect.fn("PspCredentials.add")(function* (
        request: NewPspCredential,
        key?: IdempotencyKey
      ) {
        return yield* followed(adding(request, key))
      })
      const rotate = Effect.fn("PspCredentials.rotate")(function* (
        id: Uuid,
        rotation: PspRotation,
        key?: IdempotencyKey
      ) {
        return yield* followed(rotating(id, rotation, key))
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
    limit: rememberedMax
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

/** Refuses what the operator means for another environment than that of the deployment. */
const fitting = (environment: Environment, wanted: Environment | undefined) =>
  wanted === undefined || wanted === environment
    ? Effect.void
    : Effect.fail(new PspOfOtherEnvironment({ deployment: environment }))

/** What settings make, for as long as it takes to look at it, and the settings sealed. */
const looked = (
  makers: Makers,
  place: SealedPlace,
  settings: Redacted.Redacted<PspSettings>
): Effect.Effect<Looked, Unmakeable> =>
  Effect.scoped(
    Effect.gen(function* () {
      const made = yield* makers.make(place.provider, settings)
      return {
        named: namedBy(place.psp, made.psp),
        sealed: yield* makers.seal(place, settings, made)
      }
    })
  )

/** What makes and seals settings, and decides whether they may be kept. */
const makeChanges = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  const time = yield* ServiceTime
  const { configured, environment, makers } = yield* KeptPsps

  /** Writes what may be kept: nothing that is configured, or kept already. */
  const write = Effect.fnUntraced(function* (change: Change, key: IdempotencyKey | undefined) {
    const { credential, named, others, unit, vault } = change
    yield* alone(named, configured, others)
    // One that was revoked is there again, too.
    if (others.filter(({ value }) => isActive(value)).length >= keptMax)
      return yield* new TooManyPspCredentials({ max: keptMax, counted: "active" })
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
    yield* fitting(environment, request.environment)
    const id = yield* ids.next<Uuid>()
    const psp = request.id ?? (yield* ids.next<PspCredentialId>())
    const { named, sealed } = yield* looked(makers, { psp, provider }, settings)
    return yield* decideAgain(
      Effect.gen(function* () {
        const { rows: others, vault } = yield* readVault(storage, psp)
        if (others.length >= rememberedMax)
          return yield* new TooManyPspCredentials({ max: rememberedMax, counted: "remembered" })
        const at = yield* time.now
        const credential = added({ id, psp, provider, environment, label }, sealed, at)
        const unit = { at, inserts: [PspCredentialKind.row(credential)] }
        return yield* write({ credential, named, others, unit, vault }, key)
      })
    )
  })

  const rotating = Effect.fnUntraced(function* (
    id: Uuid,
    { provider, settings, ...wanted }: PspRotation,
    key: IdempotencyKey | undefined
  ) {
    const known = (yield* readVault(storage, id)).current?.value
    if (known === undefined) return yield* new PspCredentialNotFound({ id })
    if (provider !== undefined && provider !== known.provider)
      return yield* new PspOfOtherProvider({ kept: known.provider })
    yield* fitting(environment, wanted.environment)
    const { named, sealed } = yield* looked(makers, known, settings)
    return yield* decideAgain(
      Effect.gen(function* () {
        const { current, rows, vault } = yield* readVault(storage, id)
        if (current === undefined) return yield* new PspCredentialNotFound({ id })
        const { value } = current
        if (value.pspAccount !== named.account)
          return yield* new PspAccountChanged(present({ kept: value.pspAccount }))
        const at = yield* time.now
        const credential = rotated(value, sealed, at)
        const unit = { at, updates: [Kind.update(PspCredentialKind, current, credential)] }
        const others = rows.filter((row) => row !== current)
        return yield* write({ credential, named, others, unit, vault }, key)
      })
    )
  })
  return { adding, rotating }
})

type Row = Kind.Versioned<PspCredential>

/** What is known of settings once a PSP was made of them. */
interface Looked {
  readonly named: NamedPsp
  readonly sealed: SealedSettings
}

/** What is to be kept of a PSP, beside what is kept. */
interface Change {
  readonly credential: PspCredential
  readonly named: NamedPsp
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
    isActive(value) || value.psp === one.id ? [namedAs(value)] : []
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
