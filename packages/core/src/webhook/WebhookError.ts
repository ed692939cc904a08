/**
 * Why a delivery was not accepted:
 *
 * - `SECRET_MISSING`: no secret was given, or an empty one. The receiver is not set up.
 * - `BODY_NOT_RAW`: the body is not the text or the bytes as they arrived, but something parsed from them.
 * - `HEADER_REPEATED`: a header that counts came more than once.
 * - `HEADER_MALFORMED`: a header that counts is not in the form that the service sends.
 * - `SIGNATURE_MISSING`: nothing signs the delivery.
 * - `SIGNATURE_MISMATCH`: no secret makes this signature of this body.
 * - `TIMESTAMP_UNSIGNED`: `requireSignedTimestamp` is on, and only the body is signed.
 * - `TIMESTAMP_OUT_OF_TOLERANCE`: it was signed too long ago, or in the future.
 * - `BODY_MALFORMED`: signed, but no event. Not a delivery of this service.
 */
export type WebhookErrorCode =
  | "SECRET_MISSING"
  | "BODY_NOT_RAW"
  | "HEADER_REPEATED"
  | "HEADER_MALFORMED"
  | "SIGNATURE_MISSING"
  | "SIGNATURE_MISMATCH"
  | "TIMESTAMP_UNSIGNED"
  | "TIMESTAMP_OUT_OF_TOLERANCE"
  | "BODY_MALFORMED"

/** A delivery that must not be believed. Its message never holds a secret or a signature. */
export class WebhookError extends Error {
  override readonly name = "WebhookError"
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
