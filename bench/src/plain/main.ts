import fastify, { LogController } from "fastify"
import { randomBytes } from "node:crypto"
import type { AddressInfo } from "node:net"
import { authorization, authRoute } from "./Callers.ts"
import { chargeRoute } from "./Charges.ts"
import { confirmationRoute } from "./Confirmations.ts"
import { connect } from "./Database.ts"
import { startDeliveries } from "./Deliveries.ts"
import { envelope } from "./Refusal.ts"
import { tables } from "./Tables.ts"
import { makeTokens } from "./Tokens.ts"
import { transactionRoute } from "./Transactions.ts"
import { newUuid } from "./Uuid.ts"
import { withdrawalRoute } from "./Withdrawals.ts"

// The service as a team would write it by hand: what Pagora is compared with.
const pool = connect(process.env["DATABASE_URL"] ?? "")
const tokens = await makeTokens(randomBytes(32), randomBytes(32))
const pspSecret = randomBytes(32).toString("base64url")

await pool.query(tables)
const account = newUuid()
const clientId = newUuid()
const clientSecret = randomBytes(32).toString("base64url")
// The same terms and as much money as the others have (compare/Shop.ts).
await pool.query(
  "insert into plain.account (id, name, status, payment_fee, withdrawal_fee) values ($1, 'Loja Azul', 'approved', 10000, 50)",
  [account]
)
await pool.query(
  "insert into plain.wallet (account, available, promotional) values ($1, 10000000000, 0)",
  [account]
)
await pool.query(
  "insert into plain.credential (id, account, secret_digest, permissions, status) values ($1, $2, $3, $4, 'active')",
  [clientId, account, tokens.digest(clientSecret), ["FULL_ACCESS"]]
)

const app = fastify({
  logger: { level: "error", stream: process.stderr },
  logController: new LogController({ disableRequestLogging: true }),
  // A text is no number, and what nobody knows is ignored.
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } }
})
app.decorateRequest("caller")
app.setErrorHandler(envelope)
const authorized = authorization(pool, tokens)
authRoute(app, pool, tokens)
chargeRoute(app, pool, authorized)
transactionRoute(app, pool, authorized)
withdrawalRoute(app, pool, authorized)
confirmationRoute(app, pool, pspSecret)

await app.listen({ host: "127.0.0.1", port: 0 })
const { port } = app.server.address() as AddressInfo
console.log(
  JSON.stringify({
    baseUrl: `http://127.0.0.1:${port}`,
    account,
    clientId,
    clientSecret,
    pspSecret
  })
)
const deliveries = startDeliveries(pool)
process.once("SIGTERM", () => {
  void app
    .close()
    .then(() => deliveries.stop())
    .then(() => pool.end())
})
