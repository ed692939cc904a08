import type { PspCredentialId } from "@pagora/core"
import { Effect, Result } from "effect"
import { CommandFailed } from "../commands/CommandFailed.ts"

export const publicUrlForm =
  "the address of the tenants' API as banks reach it, such as https://pay.example.com/v2"

/** An address without its last slash: HTTPS, without credentials, a query or a fragment; or why it is refused, as the end of a sentence. */
export const readPublicUrl = (text: string): Result.Result<string, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return Result.fail("it is no URL")
  if (url.protocol !== "https:" && !isLoopback(url))
    return Result.fail("banks call by https only, but for one that plays on this machine")
  if (url.username !== "" || url.password !== "") return Result.fail("it has a user or a password")
  if (url.search !== "" || url.hash !== "") return Result.fail("it has a query or a fragment")
  return Result.succeed(text.replace(/\/+$/u, ""))
}

/** A bank on this machine, which is one to play with, may call by HTTP. */
const isLoopback = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname)

/** The address that a command was given; undefined where it was given none. One that banks cannot call ends the command, and is not repeated: it may have a password. */
export const givenPublicUrl = (text: string): Effect.Effect<string | undefined, CommandFailed> =>
  text === ""
    ? Effect.undefined
    : Effect.fromResult(readPublicUrl(text)).pipe(
        Effect.mapError(
          (why) =>
            new CommandFailed({
              message: `The public URL cannot be used: ${why}. Set PAGORA_PUBLIC_URL or --public-url to ${publicUrlForm}.`
            })
        )
      )

/** The same for a command that cannot do without. */
export const neededPublicUrl = (text: string): Effect.Effect<string, CommandFailed> =>
  Effect.flatMap(givenPublicUrl(text), (url) =>
    url === undefined
      ? new CommandFailed({
          message: `Where PSPs are to send their notifications is not known: set PAGORA_PUBLIC_URL or --public-url to ${publicUrlForm}.`
        })
      : Effect.succeed(url)
  )

/** Where a PSP sends its notifications. */
export const webhookUrlOf = (publicUrl: string, psp: PspCredentialId): string =>
  `${publicUrl}/psp/${psp}/webhook`

/** The same for a PSP that looks whether it is there, where it is known. */
export const wantedAt = (publicUrl: string | undefined, psp: PspCredentialId) =>
  publicUrl === undefined ? undefined : { webhookUrl: webhookUrlOf(publicUrl, psp) }
