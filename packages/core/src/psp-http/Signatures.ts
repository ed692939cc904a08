import { Effect } from "effect"
import { createHash, createPublicKey, timingSafeEqual, verify } from "node:crypto"
import type { RawNotification } from "../ports/Psp.ts"
import { PspOutcome } from "../ports/Psp.ts"
import type { Asked } from "./Asked.ts"
import { failed } from "./Asked.ts"
import type { Findings } from "./Findings.ts"
import { finding, orFinding } from "./Findings.ts"
import { headerOf } from "./Notices.ts"

/** Whether two secrets, or two signatures by a shared one, are the same: in constant time, wherever they differ. */
export const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(digestOf(one), digestOf(other))

/** What tells two secrets apart and neither of them: `identity` where a PSP knows us by a secret alone. */
export const nameOfSecret = (secret: string): string =>
  digestOf(secret).toString("hex").slice(0, 16)

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Signatures of notifications by keys that the PSP publishes. */
export interface PublishedKeys {
  /** Whether it is signed by any of the keys, with SHA-256 over the bytes of its body. */
  readonly isSigned: (notification: RawNotification) => boolean
  /** Whether the keys are all that the PSP publishes (PEM). */
  readonly check: (published: Asked<ReadonlyArray<string>>) => Effect.Effect<Findings>
}

export interface PublishedKeysOptions {
  /** The PSP, as people call it. */
  readonly provider: string
  /** Which has the signature, in base64. */
  readonly header: string
  /** PEM. More than one, while one takes the place of another. */
  readonly publicKeys: ReadonlyArray<string>
}

export const publishedKeys = (options: PublishedKeysOptions): PublishedKeys => {
  const { header, provider, publicKeys } = options
  const keys = publicKeys.map((key) => createPublicKey(key))
  const known = new Set(publicKeys.map(derOf))
  return {
    isSigned: (notification) => {
      const text = headerOf(notification, header)
      const signature = Buffer.from(text, "base64")
      // Node reads more than one text as the same bytes.
      const isExact = signature.toString("base64") === text
      return isExact && keys.some((key) => verify("SHA256", notification.body, key, signature))
    },
    check: (published) =>
      Effect.map(Effect.flatMap(published, dersOf), (ders): Findings => [
        ders.every((der) => known.has(der))
          ? finding(name, "ok", `Callbacks are verified by each key that ${provider} publishes.`)
          : finding(name, "failed", `${provider} publishes a key that publicKeys lacks: add it.`)
      ]).pipe(orFinding(name, "warning", `${provider}'s keys are not told`, "check the PSP again"))
  }
}

const name = "signing-keys"

/** One key may be written in more than one way. */
const derOf = (key: string): string =>
  createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64")

const dersOf = (keys: ReadonlyArray<string>): Asked<ReadonlyArray<string>> =>
  Effect.catch(Effect.try({ try: () => keys.map(derOf), catch: () => undefined }), () =>
    failed(PspOutcome.unknown("a key that cannot be read"))
  )
