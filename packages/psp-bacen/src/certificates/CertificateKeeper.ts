import { Clock, Duration, Effect } from "effect"
import type { CertificateSource, CertificateUnreadable } from "./Certificate.ts"
import { daysLeft, warnedAt } from "./CertificateEnd.ts"
import type { CertificateFacts, OpenCertificate } from "./OpenCertificate.ts"
import { openCertificate, retire } from "./OpenCertificate.ts"
import { monotonicMillis } from "../MonotonicMillis.ts"
import { oneFlight } from "@pagora/core/psp"

/** The certificate that we show now. It is looked at again while calls are made, so nothing has to be closed. */
export interface CertificateKeeper {
  /** What shows the certificate; the one before stays where a new one cannot be read. */
  readonly current: Effect.Effect<OpenCertificate, CertificateUnreadable>
  /** The bank may have refused the certificate: the next call looks first whether there is another one. */
  readonly doubt: Effect.Effect<void>
}

/** A bank that closes one connection after the other is no reason to look more often than that. */
const doubtMillis = 1_000

interface Kept {
  readonly open: OpenCertificate
  readonly version: string
}

/** Tells the operator of the end of a certificate: once for each time that it comes nearer. */
const makeEndSignal = (bank: string) => {
  const warned = new Map<string, number>()
  return (facts: CertificateFacts | undefined): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (facts === undefined) return
      const now = yield* Clock.currentTimeMillis
      const days = warnedAt(facts, now)
      if (days === undefined || warned.get(facts.fingerprint) === days) return
      warned.set(facts.fingerprint, days)
      yield* Effect.logWarning("The certificate for a bank comes to its end.").pipe(
        Effect.annotateLogs({
          bank,
          daysLeft: daysLeft(facts, now),
          certificate: facts.fingerprint
        })
      )
    })
}

export interface KeeperOptions {
  /** Who is told of in the log. */
  readonly bank: string
  readonly source: CertificateSource | undefined
  /** Trusted instead of the system's authorities, as PEM. */
  readonly authorities: string | undefined
}

export const makeKeeper = ({ authorities, bank, source }: KeeperOptions): CertificateKeeper => {
  let kept: Kept | undefined
  let lookAt = Number.POSITIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  let isDoubted = false
  const signal = makeEndSignal(bank)

  const lookAgainAfter = (every: Duration.Duration) =>
    Effect.map(monotonicMillis, (now) => {
      lookedAt = now
      lookAt = now + Duration.toMillis(every)
    })

  const load = Effect.gen(function* () {
    isDoubted = false
    if (source === undefined) {
      kept ??= { open: yield* openCertificate(undefined, authorities), version: "" }
      return kept.open
    }
    const version = yield* source.version
    if (kept?.version !== version) {
      const open = yield* openCertificate(yield* source.read, authorities)
      if (kept !== undefined) retire(kept.open)
      kept = { open, version }
    }
    yield* lookAgainAfter(source.every)
    yield* signal(kept.open.facts)
    return kept.open
  })

  const loaded = oneFlight(load)

  const refresh = (before: OpenCertificate) =>
    loaded.pipe(
      Effect.catchTag("CertificateUnreadable", ({ message }) =>
        Effect.andThen(
          Effect.logWarning(
            "A new certificate for a bank cannot be read; the one before stays."
          ).pipe(Effect.annotateLogs({ bank, problem: message })),
          Effect.as(lookAgainAfter(source?.every ?? Duration.infinity), before)
        )
      )
    )

  return {
    current: Effect.gen(function* () {
      if (kept === undefined) return yield* loaded
      const now = yield* monotonicMillis
      if (isDoubted) return yield* refresh(kept.open)
      if (now >= lookAt) {
        yield* lookAgainAfter(source?.every ?? Duration.infinity)
        yield* Effect.forkDetach(refresh(kept.open))
      }
      yield* signal(kept.open.facts)
      return kept.open
    }),
    doubt: Effect.map(monotonicMillis, (now) => {
      if (now - lookedAt >= doubtMillis) isDoubted = true
    })
  }
}
