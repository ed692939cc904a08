interface ApiErrorFields {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly traceId?: string
  readonly idempotencyKey?: string
}

/** The service answered, and it is a refusal or an error (docs/reference/errors.md lists the codes). */
export class PagoraApiError extends Error {
  override readonly name = "PagoraApiError"
  /** The HTTP status. */
  readonly status: number
  /** `details.code` where the answer has one, otherwise the name of the error, such as `NotFound`. */
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  /** Quote it when you report the error. */
  readonly traceId: string | undefined
  /** The key of the call: after a 5xx the same call with this key is safe. */
  readonly idempotencyKey: string | undefined

  constructor({ code, details = {}, idempotencyKey, message, status, traceId }: ApiErrorFields) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.traceId = traceId
    this.idempotencyKey = idempotencyKey
  }
}

/**
 * No answer arrived, in spite of all tries. Of a POST it is not known whether the service did it: ask, or make the
 * same call again with `idempotencyKey`.
 */
export class PagoraConnectionError extends Error {
  override readonly name = "PagoraConnectionError"
  readonly idempotencyKey: string | undefined

  constructor(message: string, cause: unknown, idempotencyKey: string | undefined) {
    super(message, { cause })
    this.idempotencyKey = idempotencyKey
  }
}
