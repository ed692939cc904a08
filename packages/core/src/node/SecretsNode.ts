import { Effect, Layer, Option, Redacted, Schema } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  randomFillSync,
  timingSafeEqual
} from "node:crypto"
import type { KeyObject } from "node:crypto"
import { Recent } from "../kernel/Recent.ts"
import type { TokenClaims } from "../ports/Secrets.ts"
import { SealBroken, Secrets, TokenRefused } from "../ports/Secrets.ts"

/** A master secret must be as hard to guess as the keys that are derived from it. */
export class SecretTooShort extends Schema.TaggedError<SecretTooShort>()("SecretTooShort", {
  /** Which one: `secret`, or `former[0]` and so on. */
  which: Schema.String,
  bytes: Schema.Int
}) {
  override get message(): string {
    return `${this.which} has ${this.bytes} bytes and needs at least ${secretBytesMin}. Make one with: openssl rand -base64 32`
  }
}

export interface SecretsOptions {
  /** The deployment's master secret, at least 32 bytes. It signs, seals and peppers. */
  readonly secret: Redacted.Redacted
  /** Master secrets of before: they still verify and open. Drop one when nothing made under it is left. */
  readonly former?: ReadonlyArray<Redacted.Redacted>
  /** How many verified tokens are remembered, so that only the first request of a token pays. Default 10,000. */
  readonly verifiedMax?: number
}

/** `Secrets` by node:crypto. The order of `former` does not matter: keys are found by fingerprint. */
export const layer = (options: SecretsOptions): Layer.Layer<Secrets, SecretTooShort> =>
  Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const newest = yield* deriveKeys("secret", options.secret)
      const former = yield* Effect.forEach(options.former ?? [], (secret, index) =>
        deriveKeys(`former[${index}]`, secret)
      )
      const ring: KeyRing = {
        newest,
        all: new Map([...former, newest].map((keys) => [keys.id, keys]))
      }
      return Secrets.of({
        random: (bytes) => Effect.sync(() => random(bytes)),
        randomText: (bytes) => Effect.sync(() => randomBytes(bytes).toString("base64url")),
        webhookSecret: Effect.sync(() => `whsec_${randomBytes(32).toString("base64")}`),
        digest: (text) => Effect.sync(() => hash("sha256", text, "hex")),
        hmac: (key, text) => Effect.sync(() => new Uint8Array(hmac(keyObjectOf(key), text))),
        ...peppers(ring),
        ...seals(ring),
        ...tokens(ring, options.verifiedMax ?? 10_000)
      })
    })
  )

/** A master secret of its own for what nobody keeps, such as a service in memory. */
export const freshSecret: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(randomBytes(32).toString("base64"))
)

/**
 * What the simulated PSP signs its notifications with: derived from the master secret, as every key is, so that
 * whoever learns it has nothing else.
 */
export const sandboxSecret = (secret: Redacted.Redacted): Redacted.Redacted =>
  Redacted.make(
    derivedFrom(Buffer.from(Redacted.value(secret), "utf8"), "sandbox").toString("base64url")
  )

const derivedFrom = (master: Buffer, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync("sha256", master, "pagora", `pagora/v1/${purpose}`, bytes))

const secretBytesMin = 32
/** Ours have about 300. */
const tokenBytesMax = 4096
const claimBytesMax = 255

/** The keys that come from one master secret, each for one purpose. */
interface Keys {
  /** Tells master secrets apart without telling anything about them. */
  readonly id: string
  readonly pepper: KeyObject
  readonly data: KeyObject
  readonly token: KeyObject
  /** The first part of every token signed with `token`: there is exactly one way to write it. */
  readonly tokenHeader: string
}

interface KeyRing {
  readonly newest: Keys
  readonly all: ReadonlyMap<string, Keys>
}

const deriveKeys = Effect.fnUntraced(function* (
  which: string,
  secret: Redacted.Redacted
): Effect.fn.Return<Keys, SecretTooShort> {
  const master = Buffer.from(Redacted.value(secret), "utf8")
  if (master.length < secretBytesMin) {
    return yield* new SecretTooShort({ which, bytes: master.length })
  }
  const derive = (purpose: string, bytes = 32): Buffer => derivedFrom(master, purpose, bytes)
  const id = derive("fingerprint", 4).toString("hex")
  const tokenHeader = encodeJson({ alg: "HS256", kid: id, typ: "at+jwt" })
  const key = (purpose: string): KeyObject => createSecretKey(derive(purpose))
  return { id, pepper: key("pepper"), data: key("data"), token: key("token"), tokenHeader }
})

const encodeJson = (value: object): string =>
  Buffer.from(JSON.stringify(value), "utf8").toString("base64url")

const hmac = (key: KeyObject, text: string): Buffer =>
  createHmac("sha256", key).update(text, "utf8").digest()

const keyObjects = new WeakMap<Redacted.Redacted<string | Uint8Array>, KeyObject>()

/** A key is made ready once for as long as somebody holds it: to take its bytes anew costs more than to sign with them. */
const keyObjectOf = (key: Redacted.Redacted<string | Uint8Array>): KeyObject => {
  const known = keyObjects.get(key)
  if (known !== undefined) return known
  const value = Redacted.value(key)
  const made = createSecretKey(typeof value === "string" ? Buffer.from(value, "utf8") : value)
  keyObjects.set(key, made)
  return made
}

const pool = new Uint8Array(4096)
let poolUsed = pool.length

/** Ids take a few bytes each, many times a request: those come out of one bigger draw, 16 times cheaper. */
const random = (bytes: number): Uint8Array => {
  if (bytes > 16) return new Uint8Array(randomBytes(bytes))
  if (poolUsed + bytes > pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  poolUsed += bytes
  return pool.slice(poolUsed - bytes, poolUsed)
}

/** Never looks at one side only, and never throws where lengths differ. Texts of ours have one length, which is no secret. */
const isSame = (left: string, right: string): boolean =>
  left.length === right.length
    ? timingSafeEqual(Buffer.from(left, "utf16le"), Buffer.from(right, "utf16le"))
    : timingSafeEqual(hash("sha256", left, "buffer"), hash("sha256", right, "buffer"))

const pepperForm = /^p([0-9a-f]{8}):/

const peppers = ({
  all,
  newest
}: KeyRing): Pick<Secrets["Service"], "pepper" | "matchesPepper"> => {
  const under = (keys: Keys, secret: Redacted.Redacted) =>
    `p${keys.id}:${hmac(keys.pepper, Redacted.value(secret)).toString("hex")}`
  return {
    pepper: (secret) => Effect.sync(() => under(newest, secret)),
    matchesPepper: (secret, stored) =>
      Effect.sync(() => {
        // Under an unknown pepper nothing matches; it takes as long to say so.
        const keys = all.get(pepperForm.exec(stored)?.[1] ?? "") ?? newest
        return isSame(under(keys, secret), stored)
      })
  }
}

/** `v1.<key>.<nonce, ciphertext and tag>`. Random nonces are good for 2^32 values under one master secret. */
const sealForm = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/
const nonceBytes = 12
const tagBytes = 16

const seals = ({ all, newest }: KeyRing): Pick<Secrets["Service"], "seal" | "open"> => ({
  seal: (plain, place) =>
    Effect.sync(() => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv("aes-256-gcm", newest.data, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(place, "utf8"))
      const body = Buffer.concat([cipher.update(Redacted.value(plain), "utf8"), cipher.final()])
      const sealed = Buffer.concat([nonce, body, cipher.getAuthTag()])
      return `v1.${newest.id}.${sealed.toString("base64url")}`
    }),
  open: (sealed, place) =>
    Effect.try({
      try: () => {
        const [, id = "", text = ""] = sealForm.exec(sealed) ?? []
        const bytes = Buffer.from(text, "base64url")
        const keys = all.get(id)
        const isWhole =
          bytes.length >= nonceBytes + tagBytes && bytes.toString("base64url") === text
        if (keys === undefined || !isWhole) throw new SealBroken()
        const nonce = bytes.subarray(0, nonceBytes)
        const cipher = createDecipheriv("aes-256-gcm", keys.data, nonce, {
          authTagLength: tagBytes
        })
        cipher.setAAD(Buffer.from(place, "utf8"))
        cipher.setAuthTag(bytes.subarray(-tagBytes))
        const plain = cipher.update(bytes.subarray(nonceBytes, -tagBytes))
        return Redacted.make(Buffer.concat([plain, cipher.final()]).toString("utf8"))
      },
      catch: () => new SealBroken()
    })
})

/** Three parts of base64url, the last of them 32 bytes in the one way to write them. */
const tokenForm = /^([\w-]+)\.([\w-]+)\.([\w-]{42}[AEIMQUYcgkosw048])$/

/** The signature of a token's first two parts (RFC 7515, 5.1; HS256 of RFC 7518, 3.2). */
const tokenSignature = (key: KeyObject, signed: string): Buffer =>
  createHmac("sha256", key).update(signed, "latin1").digest()

const ClaimText = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(claimBytesMax))
const ClaimTime = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const decodeClaims = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      iss: ClaimText,
      aud: ClaimText,
      sub: ClaimText,
      iat: ClaimTime,
      exp: ClaimTime,
      jti: ClaimText
    })
  )
)

/** One for all: it says nothing that is different from the next, and to note where each was made costs 10 µs. */
const refused = Effect.fail(new TokenRefused())

const encodeClaims = ({ iss, aud, sub, iat, exp, jti }: TokenClaims): string =>
  encodeJson({ iss, aud, sub, iat, exp, jti })

/**
 * Nothing of a token is parsed before its signature holds: its header is looked up as a whole among those we
 * write, which leaves no algorithm, key id or extension to choose. Its claims must be written as we write
 * them, to the character, so no claim that we do not know can hide in it.
 */
const tokens = (
  { all, newest }: KeyRing,
  verifiedMax: number
): Pick<Secrets["Service"], "signToken" | "verifyToken"> => {
  const byHeader = new Map(Array.from(all.values(), (keys) => [keys.tokenHeader, keys]))
  const verified = new Recent<string, TokenClaims>(verifiedMax / 2)

  const verify = (token: string): TokenClaims | undefined => {
    const [, header = "", payload = "", signature = ""] =
      token.length <= tokenBytesMax ? (tokenForm.exec(token) ?? []) : []
    const keys = byHeader.get(header)
    if (keys === undefined) return undefined
    const expected = tokenSignature(keys.token, `${header}.${payload}`)
    if (!timingSafeEqual(expected, Buffer.from(signature, "base64url"))) return undefined
    const text = Buffer.from(payload, "base64url").toString("utf8")
    const claims = Option.getOrUndefined(decodeClaims(text))
    if (claims === undefined || encodeClaims(claims) !== payload) return undefined
    verified.set(token, claims)
    return claims
  }

  return {
    signToken: (claims) =>
      Effect.sync(() => {
        const signed = `${newest.tokenHeader}.${encodeClaims(claims)}`
        return Redacted.make(
          `${signed}.${tokenSignature(newest.token, signed).toString("base64url")}`
        )
      }),
    verifyToken: (redacted) =>
      Effect.suspend(() => {
        const token = Redacted.value(redacted)
        const claims = verified.get(token) ?? verify(token)
        return claims === undefined ? refused : Effect.succeed(claims)
      })
  }
}
