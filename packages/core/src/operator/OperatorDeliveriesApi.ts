import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Conflict } from "../http/ErrorEnvelope.ts"
import { Instant } from "../http/WireCodecs.ts"
import { eventTypes } from "../webhooks/EventTypes.ts"
import { created, errors, inAccount } from "./OperatorEndpointApi.ts"

const Delivery = Schema.Struct({
  id: Schema.String,
  endpointId: Schema.String,
  event: Schema.String,
  status: Schema.Literals(["queued", "delivered", "exhausted", "cancelled"]),
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

export class OperatorDeliveriesApi extends HttpApiGroup.make("deliveries").add(
  HttpApiEndpoint.get("list", "/accounts/:id/deliveries", {
    params: inAccount,
    query: {
      status: Schema.optionalKey(
        Schema.Literals(["queued", "delivered", "exhausted", "cancelled"])
      ),
      event: Schema.optionalKey(Schema.Literals(eventTypes)),
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schema.Struct({
      data: Schema.Array(Delivery),
      nextCursor: Schema.NullOr(Schema.String)
    }),
    error: errors
  }),
  HttpApiEndpoint.post("resend", "/deliveries/:deliveryId/resend", {
    params: { deliveryId: Schema.String },
    success: Delivery.pipe(created),
    error: [...errors, Conflict]
  })
) {}
