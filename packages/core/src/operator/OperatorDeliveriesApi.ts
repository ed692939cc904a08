import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { pageQuery } from "../http/KeysetPage.ts"
import { Uuid } from "../kernel/Ids.ts"
import { deliveryStatuses } from "../units/DeliveryStatus.ts"
import { eventTypes } from "../webhooks/EventTypes.ts"
import { DeliveryList, DeliveryResponse } from "../webhooks/WebhookEndpointsApi.ts"
import { created, errors, inAccount, postErrors } from "./OperatorEndpointApi.ts"

export class OperatorDeliveriesApi extends HttpApiGroup.make("deliveries").add(
  HttpApiEndpoint.get("list", "/accounts/:id/deliveries", {
    params: inAccount,
    query: {
      status: Schema.optionalKey(Schema.Literals(deliveryStatuses)),
      event: Schema.optionalKey(Schema.Literals(eventTypes)),
      endpoint: Schema.optionalKey(Uuid),
      ...pageQuery
    },
    success: DeliveryList,
    error: errors
  }),
  HttpApiEndpoint.get("get", "/deliveries/:deliveryId", {
    params: { deliveryId: Schema.String },
    success: DeliveryResponse,
    error: errors
  }),
  HttpApiEndpoint.post("resend", "/deliveries/:deliveryId/resend", {
    params: { deliveryId: Schema.String },
    success: DeliveryResponse.pipe(created),
    error: postErrors
  })
) {}
