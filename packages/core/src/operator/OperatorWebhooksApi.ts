import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  DeliveryResponse,
  EndpointChangePayload,
  EndpointList,
  EndpointResponse,
  NewEndpointPayload,
  RecoveryPayload,
  RecoveryResponse,
  RotationPayload,
  SecretEndpointResponse
} from "../webhooks/WebhookEndpointsApi.ts"
import { created, errors, inAccount, postErrors, reference } from "./OperatorEndpointApi.ts"

export const OperatorNewEndpointPayload = Schema.Struct({
  ...NewEndpointPayload.fields,
  subAccount: Schema.optionalKey(reference)
})

const one = { ...inAccount, endpointId: Schema.String }

export class OperatorWebhooksApi extends HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.post("create", "/accounts/:id/webhook-endpoints", {
    params: inAccount,
    payload: OperatorNewEndpointPayload,
    success: SecretEndpointResponse.pipe(created),
    error: postErrors
  }),
  HttpApiEndpoint.get("list", "/accounts/:id/webhook-endpoints", {
    params: inAccount,
    success: EndpointList,
    error: errors
  }),
  HttpApiEndpoint.patch("change", "/accounts/:id/webhook-endpoints/:endpointId", {
    params: one,
    payload: EndpointChangePayload,
    success: EndpointResponse,
    error: errors
  }),
  HttpApiEndpoint.delete("remove", "/accounts/:id/webhook-endpoints/:endpointId", {
    params: one,
    success: HttpApiSchema.NoContent,
    error: errors
  }),
  HttpApiEndpoint.post("rotate", "/accounts/:id/webhook-endpoints/:endpointId/rotate-secret", {
    params: one,
    payload: RotationPayload,
    success: SecretEndpointResponse.pipe(created),
    error: postErrors
  }),
  HttpApiEndpoint.post("test", "/accounts/:id/webhook-endpoints/:endpointId/test", {
    params: one,
    success: DeliveryResponse.pipe(created),
    error: postErrors
  }),
  HttpApiEndpoint.post("recover", "/webhook-endpoints/:endpointId/recover", {
    params: { endpointId: Schema.String },
    payload: RecoveryPayload,
    success: RecoveryResponse.pipe(created),
    error: postErrors
  })
) {}
