import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, RequiredPermission } from "../admission/Authorization.ts"
import {
  BadRequest,
  Conflict,
  InternalError,
  NotFound,
  TooManyRequests
} from "../http/ErrorEnvelope.ts"
import { idempotencyErrors } from "../admission/Idempotent.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { Instant, instantInQuery, text, wholeBetween } from "../http/WireCodecs.ts"
import { deliveryStatuses } from "../units/DeliveryStatus.ts"
import { disabledReasons } from "./Endpoint.ts"
import { eventTypes } from "./EventTypes.ts"

const urlMax = 2_048
const graceMax = 604_800

const url = text(8, urlMax)
const events = Schema.Array(Schema.Literals(eventTypes)).check(
  Schema.isMinLength(1, { message: "Name at least one event." })
)

export const NewEndpointPayload = Schema.Struct({ url, events: Schema.optionalKey(events) })

export const EndpointChangePayload = Schema.Struct({
  url: Schema.optionalKey(url),
  events: Schema.optionalKey(events),
  enabled: Schema.optionalKey(Schema.Boolean)
})

export const RotationPayload = Schema.Struct({
  graceSeconds: Schema.optionalKey(wholeBetween(0, graceMax))
})

export const RecoveryPayload = Schema.Struct({ since: instantInQuery })

const endpointFields = {
  id: Schema.String,
  url: Schema.String,
  subAccount: Schema.NullOr(Schema.String),
  events: Schema.optionalKey(Schema.Array(Schema.String)),
  enabled: Schema.Boolean,
  disabledReason: Schema.optionalKey(Schema.Literals(disabledReasons)),
  disabledAt: Schema.optionalKey(Instant),
  failingSince: Schema.optionalKey(Instant),
  previousSecretUntil: Schema.optionalKey(Instant),
  createdAt: Instant
}

export const EndpointResponse = Schema.Struct(endpointFields)
export const EndpointList = Schema.Struct({ data: Schema.Array(EndpointResponse) })
/** The secret is shown here and never again (decision 0037). */
export const SecretEndpointResponse = Schema.Struct({ ...endpointFields, secret: Schema.String })

export const DeliveryResponse = Schema.Struct({
  id: Schema.String,
  endpointId: Schema.String,
  event: Schema.String,
  status: Schema.Literals(deliveryStatuses),
  attempts: Schema.Array(
    Schema.Struct({
      number: Schema.Int,
      at: Instant,
      outcome: Schema.String,
      httpStatus: Schema.NullOr(Schema.Int),
      durationMillis: Schema.Int
    })
  )
})
export const DeliveryList = Schema.Struct({
  data: Schema.Array(DeliveryResponse),
  nextCursor: Schema.NullOr(Schema.String)
})

export const RecoveryResponse = Schema.Struct({
  endpointId: Schema.String,
  since: Instant,
  until: Instant
})

const created = HttpApiSchema.status(201)
const reads = [NotFound, BadRequest, TooManyRequests, InternalError] as const
const posts = [NotFound, ...idempotencyErrors, TooManyRequests, InternalError] as const
const one = { id: Schema.String }

export class WebhookEndpointsApi extends HttpApiGroup.make("webhookEndpoints")
  .add(
    HttpApiEndpoint.post("create", "/webhook-endpoints", {
      payload: NewEndpointPayload,
      success: SecretEndpointResponse.pipe(created),
      error: [...idempotencyErrors, TooManyRequests, InternalError]
    }).annotate(RequiredPermission, "WEBHOOK:WRITE"),
    HttpApiEndpoint.get("list", "/webhook-endpoints", {
      success: EndpointList,
      error: [TooManyRequests, InternalError]
    }).annotate(RequiredPermission, "WEBHOOK:READ"),
    HttpApiEndpoint.get("get", "/webhook-endpoints/:id", {
      params: one,
      success: EndpointResponse,
      error: reads
    }).annotate(RequiredPermission, "WEBHOOK:READ"),
    HttpApiEndpoint.patch("change", "/webhook-endpoints/:id", {
      params: one,
      payload: EndpointChangePayload,
      success: EndpointResponse,
      error: reads
    }).annotate(RequiredPermission, "WEBHOOK:WRITE"),
    HttpApiEndpoint.delete("remove", "/webhook-endpoints/:id", {
      params: one,
      success: HttpApiSchema.NoContent,
      error: reads
    }).annotate(RequiredPermission, "WEBHOOK:WRITE"),
    HttpApiEndpoint.post("rotateSecret", "/webhook-endpoints/:id/rotate-secret", {
      params: one,
      payload: RotationPayload,
      success: SecretEndpointResponse.pipe(created),
      error: posts
    }).annotate(RequiredPermission, "WEBHOOK:WRITE"),
    HttpApiEndpoint.post("test", "/webhook-endpoints/:id/test", {
      params: one,
      success: DeliveryResponse.pipe(created),
      error: [...posts, Conflict]
    }).annotate(RequiredPermission, "WEBHOOK:WRITE"),
    HttpApiEndpoint.post("recover", "/webhook-endpoints/:id/recover", {
      params: one,
      payload: RecoveryPayload,
      success: RecoveryResponse.pipe(created),
      error: [...posts, Conflict]
    }).annotate(RequiredPermission, "WEBHOOK:WRITE"),
    HttpApiEndpoint.get("deliveries", "/webhook-endpoints/:id/deliveries", {
      params: one,
      query: {
        status: Schema.optionalKey(Schema.Literals(deliveryStatuses)),
        event: Schema.optionalKey(Schema.Literals(eventTypes)),
        cursor: Schema.optionalKey(Schema.String)
      },
      success: DeliveryList,
      error: reads
    }).annotate(RequiredPermission, "WEBHOOK:READ"),
    HttpApiEndpoint.post("resend", "/webhook-endpoints/:id/deliveries/:deliveryId/resend", {
      params: { ...one, deliveryId: Schema.String },
      success: DeliveryResponse.pipe(created),
      error: [...posts, Conflict]
    }).annotate(RequiredPermission, "WEBHOOK:WRITE")
  )
  .middleware(Authorization)
  .middleware(StrictBody) {}
