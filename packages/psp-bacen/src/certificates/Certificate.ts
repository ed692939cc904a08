import { Duration, Effect, Redacted, Schema } from "effect"
import { readFile, stat } from "node:fs/promises"

/** What we show to the bank: the bytes of a `.p12`, kept as they are, or a PEM pair. */
export type ClientIdentity =
  | { readonly p12: Uint8Array; readonly passphrase?: Redacted.Redacted<string> }
  | {
      readonly certificate: string
      readonly privateKey: Redacted.Redacted<string>
      readonly passphrase?: Redacted.Redacted<string>
    }

/** The certificate was not there, or is none. The sentence names no secret. */
export class CertificateUnreadable extends Schema.TaggedError<CertificateUnreadable>()(
  "CertificateUnreadable",
  { problem: Schema.String }
) {
  override get message(): string {
    return this.problem
  }
}

/** Whence a certificate comes, so that a new one is taken up without a restart. */
export interface CertificateSource {
  /** How often it is looked whether there is another one. */
  readonly every: Duration.Duration
  /** Tells one from the next, without reading it; the same for good where it never changes. */
  readonly version: Effect.Effect<string, CertificateUnreadable>
  readonly read: Effect.Effect<ClientIdentity, CertificateUnreadable>
}

export interface SourceOptions {
  readonly passphrase?: string | Redacted.Redacted<string>
  /** How often it is looked whether there is another one; every minute by default. */
  readonly every?: Duration.Input
}

/** A `.p12` (PKCS #12) file. It is read again when it has changed. */
const p12File = (path: string, options: SourceOptions = {}): CertificateSource => ({
  every: everyOf(options),
  version: versionOf([path]),
  read: Effect.map(fileOf(path), (p12) => ({ p12, ...phraseOf(options) }))
})

/** A certificate and its key in two PEM files. They are read again when one of them has changed. */
const pemFiles = (
  files: { readonly certificate: string; readonly privateKey: string },
  options: SourceOptions = {}
): CertificateSource => ({
  every: everyOf(options),
  version: versionOf([files.certificate, files.privateKey]),
  read: Effect.map(
    Effect.all([fileOf(files.certificate), fileOf(files.privateKey)]),
    ([certificate, privateKey]) => ({
      certificate: textOf(certificate),
      privateKey: Redacted.make(textOf(privateKey)),
      ...phraseOf(options)
    })
  )
})

/** A `.p12` as Base64, as an environment variable holds it. */
const p12Base64 = (
  text: string | Redacted.Redacted<string>,
  options: SourceOptions = {}
): CertificateSource =>
  fixed({ p12: Buffer.from(Redacted.value(redacted(text)), "base64"), ...phraseOf(options) })

/** A PEM pair as text. */
const pem = (
  pair: {
    readonly certificate: string
    readonly privateKey: string | Redacted.Redacted<string>
  },
  options: SourceOptions = {}
): CertificateSource =>
  fixed({
    certificate: pair.certificate,
    privateKey: redacted(pair.privateKey),
    ...phraseOf(options)
  })

const providedWithin = "10 seconds"

/** A function of yours, such as one that asks a vault. It is called each hour by default, and has 10 seconds. */
const provider = (
  provide: () => Promise<ClientIdentity> | Effect.Effect<ClientIdentity, unknown>,
  options: Pick<SourceOptions, "every"> = {}
): CertificateSource => {
  const read = Effect.suspend(() => {
    const given = provide()
    return Effect.isEffect(given) ? given : Effect.promise(() => given)
  }).pipe(
    // One that hangs must not keep the certificate from being used that is there.
    Effect.timeout(providedWithin),
    Effect.catchDefect(Effect.fail),
    // What a vault says of itself may hold a secret.
    Effect.mapError(
      () =>
        new CertificateUnreadable({ problem: "The function that provides the certificate failed." })
    )
  )
  return {
    every: Duration.fromInputUnsafe(options.every ?? "1 hour"),
    version: Effect.map(read, digestOf),
    read
  }
}

export const Certificate = { p12File, pemFiles, p12Base64, pem, provider } as const

/** A secret, whichever way it was given. */
export const redacted = (text: string | Redacted.Redacted<string>): Redacted.Redacted<string> =>
  typeof text === "string" ? Redacted.make(text) : text

const fixed = (identity: ClientIdentity): CertificateSource => ({
  every: Duration.infinity,
  version: Effect.succeed("fixed"),
  read: Effect.succeed(identity)
})

const everyOf = ({ every = "1 minute" }: SourceOptions) => Duration.fromInputUnsafe(every)

const phraseOf = ({ passphrase }: SourceOptions) =>
  passphrase === undefined ? {} : { passphrase: redacted(passphrase) }

/** Two identities are one where all of their bytes are. */
const digestOf = (identity: ClientIdentity): string =>
  "p12" in identity
    ? Buffer.from(identity.p12).toString("base64")
    : `${identity.certificate}${Redacted.value(identity.privateKey)}`

const unreadable = (path: string) => () =>
  new CertificateUnreadable({ problem: `The certificate file ${path} cannot be read.` })

const fileOf = (path: string) =>
  Effect.tryPromise({ try: () => readFile(path), catch: unreadable(path) })

const versionOf = (paths: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(paths, (path) =>
      Effect.tryPromise({ try: () => stat(path, { bigint: true }), catch: unreadable(path) })
    ),
    (stats) => stats.map(({ ino, mtimeNs, size }) => `${ino}:${mtimeNs}:${size}`).join(" ")
  )

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
