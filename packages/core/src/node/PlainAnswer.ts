import type { ServerResponse } from "node:http"

/** An error that is told before any app is asked, in the envelope of the API's errors. */
export interface PlainError {
  readonly statusCode: number
  readonly error: string
  readonly message: string
  readonly code?: string
}

/** The envelope as text. There is no traceId in it: nothing was logged that one could look up. */
export const plainText = ({ code, ...error }: PlainError): string =>
  JSON.stringify({
    ...error,
    ...(code === undefined ? {} : { details: { code } }),
    timestamp: new Date().toISOString()
  })

export const answerPlainly = (response: ServerResponse, error: PlainError): void => {
  response.writeHead(error.statusCode, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff"
  })
  response.end(plainText(error))
}
