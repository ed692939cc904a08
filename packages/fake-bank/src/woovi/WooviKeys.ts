import type { KeyObject } from "node:crypto"
import { createPublicKey, createSign, generateKeyPairSync } from "node:crypto"

/** What Woovi signs the callbacks of all its customers with. */
export interface WooviKeys {
  /** From now on another key signs; those before it stay published. */
  readonly rotate: () => void
  /** As PEM, the current one last. */
  readonly published: () => ReadonlyArray<string>
  /** RSA-SHA256, in Base64 (docs/webhook/seguranca). */
  readonly sign: (body: string) => string
}

/** Woovi's own key has as many bits. */
const modulusLength = 1024

const newKey = (): KeyObject => generateKeyPairSync("rsa", { modulusLength }).privateKey

/** The first of them is a new one, unless told. */
export const makeWooviKeys = (first: KeyObject = newKey()): WooviKeys => {
  let current = first
  const all = [first]
  return {
    rotate: () => {
      current = newKey()
      all.push(current)
    },
    published: () => all.map(publicKeyOf),
    sign: (body) => createSign("RSA-SHA256").update(body).sign(current, "base64")
  }
}

const publicKeyOf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: "spki", format: "pem" }).toString()
