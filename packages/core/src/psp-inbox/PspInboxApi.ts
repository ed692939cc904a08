import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  BadRequest,
  InternalError,
  NotFound,
  PayloadTooLarge,
  ServiceUnavailable,
  Unauthorized
} from "../http/ErrorEnvelope.ts"

/** Where PSPs call back. Authentication is the PSP layer's own (a signature, mTLS at the proxy). */
export class PspInboxApi extends HttpApiGroup.make("psp-inbox").add(
  HttpApiEndpoint.post("receive", "/psp/:pspCredentialId/webhook", {
    params: { pspCredentialId: Schema.String },
    success: Schema.Struct({ received: Schema.Literal(true) }).pipe(HttpApiSchema.status(200)),
    error: [BadRequest, Unauthorized, NotFound, PayloadTooLarge, ServiceUnavailable, InternalError]
  })
) {}
