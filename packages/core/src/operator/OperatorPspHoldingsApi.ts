import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Instant } from "../http/WireCodecs.ts"
import { BrlNumber, SignedBrlNumber } from "../kernel/Money.ts"
import { errors } from "./OperatorEndpointApi.ts"

/** A PSP of the configuration, with what it holds and what it should hold. */
const PspResponse = Schema.Struct({
  id: Schema.String,
  provider: Schema.String,
  environment: Schema.Literals(["production", "sandbox"]),
  isDefault: Schema.Boolean,
  /** As the PSP told it within the last 5 seconds; null where it does not. */
  balance: Schema.NullOr(Schema.Struct({ available: SignedBrlNumber, blocked: BrlNumber })),
  /** What the ledger has there. */
  ledger: SignedBrlNumber,
  /** How much more the PSP holds than the ledger has there; null where it does not tell. */
  difference: Schema.NullOr(SignedBrlNumber),
  /** What was sent and is not booked yet, which may explain that. */
  underWay: BrlNumber,
  /** Withdrawals that its balance does not cover: they go out once money comes in. */
  waiting: Schema.Struct({ count: Schema.Int, amount: BrlNumber }),
  /** What the last comparison could not explain; absent before the first, and 0 where all was as it should be. */
  lastComparison: Schema.optionalKey(
    Schema.Struct({ at: Instant, unexplained: SignedBrlNumber, since: Instant })
  )
})

/** The PSPs that move the money. */
export class OperatorPspHoldingsApi extends HttpApiGroup.make("psps").add(
  HttpApiEndpoint.get("list", "/psps", {
    success: Schema.Struct({ data: Schema.Array(PspResponse) }),
    error: errors
  })
) {}
