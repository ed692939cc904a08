import type { Redacted } from "effect"
import { Effect, Result } from "effect"
import { decodeUtf8 } from "../kernel/StrictJson.ts"
import type { PspShape, RawNotification } from "../ports/Psp.ts"
import { NotificationRefused } from "../ports/Psp.ts"
import { Secrets } from "../ports/Secrets.ts"
import { readNotices } from "./SandboxNotification.ts"

/** How notifications are made authentic, and told from those that are not. */
export interface SandboxSignatures {
  readonly sign: (body: string) => Effect.Effect<RawNotification>
  readonly read: PspShape["readNotification"]
}

export const makeSignatures = Effect.fnUntraced(function* (
  secret: Redacted.Redacted
): Effect.fn.Return<SandboxSignatures, never, Secrets> {
  const secrets = yield* Secrets
  const signatureOf = (body: string) => Effect.map(secrets.hmac(secret, body), hex)
  return {
    sign: (body) =>
      Effect.map(signatureOf(body), (signature) => ({
        headers: { "content-type": "application/json", [signatureHeader]: signature },
        body: new TextEncoder().encode(body),
        query: {},
        path: "" as const
      })),
    read: Effect.fn("SandboxPsp.readNotification")(function* ({ body, headers }) {
      const given = headerOf(headers)
      const text = Result.getOrUndefined(decodeUtf8(body))
      if (given === undefined || text === undefined) return yield* refuse("Unauthenticated")
      if (!isSame(given, yield* signatureOf(text))) return yield* refuse("Unauthenticated")
      const notices = readNotices(text)
      return notices ?? (yield* refuse("Malformed"))
    })
  }
})

/** Where the HMAC-SHA-256 of the body stands, in lower-case hexadecimal digits. */
const signatureHeader = "x-sandbox-signature"

const headerOf = (headers: RawNotification["headers"]): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === signatureHeader)?.[1]

const refuse = (reason: NotificationRefused["reason"]) =>
  Effect.fail(new NotificationRefused({ reason }))

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Looks at every character whatever the ones before were: the time it takes tells nothing of the right text. */
const isSame = (given: string, expected: string): boolean => {
  let difference = given.length ^ expected.length
  for (let i = 0; i < expected.length; i++) {
    difference |= given.charCodeAt(i) ^ expected.charCodeAt(i)
  }
  return difference === 0
}
