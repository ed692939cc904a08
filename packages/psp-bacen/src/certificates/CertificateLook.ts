import { DateTime, Effect } from "effect"
import type { CertificateSource, CertificateUnreadable } from "./Certificate.ts"
import { openCertificate, retire } from "./OpenCertificate.ts"

/** What a certificate says of itself, for whoever takes it before it is shown to a bank. */
export interface CertificateLook {
  readonly subject: string
  readonly endsAt: DateTime.Utc
  /** SHA-256, in lower-case hexadecimal digits. */
  readonly fingerprint: string
}

/** Opens a certificate as a connection to a bank does; fails where its passphrase or its key does not fit. */
export const lookAtCertificate = (
  source: CertificateSource
): Effect.Effect<CertificateLook | undefined, CertificateUnreadable> =>
  Effect.gen(function* () {
    const open = yield* openCertificate(yield* source.read, undefined)
    retire(open)
    const { facts } = open
    return (
      facts && {
        subject: facts.subject,
        endsAt: DateTime.makeUnsafe(facts.notAfterMillis),
        fingerprint: facts.fingerprint
      }
    )
  })
