import { DateTime } from "effect"

/** An error that is told before any app is asked, in the envelope of the API's errors. */
export interface PlainError {
  readonly statusCode: number
  readonly error: string
  readonly message: string
  readonly code?: string
}

/** The headers of every answer of the API. */
export const plainHeaders = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff"
} as const

/** The envelope as text. There is no traceId in it: nothing was logged that one could look up. */
export const plainText = ({ code, ...error }: PlainError): string =>
  JSON.stringify({
    ...error,
    ...(code === undefined ? {} : { details: { code } }),
    timestamp: DateTime.formatIso(DateTime.nowUnsafe())
  })

/** Refuses a body whose bytes are gone. The remedy says how to mount in this host so that they are not. */
export const alreadyParsed = (remedy: string): PlainError => ({
  statusCode: 500,
  error: "InternalError",
  message: `The body was parsed before Pagora saw it, and its bytes were not kept. ${remedy}`,
  code: "BODY_ALREADY_PARSED"
})

/** What did not arrive to its end while it was waited for, whoever waited: the listener for its headers, or an endpoint. */
export const arrivedLate = {
  statusCode: 408,
  error: "RequestTimeout",
  message:
    "The request did not arrive in time. Nothing was done: send it again on a new connection.",
  code: "REQUEST_TIMEOUT"
} as const satisfies PlainError
