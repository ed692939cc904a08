import type { PspCredentialId } from "@pagora/core"
import { Result } from "effect"

export const publicUrlForm =
  "the address of the tenants' API as banks reach it, such as https://pay.example.com/v2"

/** An address without its last slash: HTTPS, without credentials, a query or a fragment. */
export const readPublicUrl = (text: string): Result.Result<string, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain =
    url !== undefined &&
    (url.protocol === "https:" || isLoopback(url)) &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === ""
  return isPlain ? Result.succeed(text.replace(/\/+$/u, "")) : Result.fail(publicUrlForm)
}

/** A bank on this machine, which is one to play with, may call by HTTP. */
const isLoopback = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname)

/** Where a PSP sends its notifications. */
export const webhookUrlOf = (publicUrl: string, psp: PspCredentialId): string =>
  `${publicUrl}/psp/${psp}/webhook`

/** The same for a PSP that looks whether it is there, where it is known. */
export const wantedAt = (publicUrl: string | undefined, psp: PspCredentialId) =>
  publicUrl === undefined ? undefined : { webhookUrl: webhookUrlOf(publicUrl, psp) }
