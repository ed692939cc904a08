import { Layer } from "effect"
import { Accounts } from "../accounts/Accounts.ts"
import { Commissions } from "../accounts/Commissions.ts"
import { SubAccounts } from "../sub-accounts/SubAccounts.ts"
import { Auth } from "../auth/Auth.ts"
import { Credentials } from "../auth/Credentials.ts"
import { BlockWriter } from "../blocks/BlockWriter.ts"
import { Blocks } from "../blocks/Blocks.ts"
import { InfractionBlocks } from "../blocks/InfractionBlocks.ts"
import { BlockWorker } from "../blocks/BlockWorker.ts"
import { ChargeWriter } from "../charges/ChargeWriter.ts"
import { ChargeCanceller } from "../charges/ChargeCanceller.ts"
import { Charges } from "../charges/Charges.ts"
import { ChargeWorker } from "../charges/ChargeWorker.ts"
import { Discrepancies } from "../discrepancies/Discrepancies.ts"
import { Auditor } from "../operator/Auditor.ts"
import { Balances } from "../operator/Balances.ts"
import { Entries } from "../operator/Entries.ts"
import { HealthChecks } from "../operator/HealthChecks.ts"
import type { Ids } from "../time/Ids.ts"
import type { PspDirectory } from "../ports/Psp.ts"
import { guardedDirectory } from "../psp-calls/PspCircuit.ts"
import type { Secrets } from "../ports/Secrets.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Storage } from "../storage/Storage.ts"
import type { WebhookTransport } from "../ports/WebhookTransport.ts"
import { Projects } from "../projects/Projects.ts"
import type { KeptPsps } from "../psp-vault/KeptPsps.ts"
import { PspCredentials } from "../psp-vault/PspCredentials.ts"
import { PspInbox } from "../psp-inbox/PspInbox.ts"
import { PspReports } from "../psp-reports/PspReports.ts"
import { PspReturns } from "../psp-reports/PspReturns.ts"
import { ReportWorker } from "../psp-reports/ReportWorker.ts"
import { chargeReturnSources } from "../refunds/ChargeReturnSources.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { ReturnWriter } from "../returns/ReturnWriter.ts"
import { ReturnReviews } from "../returns/ReturnReviews.ts"
import { ReturnWorker } from "../returns/ReturnWorker.ts"
import { PspHoldings } from "../operator/PspHoldings.ts"
import { SuspenseEntries } from "../operator/SuspenseEntries.ts"
import { Reviews } from "../operator/Reviews.ts"
import { Subscribers } from "../subscribers/Subscribers.ts"
import { SubscriptionRouter } from "../subscribers/SubscriptionRouter.ts"
import { Transactions } from "../history/Transactions.ts"
import { Transfers } from "../transfers/Transfers.ts"
import { Deliveries } from "../webhooks/Deliveries.ts"
import * as EndpointRouter from "../webhooks/EndpointRouter.ts"
import { Endpoints } from "../webhooks/Endpoints.ts"
import { WebhookDispatcher } from "../webhooks/WebhookDispatcher.ts"
import { WebhookRecoverer } from "../webhooks/WebhookRecoverer.ts"
import { PayoutWorker } from "../withdrawals/PayoutWorker.ts"
import { WithdrawalWriter } from "../withdrawals/WithdrawalWriter.ts"
import { Withdrawals } from "../withdrawals/Withdrawals.ts"
import { ServiceClock } from "../workers/ServiceClock.ts"
import { Workers } from "../workers/Workers.ts"
import { Purger } from "../workers/Purger.ts"

/** Every service of the domain, over the ports. Nothing runs by itself yet: see `Workers`. */
export type Services =
  | Accounts
  | Auditor
  | Auth
  | Balances
  | Blocks
  | BlockWorker
  | Charges
  | ChargeCanceller
  | ChargeWorker
  | Commissions
  | Credentials
  | Deliveries
  | Discrepancies
  | Endpoints
  | Entries
  | HealthChecks
  | Purger
  | PayoutWorker
  | Projects
  | PspCredentials
  | PspInbox
  | PspReturns
  | Refunds
  | ReportWorker
  | ReturnReviews
  | ReturnWorker
  | Reviews
  | ServiceClock
  | SubAccounts
  | Subscribers
  | PspHoldings
  | SuspenseEntries
  | Transactions
  | Transfers
  | WebhookDispatcher
  | WebhookRecoverer
  | Withdrawals
  | Workers

/** What a deployment brings. */
export type Ports =
  | Storage
  | PspDirectory
  | KeptPsps
  | Secrets
  | Ids
  | ServiceTime
  | WebhookTransport

const infractionBlocks = InfractionBlocks.layer.pipe(
  Layer.provide(Blocks.layer),
  Layer.provide(BlockWriter.layer)
)

const returnWriter = ReturnWriter.layer.pipe(Layer.provide(chargeReturnSources))

const slices: Layer.Layer<
  Exclude<Services, Workers>,
  never,
  Ports | SubscriptionRouter
> = Layer.mergeAll(
  Accounts.layer,
  Auditor.layer,
  Auth.layer,
  Balances.layer.pipe(Layer.provide(SubAccounts.layer), Layer.provide(Accounts.layer)),
  Layer.mergeAll(Blocks.layer, BlockWorker.layer).pipe(Layer.provide(BlockWriter.layer)),
  Charges.layer.pipe(Layer.provide([Accounts.layer, Projects.layer])),
  Layer.mergeAll(ChargeWorker.layer, ChargeCanceller.layer).pipe(Layer.provide(ChargeWriter.layer)),
  Commissions.layer.pipe(Layer.provide(Accounts.layer)),
  Credentials.layer,
  Deliveries.layer,
  Discrepancies.layer,
  Endpoints.layer,
  Entries.layer,
  HealthChecks.layer,
  Purger.layer,
  PayoutWorker.layer.pipe(Layer.provide(WithdrawalWriter.layer)),
  Projects.layer,
  PspCredentials.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(PspInbox.layer, ReportWorker.layer, PspReturns.layer).pipe(
        Layer.provide([PspReports.layer, infractionBlocks])
      )
    )
  ),
  Refunds.layer.pipe(Layer.provide(Transactions.layer)),
  Layer.mergeAll(ReturnReviews.layer, ReturnWorker.layer).pipe(Layer.provide(returnWriter)),
  Reviews.layer,
  ServiceClock.layer,
  SubAccounts.layer.pipe(Layer.provide(Accounts.layer)),
  Subscribers.layer,
  PspHoldings.layer,
  SuspenseEntries.layer,
  Transactions.layer,
  Transfers.layer.pipe(Layer.provide(Accounts.layer)),
  WebhookDispatcher.layer,
  WebhookRecoverer.layer,
  Withdrawals.layer.pipe(Layer.provide(Projects.layer), Layer.provide(WithdrawalWriter.layer))
)

export const layer: Layer.Layer<Services, never, Ports> = Workers.layer.pipe(
  Layer.provideMerge(slices),
  // Nobody waits for a PSP that does not answer.
  Layer.provide(guardedDirectory),
  // Whatever a service writes is routed to endpoints and goes past the subscribers.
  Layer.provide(EndpointRouter.storage),
  Layer.provide(SubscriptionRouter.storage),
  Layer.provide(SubscriptionRouter.layer)
)
