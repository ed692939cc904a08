/** What a status means, of any endpoint. */
export const statusTexts: Readonly<Record<number, string>> = {
  200: "Done.",
  201: "Created.",
  400: "The input is not what the endpoint takes, or a rule of the business refuses it; `details.code` says which.",
  401: "The token is missing, not valid, or over.",
  403: "The credential may not do this: a permission, the caller's address, sub-account access, or a suspended wallet or account.",
  404: "Something that the request names is not there; `details` has `resource` and `id`.",
  408: "The request did not arrive in time. Nothing was done, and the connection ends: send it again on another one.",
  409: "There is one already, or a request with this `Idempotency-Key` is still at work.",
  413: "The body is larger than 65,536 bytes.",
  415: "The body is not declared as `application/json`.",
  422: "The `Idempotency-Key` was used with another body within 24 hours.",
  429: "Too many requests. Nothing was done; wait for `Retry-After`.",
  500: "A fault of ours, or the payment institution did not answer (`PSP_UNAVAILABLE`): with `Retry-After` where it is known when it can be asked again.",
  503: "The storage cannot be used right now. `STORAGE_UNAVAILABLE`: nothing was done. `OUTCOME_UNKNOWN`: it may be done; send it again with the same `Idempotency-Key`, or look it up by its `externalReference`. Wait for `Retry-After`."
}

const examples: Readonly<
  Record<number, readonly [code: string, message: string, details?: object]>
> = {
  400: [
    "VALIDATION_ERROR",
    "amount: The smallest amount is 0.01.",
    { issues: [{ field: "amount", message: "The smallest amount is 0.01." }] }
  ],
  401: [
    "TOKEN_EXPIRED",
    "The access token has expired: they last 300 seconds. Get a new one from POST /auth."
  ],
  403: [
    "PERMISSION_DENIED",
    "This credential lacks the permission PIX:WRITE.",
    { permission: "PIX:WRITE" }
  ],
  404: [
    "SUB_ACCOUNT_NOT_FOUND",
    "There is no sub-account loja-2.",
    { resource: "sub-account", id: "loja-2" }
  ],
  408: [
    "REQUEST_TIMEOUT",
    "The request did not arrive in time. Nothing was done: send it again on a new connection."
  ],
  409: [
    "IDEMPOTENCY_KEY_IN_USE",
    "A request with this Idempotency-Key is still being worked on. Try again in a moment."
  ],
  413: ["PAYLOAD_TOO_LARGE", "The request body is larger than 65536 bytes."],
  415: [
    "UNSUPPORTED_MEDIA_TYPE",
    "The request body must be JSON: send it with Content-Type: application/json.",
    { contentType: "text/plain" }
  ],
  422: [
    "IDEMPOTENCY_KEY_REUSED",
    "This Idempotency-Key was used with another request body within the last 24 hours. Use a new key, or send the first body again."
  ],
  429: [
    "RATE_LIMITED",
    "Too many requests: 600 in 60 seconds are allowed. Try again in 3 seconds."
  ],
  503: [
    "STORAGE_UNAVAILABLE",
    "The storage cannot be used right now, and nothing was done. Send the request again in a moment."
  ]
}

const authMessages: Readonly<Record<number, string>> = {
  400: "Send a JSON body with client_id and client_secret, both texts.",
  401: "client_id or client_secret is not right.",
  408: "The request did not arrive in time. Nothing was done: send it again on a new connection.",
  413: "The request body is larger than 65536 bytes.",
  415: "The request body must be JSON: send it with Content-Type: application/json.",
  429: "Too many requests: 60 in 60 seconds are allowed. Try again in 3 seconds.",
  503: "The storage cannot be used right now, and nothing was done. Send the request again in a moment."
}

const fault = "Something went wrong on our side."

/** The body of an error as it may be answered, of one that only has the right form. */
export const errorExamples = (status: number, isAuth: boolean, form: unknown): unknown => {
  if (isAuth) return { ...(form as object), message: authMessages[status] ?? fault }
  const { details: _, ...bare } = form as Record<string, unknown>
  const [code, message, details] = examples[status] ?? []
  if (code === undefined)
    return { ...bare, message: `${fault} Quote the traceId when you report it.` }
  return { ...bare, message, details: { code, ...details } }
}
