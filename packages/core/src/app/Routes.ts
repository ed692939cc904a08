import { Layer } from "effect"
import { AccountsHandlers } from "../accounts-api/AccountsHandlers.ts"
import { SubAccountsHandlers } from "../sub-accounts/SubAccountsHandlers.ts"
import { AuthHandlers } from "../auth/AuthHandlers.ts"
import { BlocksHandlers } from "../blocks/BlocksHandlers.ts"
import { ChargesHandlers } from "../charges/ChargesHandlers.ts"
import { OperatorAccountsHandlers } from "../operator/OperatorAccountsHandlers.ts"
import { OperatorApi } from "../operator/OperatorApi.ts"
import { OperatorCommissionsHandlers } from "../operator/OperatorCommissionsHandlers.ts"
import { OperatorAuthorization } from "../admission/OperatorAuthorization.ts"
import { OperatorBlocksHandlers } from "../operator/OperatorBlocksHandlers.ts"
import { OperatorCredentialsHandlers } from "../operator/OperatorCredentialsHandlers.ts"
import { OperatorDeliveriesHandlers } from "../operator/OperatorDeliveriesHandlers.ts"
import { OperatorDiscrepanciesHandlers } from "../operator/OperatorDiscrepanciesHandlers.ts"
import { OperatorPspCredentialsHandlers } from "../operator/OperatorPspCredentialsHandlers.ts"
import { OperatorPspHoldingsHandlers } from "../operator/OperatorPspHoldingsHandlers.ts"
import { OperatorPspReturnsHandlers } from "../operator/OperatorPspReturnsHandlers.ts"
import { OperatorHistoryHandlers } from "../operator/OperatorHistoryHandlers.ts"
import { OperatorLedgerHandlers } from "../operator/OperatorLedgerHandlers.ts"
import { OperatorReviewHandlers } from "../operator/OperatorReviewHandlers.ts"
import { OperatorSubAccountsHandlers } from "../operator/OperatorSubAccountsHandlers.ts"
import { OperatorWebhooksHandlers } from "../operator/OperatorWebhooksHandlers.ts"
import { OperatorWithdrawalsHandlers } from "../operator/OperatorWithdrawalsHandlers.ts"
import { ProjectsHandlers } from "../projects/ProjectsHandlers.ts"
import { PspInboxHandlers } from "../psp-inbox/PspInboxHandlers.ts"
import { RefundsHandlers } from "../refunds/RefundsHandlers.ts"
import { SandboxApi } from "../sandbox/SandboxApi.ts"
import { SandboxHandlers } from "../sandbox/SandboxHandlers.ts"
import { SandboxRefundsHandlers } from "../sandbox/SandboxRefundsHandlers.ts"
import { SandboxWithdrawalsHandlers } from "../sandbox/SandboxWithdrawalsHandlers.ts"
import { TransactionsHandlers } from "../history/TransactionsHandlers.ts"
import { TransfersHandlers } from "../transfers/TransfersHandlers.ts"
import { WebhookEndpointsHandlers } from "../webhooks/WebhookEndpointsHandlers.ts"
import { acceptanceReads } from "../withdrawals/AcceptanceReads.ts"
import { WithdrawalsHandlers } from "../withdrawals/WithdrawalsHandlers.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { EndpointPrefetches } from "../admission/Prefetch.ts"
import { Api } from "./Api.ts"
import * as App from "../http/App.ts"
import { Authorization } from "../admission/Authorization.ts"
import { inProcessAuthorization } from "./InProcess.ts"
import { ServeContract } from "./ServeContract.ts"
import { StrictBody } from "../http/StrictBody.ts"

// A middleware must be provided outside the handlers that run inside it; the app that runs both looks it up there.

const tenantHandlers = Layer.mergeAll(
  AccountsHandlers,
  AuthHandlers,
  BlocksHandlers,
  ChargesHandlers,
  ProjectsHandlers,
  SubAccountsHandlers,
  PspInboxHandlers,
  RefundsHandlers,
  ServeContract,
  TransactionsHandlers,
  TransfersHandlers,
  WebhookEndpointsHandlers,
  WithdrawalsHandlers
)

const prefetches = new Map([["POST /withdrawals", acceptanceReads]])

/** The tenants' API, as one effect that answers requests. */
export const tenantApp = App.make(
  "tenant",
  Api,
  tenantHandlers.pipe(
    Layer.provideMerge(Layer.mergeAll(Authorization.layer, StrictBody.layer)),
    Layer.provideMerge(
      Layer.mergeAll(IdempotencyKeys.layer, Layer.succeed(EndpointPrefetches, prefetches))
    )
  )
)

/** The same for the program itself, which needs no token: see `InProcess`. Never to be put on a network. */
export const inProcessApp = App.make(
  "program",
  Api,
  tenantHandlers.pipe(
    Layer.provideMerge(
      Layer.mergeAll(inProcessAuthorization, StrictBody.layer, IdempotencyKeys.layer)
    )
  )
)

/** The operator's API. */
export const operatorApp = App.make(
  "operator",
  OperatorApi,
  Layer.mergeAll(
    OperatorAccountsHandlers,
    OperatorBlocksHandlers,
    OperatorCommissionsHandlers,
    OperatorCredentialsHandlers,
    OperatorDeliveriesHandlers,
    OperatorHistoryHandlers,
    OperatorLedgerHandlers,
    OperatorSubAccountsHandlers,
    OperatorWebhooksHandlers,
    OperatorWithdrawalsHandlers,
    OperatorReviewHandlers,
    OperatorDiscrepanciesHandlers,
    OperatorPspReturnsHandlers,
    OperatorPspCredentialsHandlers,
    OperatorPspHoldingsHandlers
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(OperatorAuthorization.layer, StrictBody.layer, IdempotencyKeys.layer)
    )
  )
)

/** The sandbox's API. */
export const sandboxApp = App.make(
  "sandbox",
  SandboxApi,
  Layer.mergeAll(SandboxHandlers, SandboxRefundsHandlers, SandboxWithdrawalsHandlers).pipe(
    Layer.provideMerge(Layer.mergeAll(OperatorAuthorization.layer, StrictBody.layer))
  )
)
