import { createSign, generateKeyPairSync } from "node:crypto"

/** What Woovi signs the callbacks of all its customers with. */
export interface WooviKeys {
  /** From now on another key signs; those before it stay published. */
  readonly rotate: () => void
  /** As PEM, the current one last. */
  readonly published: () => ReadonlyArray<string>
  /** RSA-SHA256, in Base64 (docs/webhook/seguranca). */
  readonly sign: (body: string) => string
}

export const makeWooviKeys = (): WooviKeys => {
  const pairs = [newPair()]
  const current = () => pairs.at(-1) ?? newPair()
  return {
    rotate: () => void pairs.push(newPair()),
    published: () => pairs.map(({ publicKey }) => publicKey),
    sign: (body) => createSign("RSA-SHA256").update(body).sign(current().privateKey, "base64")
  }
}

const newPair = () => {
  // Woovi's own key has as many bits.
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 })
  return { privateKey, publicKey: publicKey.export({ type: "spki", format: "pem" }).toString() }
}
