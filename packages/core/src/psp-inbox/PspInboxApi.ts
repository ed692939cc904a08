import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  BadRequest,
  InternalError,
  NotFound,
  PayloadTooLarge,
  RequestTimeout,
  ServiceUnavailable,
  Unauthorized
} from "../http/ErrorEnvelope.ts"

const notification = {
  params: { pspCredentialId: Schema.String },
  success: Schema.Struct({ received: Schema.Literal(true) }).pipe(HttpApiSchema.status(200)),
  error: [
    BadRequest,
    Unauthorized,
    NotFound,
    RequestTimeout,
    PayloadTooLarge,
    ServiceUnavailable,
    InternalError
  ]
} as const

/** Where PSPs call back. Authentication is the PSP layer's own (a signature, mTLS at the proxy). */
export class PspInboxApi extends HttpApiGroup.make("psp-inbox").add(
  HttpApiEndpoint.post("receive", "/psp/:pspCredentialId/webhook", notification),
  // Many PSPs add `/pix` to the address that they were told (BACEN Pix API, `webhookUrl`).
  HttpApiEndpoint.post("receivePix", "/psp/:pspCredentialId/webhook/pix", notification)
) {}
