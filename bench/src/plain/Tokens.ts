import { jwtVerify, SignJWT } from "jose"
import { createHmac, timingSafeEqual, webcrypto } from "node:crypto"

/** Seconds. */
export const tokenLifetime = 300

const name = "plain"

/** What is derived from the secrets of the deployment. */
export interface Tokens {
  readonly digest: (clientSecret: string) => Buffer
  readonly isSecret: (clientSecret: string, digest: Buffer) => boolean
  readonly sign: (credential: string) => Promise<string>
  /** The credential that a token was made for; undefined when it is none of ours, or over. */
  readonly verify: (token: string) => Promise<string | undefined>
}

export const makeTokens = async (tokenSecret: Buffer, pepper: Buffer): Promise<Tokens> => {
  // Imported once: jose would otherwise do it again for each token.
  const key = await webcrypto.subtle.importKey(
    "raw",
    tokenSecret,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign", "verify"]
  )
  const digest = (clientSecret: string): Buffer =>
    createHmac("sha256", pepper).update(clientSecret, "utf8").digest()
  const options = { issuer: name, audience: name, algorithms: ["HS256"], typ: "at+jwt" }
  return {
    digest,
    isSecret: (clientSecret, expected) => timingSafeEqual(digest(clientSecret), expected),
    sign: (credential) =>
      new SignJWT()
        .setProtectedHeader({ alg: "HS256", typ: "at+jwt" })
        .setIssuer(name)
        .setAudience(name)
        .setSubject(credential)
        .setJti(webcrypto.randomUUID())
        .setIssuedAt()
        .setExpirationTime(`${tokenLifetime}s`)
        .sign(key),
    verify: async (token) => {
      try {
        return (await jwtVerify(token, key, options)).payload.sub
      } catch {
        return undefined
      }
    }
  }
}
