import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authorization, RequiredPermission } from "../admission/Authorization.ts"
import { InternalError } from "../http/ErrorEnvelope.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { Instant } from "../http/WireCodecs.ts"
import type { Centavos } from "../kernel/Money.ts"
import { BrlNumber } from "../kernel/Money.ts"
import type { Wallet } from "../ledger/Wallet.ts"
import { shown } from "../ledger/Wallet.ts"

/** One figure twice: in centavos and in BRL (spec, Account and balance). */
const Figure = Schema.Struct({ amount: Schema.Int, amountFormatted: BrlNumber })

export const AccountResponse = Schema.Struct({
  account: Schema.Struct({
    id: Schema.String,
    status: Schema.String,
    companyName: Schema.optionalKey(Schema.String),
    document: Schema.optionalKey(Schema.String),
    createdAt: Instant
  }),
  balance: Schema.Struct({
    available: Figure,
    promotional: Figure,
    held: Figure,
    total: Figure,
    currency: Schema.Literal("BRL"),
    updatedAt: Instant
  })
})

const figure = (amount: Centavos) => ({ amount: Number(amount), amountFormatted: amount })

/** What a wallet holds, on the wire. */
export const balanceResponse = (wallet: Wallet) => {
  const balance = shown(wallet)
  return {
    available: figure(balance.available),
    promotional: figure(balance.promotional),
    held: figure(balance.held),
    total: figure(balance.total),
    currency: "BRL" as const,
    updatedAt: wallet.updatedAt
  }
}

export class AccountsApi extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("get", "/account", {
      success: AccountResponse,
      error: [InternalError]
    }).annotate(RequiredPermission, "ACCOUNT:READ")
  )
  .middleware(Authorization)
  .middleware(StrictBody) {}
