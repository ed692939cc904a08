import { createHash, createHmac } from "node:crypto"

/** What Banco Aurora signs of a request: when, what, and the digest of the body. */
export const signRequest = (
  secret: string,
  request: {
    readonly time: string
    readonly method: string
    readonly path: string
    readonly body: string
  }
): string => {
  const digest = createHash("sha256").update(request.body).digest("hex")
  return hmac(secret, [request.time, request.method, request.path, digest].join("\n"))
}

/** What Banco Aurora signs of a notification: when, and its bytes. */
export const signNotification = (secret: string, time: string, body: Uint8Array): string =>
  hmac(secret, Buffer.concat([Buffer.from(`${time}\n`), body]))

const hmac = (secret: string, text: string | Uint8Array) =>
  createHmac("sha256", secret).update(text).digest("hex")
