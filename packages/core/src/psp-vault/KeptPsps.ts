import {
  Cause,
  Clock,
  Context,
  DateTime,
  Effect,
  Exit,
  Layer,
  Result,
  Schema,
  Scope,
  Semaphore
} from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Environment, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { PspProviders } from "../ports/PspProvider.ts"
import { Secrets } from "../ports/Secrets.ts"
import { Storage } from "../storage/Storage.ts"
import { forgetPsp, pspCertificateEnds, pspCircuits } from "../telemetry/Metrics.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"
import type { Versioned } from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Version } from "../units/Unit.ts"
import type { Makers } from "./Makers.ts"
import { makersOf, whyUnmade } from "./Makers.ts"
import type { NamedPsp, PspCredential } from "./PspCredential.ts"
import {
  clashes,
  clashOf,
  keptMax,
  namedAs,
  namedBy,
  PspCredentialKind,
  vaultId,
  VaultKind
} from "./PspCredential.ts"

/** How soon every process has seen what any of them has changed: it looks each second, and a look takes a moment. */
export const keptTimes = { lookEvery: "1 second", seenWithin: "2 seconds" } as const

/** What a provider could not make, as while a file or a name was away, it is asked for again. */
const againNanos = 60_000_000_000n

/** A PSP is configured, and kept in the database. */
export class KeptPspClash extends Schema.TaggedError<KeptPspClash>()("KeptPspClash", {
  id: Schema.String,
  configured: Schema.String,
  provider: Schema.String,
  by: Schema.Literals(clashes)
}) {
  override get message(): string {
    const { by, configured, id, provider } = this
    const same = {
      id: "has this id, too",
      clientId: "has the same client id",
      account: "is of the same account"
    }
    const what = by === "id" ? same.id : `${same[by]}, under ${configured}`
    return `The PSP ${id} (${provider}) is kept in the database, and one that is configured ${what}: keep one of them. Take it out of the configuration, or start with the configuration of before and revoke what is kept: pagora psp revoke ${id}.`
  }
}

/** The PSPs that the operator keeps in the service, as this process knows them (decision 0108). */
export class KeptPsps extends Context.Service<
  KeptPsps,
  {
    /** What PSPs can be kept of. */
    readonly providers: PspProviders
    /** That of every PSP of the deployment. */
    readonly environment: Environment
    readonly configured: ReadonlyArray<NamedPsp>
    readonly makers: Makers
    /** Takes up what was changed, in this process or another. */
    readonly refresh: Effect.Effect<void, StorageError>
  }
>()("@pagora/core/psp-vault/KeptPsps") {
  /**
   * Puts those that are kept beside those that are configured. A start fails where one of them is both. One that does not open,
   * or cannot be made, is told in the log, and the others are well. A change while the service runs is taken up within a second
   * or two, by every process.
   */
  static readonly layer = (
    providers: PspProviders
  ): Layer.Layer<
    KeptPsps | PspDirectory,
    KeptPspClash | StorageError,
    PspDirectory | Secrets | Storage
  > =>
    Layer.effectContext(
      Effect.gen(function* () {
        const base = yield* PspDirectory
        const environment = environmentOf(base)
        const makers = makersOf(providers, yield* Secrets, environment)
        const configured = configuredOf(base)
        const kept = makeKept(yield* Storage)
        const scope = yield* Effect.scope
        const { atStart, whileRunning } = takersOf({
          makers,
          scope,
          configured,
          before: kept.known
        })
        yield* kept.look(atStart)
        const refresh = kept.look(whileRunning)
        if (Object.keys(providers).length > 0) yield* follow(refresh)
        const directory = PspDirectory.of({
          default: base.default,
          get all() {
            return [...base.all, ...kept.all()]
          },
          find: (id) => base.find(id) ?? kept.find(id)
        })
        return Context.make(PspDirectory, directory).pipe(
          Context.add(
            KeptPsps,
            KeptPsps.of({ providers, environment, configured, makers, refresh })
          )
        )
      })
    )

  /** Nothing is kept, and nobody looks. */
  static readonly none: Layer.Layer<KeptPsps, never, PspDirectory | Secrets> = Layer.effect(
    KeptPsps,
    Effect.gen(function* () {
      const base = yield* PspDirectory
      const environment = environmentOf(base)
      return KeptPsps.of({
        providers: {},
        environment,
        configured: configuredOf(base),
        makers: makersOf({}, yield* Secrets, environment),
        refresh: Effect.void
      })
    })
  )
}

/** That of its default, which is one of those that are configured. */
const environmentOf = (base: PspDirectory["Service"]): Environment =>
  base.find(base.default)?.environment ?? "production"

const configuredOf = ({ all, find }: PspDirectory["Service"]): ReadonlyArray<NamedPsp> =>
  all.flatMap((id) => {
    const psp = find(id)
    return psp === undefined ? [] : [namedBy(id, psp)]
  })

/** A PSP that was made here, and how what it acquired is let go. */
interface Held {
  readonly psp: PspShape
  readonly certificateEndsAt: DateTime.Utc | undefined
  readonly release: Effect.Effect<void>
}

/** One that is kept, as it was read last. */
interface Known {
  readonly version: Version
  /** Nobody holds one that cannot be made here. */
  readonly held: Held | undefined
  /** Why it cannot be made here, as it is now: what was there before may still be held. */
  readonly why: string | undefined
}

type Row = Versioned<PspCredential>
type AllKnown = ReadonlyMap<PspCredentialId, Known>

/** Lets go of what is not held any more: it was rotated, or revoked, and then it is not measured any more either. */
const letGo = (before: AllKnown, after: AllKnown) =>
  Effect.forEach(
    before,
    ([id, { held }]) => {
      const next = after.get(id)?.held
      if (held === undefined || held === next) return Effect.void
      return Effect.andThen(held.release, next === undefined ? forgetPsp(id) : Effect.void)
    },
    { discard: true }
  )

/** Measures what is held from now on. */
const measure = (before: AllKnown, after: AllKnown) =>
  Effect.forEach(
    after,
    Effect.fnUntraced(function* ([id, { held }]) {
      if (held === undefined || held === before.get(id)?.held) return
      yield* pspCircuits.record(0, id)
      // Not the one of before, until it is read the next time.
      yield* pspCertificateEnds.forget(id)
      const { certificateEndsAt: end } = held
      if (end !== undefined) yield* pspCertificateEnds.record(secondsOf(end), id)
    }),
    { discard: true }
  )

/** What is known of what is kept, and how it is read again where anything was changed. */
const makeKept = (storage: Storage["Service"]) => {
  const turn = Semaphore.makeUnsafe(1)
  let seen: Version = 0
  let known: AllKnown = new Map()
  /** By the monotonic clock; undefined where nothing is to be asked for again. */
  let againAt: bigint | undefined

  const activeNow = storage.list(PspCredentialKind, {
    account: vaultId,
    status: "active",
    order: "asc",
    limit: keptMax
  })

  /** Those that are known after this look; whoever does not come to its end keeps none of them. */
  const looked = <E>(rows: ReadonlyArray<Row>, take: Take<E>) =>
    Effect.suspend(() => {
      const next = new Map<PspCredentialId, Known>()
      return Effect.forEach(
        rows,
        (row) => {
          const before = known.get(row.value.psp)
          if (before?.version === row.version && before.why === undefined) {
            next.set(row.value.psp, before)
            return Effect.void
          }
          return Effect.map(take(row), (taken) => {
            next.set(row.value.psp, { version: row.version, ...taken })
          })
        },
        { discard: true }
      ).pipe(
        Effect.as<AllKnown>(next),
        Effect.onError(() => letGo(next, known))
      )
    })

  const look = <E>(take: Take<E>) =>
    turn.withPermit(
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          // Before the rows: what is changed in between is seen by the next look.
          const { version = 0 } = (yield* restore(storage.find(VaultKind, vaultId))) ?? {}
          const now = yield* Clock.monotonicTimeNanos
          if (version === seen && (againAt === undefined || now < againAt)) return
          const rows = yield* restore(activeNow)
          const before = known
          known = yield* restore(looked(rows, take))
          seen = version
          const isWhole = Array.from(known.values()).every(({ why }) => why === undefined)
          againAt = isWhole ? undefined : now + againNanos
          yield* measure(before, known)
          yield* letGo(before, known)
        })
      )
    )

  return {
    look,
    known: (id: PspCredentialId) => known.get(id),
    find: (id: PspCredentialId) => known.get(id)?.held?.psp,
    all: () => Array.from(known).flatMap(([id, { held }]) => (held === undefined ? [] : [id]))
  }
}

/** What becomes of a row that was changed: a PSP, or none. */
type Take<E> = (row: Row) => Effect.Effect<Omit<Known, "version">, E>

interface Taking {
  readonly makers: Makers
  /** What outlives every PSP that is kept. */
  readonly scope: Scope.Scope
  readonly configured: ReadonlyArray<NamedPsp>
  readonly before: (id: PspCredentialId) => Known | undefined
}

const takersOf = ({ before, configured, makers, scope }: Taking) => {
  const made = Effect.fnUntraced(function* (credential: PspCredential, sealed: string) {
    const own = yield* Scope.fork(scope)
    // Nobody waits for what a provider does at the end.
    const release = Effect.asVoid(Effect.forkIn(underGuard(close(own)), scope))
    const { certificateEndsAt, psp } = yield* makers.open(sealed, credential).pipe(
      Scope.provide(own),
      Effect.onError(() => release)
    )
    return { psp, certificateEndsAt, release }
  })

  /** What it had before may still do. It is tried again, and told once. */
  const unmade = Effect.fnUntraced(function* ({ provider, psp }: PspCredential, why: string) {
    const known = before(psp)
    if (known?.why !== why)
      yield* Effect.logError(
        "A PSP whose credentials are kept cannot be used by this process: what is new there is refused, and what was begun waits. It is tried again every minute."
      ).pipe(Effect.annotateLogs({ psp, provider, why }))
    return { held: known?.held, why }
  })

  const taken = Effect.fnUntraced(function* (credential: PspCredential, sealed: string) {
    const result = yield* Effect.result(made(credential, sealed))
    return Result.isSuccess(result)
      ? { held: result.success, why: undefined }
      : yield* unmade(credential, whyUnmade(result.failure))
  })

  const atStart = Effect.fnUntraced(function* ({ value }: Row) {
    const { provider, psp: id, sealedSettings } = value
    if (sealedSettings === undefined) return nobody
    const clash = clashOf(namedAs(value), configured)
    if (clash !== undefined)
      return yield* new KeptPspClash({ id, provider, configured: clash.other.id, by: clash.by })
    return yield* taken(value, sealedSettings)
  })

  const whileRunning = Effect.fnUntraced(function* ({ value }: Row) {
    if (value.sealedSettings === undefined) return nobody
    // A process of a newer configuration may run beside this one.
    if (clashOf(namedAs(value), configured) !== undefined) {
      const { why } = yield* unmade(value, "It is configured, too, and the configuration wins.")
      return { held: undefined, why }
    }
    return yield* taken(value, value.sealedSettings)
  })
  return { atStart, whileRunning }
}

const nobody = { held: undefined, why: undefined }

const close = (scope: Scope.Closeable) =>
  Effect.catchCause(Scope.close(scope, Exit.void), (cause) =>
    Effect.logWarning("What makes PSPs of a provider did not let go of one.", safeCause(cause))
  )

const secondsOf = (at: DateTime.Utc): number => Math.floor(DateTime.toEpochMillis(at) / 1_000)

/** Looks until the scope closes, and says once when it cannot. */
const follow = (refresh: Effect.Effect<void, StorageError>) => {
  let isFollowing = true
  const turn = Effect.matchCauseEffect(refresh, {
    onSuccess: () => Effect.sync(() => (isFollowing = true)),
    onFailure: (cause: Cause.Cause<StorageError>) => {
      if (!isFollowing) return Effect.void
      isFollowing = false
      return Effect.logWarning(
        "The credentials of PSPs that are kept could not be looked at; it is tried again every second.",
        safeCause(cause)
      )
    }
  })
  return Effect.forkScoped(
    underGuard(Effect.forever(Effect.andThen(Effect.sleep(keptTimes.lookEvery), turn)))
  )
}
