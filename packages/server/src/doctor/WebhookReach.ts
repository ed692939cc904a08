import { Effect } from "effect"
import type { ConfiguredPsp } from "../psp/ConfiguredPsps.ts"
import type { Finding } from "../psp/Findings.ts"
import { publicUrlForm, webhookUrlOf } from "../psp/PublicUrl.ts"

/** How long an answer may take. */
const answerMillis = 10_000

/** Whether what banks call leads to a Pagora, as far as can be seen from this machine. */
export const webhookFindings = (
  psps: ReadonlyArray<Pick<ConfiguredPsp, "id">>,
  publicUrl: string | undefined
): Effect.Effect<ReadonlyArray<Finding>> =>
  publicUrl === undefined
    ? Effect.succeed([
        {
          part: "webhooks",
          name: "address",
          state: "warning",
          message: `PAGORA_PUBLIC_URL is not set, so that nothing can be said of where banks send notifications: set it to ${publicUrlForm}.`
        }
      ])
    : Effect.forEach(psps, ({ id }) => reach(id, webhookUrlOf(publicUrl, id)), {
        concurrency: "unbounded"
      })

const reach = (part: string, url: string): Effect.Effect<Finding> =>
  Effect.map(
    Effect.promise((signal) => knock(url, signal)),
    ({ message, state }) => ({ part, name: "webhook-address", state, message })
  )

type Reached = Pick<Finding, "state" | "message">

/** A notification that nobody has signed: a Pagora refuses it in its own words. */
const knock = async (url: string, signal: AbortSignal): Promise<Reached> => {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMillis)])
    })
    return judged(url, response.status, await response.text())
  } catch (error) {
    return unanswered(url, error)
  }
}

const judged = (url: string, status: number, body: string): Reached => {
  if (isOurs(body))
    return status === 404
      ? {
          state: "failed",
          message: `${url} leads to a Pagora that has no such PSP (404): see whether it has this configuration.`
        }
      : { state: "ok", message: `${url} leads to a Pagora.` }
  return /certificate/iu.test(body) && status === 400
    ? { state: "ok", message: asksForCertificate(url) }
    : {
        state: "failed",
        message: `${url} answers ${status}, and not as a Pagora does: see whether PAGORA_PUBLIC_URL has the right host and path, and the proxy passes it on.`
      }
}

/** Errors and answers of ours are JSON objects of known members. */
const isOurs = (body: string): boolean => {
  try {
    const read: unknown = JSON.parse(body)
    return (
      typeof read === "object" &&
      read !== null &&
      ("received" in read || ("error" in read && "traceId" in read))
    )
  } catch {
    return false
  }
}

const unanswered = (url: string, error: unknown): Reached => {
  const code = codeOf(error)
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/u.test(code))
    return { state: "ok", message: asksForCertificate(url) }
  return {
    state: "failed",
    message: `${url} does not answer (${code}): see whether its name resolves, its certificate is valid and a firewall lets banks in.`
  }
}

const asksForCertificate = (url: string): string =>
  `${url} asks for a client certificate, as mutual TLS wants it; what is behind cannot be seen without one.`

/** `fetch` wraps what went wrong in an error that says nothing. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown"
  const { cause } = error
  if (cause instanceof Error && "code" in cause) return String(cause.code)
  return error.name === "TimeoutError" ? "no answer in 10 seconds" : error.name
}
