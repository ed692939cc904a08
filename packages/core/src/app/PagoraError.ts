/**
 * What a call to the service can reject with. `code` is stable and the same as the HTTP API's `details.code`;
 * `message` is one sentence for a person; `details` are the fields beside the code.
 */
export class PagoraError extends Error {
  override readonly name = "PagoraError"
  readonly _tag = "PagoraError"
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions
  ) {
    super(message, options)
    this.code = code
    this.details = details
  }
}
