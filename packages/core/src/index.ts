// For programs that embed the service.
export * as Pagora from "./app/Pagora.ts"
export type { PagoraInstance, RequestOrigin } from "./app/Pagora.ts"
export {
  EnvironmentKeeper,
  EnvironmentMismatch,
  EnvironmentsMixed
} from "./operator/EnvironmentKeeper.ts"
export { knowsSecret, SecretMismatch } from "./operator/SecretKeeper.ts"
export { HealthChecks } from "./operator/HealthChecks.ts"
export { keptFindings, lookAtKept } from "./operator/KeptPspChecks.ts"
export type { KeptLook, LookedKept, MadeKept } from "./operator/KeptPspChecks.ts"
export { pspFindings } from "./operator/PspChecks.ts"
export type { CheckState, HealthReport } from "./operator/HealthChecks.ts"
export { Served } from "./app/Embedded.ts"
export type { Embedded, Simulated } from "./app/Embedded.ts"
export { PagoraError } from "./app/PagoraError.ts"
export type { PagoraMethods } from "./app/PagoraMethods.ts"
export type { OperatorAnswers, SandboxAnswers, TenantAnswers } from "./app/RouteAnswers.ts"
export { memory } from "./app/PagoraOptions.ts"
export type { LogEntry, PagoraOptions } from "./app/PagoraOptions.ts"
export type { PspRuleOption } from "./app/PspRuleOptions.ts"
export type { PspSetup } from "./app/PspOptions.ts"
export { isSandbox } from "./app/PspOptions.ts"
export { pspsOf } from "./app/PspsOf.ts"
export type { OtlpOptions, Telemetry } from "./app/Otlp.ts"
export { layerOtlp, otlp, otlpFromEnvironment } from "./app/Otlp.ts"
export { guardedLogger } from "./telemetry/LogGuarder.ts"
export { safeCause } from "./telemetry/SafeCause.ts"
export { metricsApp } from "./app/MetricsApp.ts"
export { Subscribers } from "./subscribers/Subscribers.ts"
export type { DeliveryAttempt, SubscribedEvent } from "./subscribers/Subscribers.ts"
// For those who write a PSP layer.
export type {
  ClientCertificate,
  FindPspPayout,
  FindPspRefund,
  NewPspCharge,
  NewPspPayout,
  NewPspRefund,
  Payer,
  PayerClaim,
  PspCapabilities,
  PspCharge,
  PspDefence,
  PspFinding,
  PspBalance,
  PspIdentity,
  PspInfraction,
  PspInfractionsPage,
  PspInfractionsQuery,
  PspNotice,
  PspPayment,
  PspPaymentsPage,
  PspPaymentsQuery,
  PspPayout,
  PspPreparation,
  PspReceived,
  PspReceivedReturn,
  PspRefund,
  PspRejection,
  PspShape,
  RawNotification
} from "./ports/Psp.ts"
export { NotificationRefused, PspDirectory, PspOutcome } from "./ports/Psp.ts"
export type {
  GivenPsp,
  MadePsp,
  PspProvider,
  PspProviders,
  PspSettings
} from "./ports/PspProvider.ts"
export { PspSettingsRefused } from "./ports/PspProvider.ts"
export { KeptPsps } from "./psp-vault/KeptPsps.ts"
export type { PlainPsp } from "./psp-calls/PlainPsp.ts"
export type { PromisePsp, PspCallOptions } from "./psp-calls/PspPromises.ts"
export { skewMax, skewText } from "./storage/SharedClock.ts"
export { present } from "./kernel/Present.ts"
export { pspFromPromises } from "./psp-calls/PspPromises.ts"
// For those who write a storage.
export { StorageDriver } from "./ports/StorageDriver.ts"
export type * from "./ports/StorageDriver.ts"
export type * from "./ports/AuditReads.ts"
export { completeAudit } from "./audit/Audit.ts"
export { Storage } from "./storage/Storage.ts"
export * from "./units/Refused.ts"
export { workQueues } from "./units/Unit.ts"
export type * from "./units/Unit.ts"
export type { FailedExpectation, Leaseless } from "./ports/StorageDriver.ts"
export * as CounterPeriod from "./kernel/CounterPeriod.ts"
export * as Facts from "./units/Facts.ts"
export * as Decision from "./units/Decision.ts"
export * as Kind from "./units/Kind.ts"
export * as MergedUnit from "./units/MergedUnit.ts"
export * as GroupCommit from "./storage/GroupCommit.ts"
export * as RowLocks from "./units/RowLocks.ts"
// For those who replace a smaller port.
export { IdempotencyKeyTaken } from "./units/Idempotency.ts"
export { Ids } from "./time/Ids.ts"
export { defaultRateLimits, RateLimiter } from "./http/RateLimiter.ts"
export type { RateLimit, RateLimits, RateLimitState, RateLimitTake } from "./http/RateLimiter.ts"
export { Secrets, SealBroken, TokenRefused } from "./ports/Secrets.ts"
export type { TokenClaims } from "./ports/Secrets.ts"
export { ServiceTime } from "./time/ServiceTime.ts"
export type { SharedClock, Skew } from "./storage/SharedClock.ts"
export { WebhookTransport } from "./ports/WebhookTransport.ts"
export type { OutboundRequest, SendOutcome } from "./ports/WebhookTransport.ts"
// Values.
export * as BrCode from "./kernel/BrCode.ts"
export * as Document from "./kernel/Document.ts"
export * as EndToEndId from "./kernel/EndToEndId.ts"
export * from "./kernel/Ids.ts"
export { parseNetwork } from "./kernel/IpAddress.ts"
export { secretBits, secretBitsMin } from "./kernel/SecretStrength.ts"
export * as Money from "./kernel/Money.ts"
export type { Centavos } from "./kernel/Money.ts"
export * as PixKey from "./kernel/PixKey.ts"
export * as StrictJson from "./kernel/StrictJson.ts"
export * as TxId from "./kernel/TxId.ts"
// The ledger.
export * as LedgerAccount from "./ledger/LedgerAccount.ts"
export * as LedgerTx from "./ledger/LedgerTx.ts"
export type { Wallet } from "./ledger/Wallet.ts"
// The services, for those who call them or compose them.
export { Account, AccountKind, accountStatuses } from "./accounts/Account.ts"
export {
  AccountNotFound,
  Accounts,
  PspNotConfigured,
  SubAccountNotFound
} from "./accounts/Accounts.ts"
export type { NewAccount } from "./accounts/Accounts.ts"
export { Commissions } from "./accounts/Commissions.ts"
export { SubAccounts } from "./sub-accounts/SubAccounts.ts"
export { SubAccount, SubAccountKind } from "./accounts/SubAccount.ts"
export { Auth } from "./auth/Auth.ts"
export { Credential, permissions } from "./auth/Credential.ts"
export type { Permission } from "./auth/Credential.ts"
export { Credentials } from "./auth/Credentials.ts"
export { Block, BlockKind, blockTypes } from "./blocks/Block.ts"
export { Blocks } from "./blocks/Blocks.ts"
export { BlockWorker } from "./blocks/BlockWorker.ts"
export { Charge, ChargeKind } from "./charges/Charge.ts"
export { Charges } from "./charges/Charges.ts"
export { ChargeWorker } from "./charges/ChargeWorker.ts"
export { Discrepancies } from "./discrepancies/Discrepancies.ts"
export { Discrepancy } from "./discrepancies/Discrepancy.ts"
export { Auditor } from "./operator/Auditor.ts"
export { Balances } from "./operator/Balances.ts"
export { Entries } from "./operator/Entries.ts"
export { QrCode } from "./ports/QrCode.ts"
export { fetchBelow } from "./http/FetchMount.ts"
export { TrustedProxies } from "./http/ClientAddress.ts"
export { OperatorKey } from "./admission/OperatorAuthorization.ts"
export { Project, ProjectKind } from "./projects/Project.ts"
export { ProjectNotFound, Projects } from "./projects/Projects.ts"
export { PspInbox } from "./psp-inbox/PspInbox.ts"
export { Sandbox } from "./sandbox/Sandbox.ts"
export { SandboxRefundControls } from "./sandbox/SandboxRefundControls.ts"
export * as SandboxDirectory from "./sandbox/SandboxDirectory.ts"
export { SandboxPaymentNotThere } from "./sandbox-psp/SandboxBank.ts"
export type { SandboxFault } from "./sandbox-psp/SandboxFault.ts"
export type { Receive } from "./sandbox-psp/SandboxNotices.ts"
// What a payer can do is the same wherever the hands of the sandbox are, such as at a fake bank.
export {
  check as checkSandboxPayment,
  SandboxPaymentRefused
} from "./sandbox-psp/SandboxPayments.ts"
export type { SandboxOrder, SandboxPaymentOptions } from "./sandbox-psp/SandboxPayments.ts"
export { SandboxChargeNotFound } from "./sandbox-psp/SandboxCharges.ts"
export { SandboxPsp } from "./sandbox-psp/SandboxPsp.ts"
export type { SandboxPspOptions } from "./sandbox-psp/SandboxPsp.ts"
export {
  SandboxCannotSettle,
  SandboxPayoutNotFound,
  SandboxRefundNotFound
} from "./sandbox-psp/SandboxSettler.ts"
export type { SandboxPayoutOutcome } from "./sandbox-psp/SandboxPayout.ts"
export type { SandboxRefundOutcome } from "./sandbox-psp/SandboxRefund.ts"
export { Refunds } from "./refunds/Refunds.ts"
export { Return, ReturnKind } from "./returns/Return.ts"
export { ReturnReviews } from "./returns/ReturnReviews.ts"
export { ReturnWorker } from "./returns/ReturnWorker.ts"
export { SuspenseEntries } from "./operator/SuspenseEntries.ts"
export { Reviews } from "./operator/Reviews.ts"
export { Transactions } from "./history/Transactions.ts"
export { Transfer } from "./transfers/Transfer.ts"
export { Transfers } from "./transfers/Transfers.ts"
export { Endpoint, EndpointKind } from "./webhooks/Endpoint.ts"
export { Deliveries } from "./webhooks/Deliveries.ts"
export type { DeliveryLog } from "./webhooks/Deliveries.ts"
export { Endpoints } from "./webhooks/Endpoints.ts"
export { PayoutWorker } from "./withdrawals/PayoutWorker.ts"
export { Withdrawal, WithdrawalKind } from "./withdrawals/Withdrawal.ts"
export { Withdrawals } from "./withdrawals/Withdrawals.ts"
export { deliveryStatuses } from "./units/DeliveryStatus.ts"
export { eventSchemas } from "./webhooks/EventSchemas.ts"
export { eventTypes } from "./webhooks/EventTypes.ts"
export { WebhookDispatcher } from "./webhooks/WebhookDispatcher.ts"
export { DeliveriesKept, deliveriesKeptDays } from "./workers/DeliveriesKept.ts"
export { ServiceClock } from "./workers/ServiceClock.ts"
export { Workers } from "./workers/Workers.ts"
export * as Services from "./app/Services.ts"
export type { App } from "./http/App.ts"
export { inProcessApp, operatorApp, sandboxApp, tenantApp } from "./app/Routes.ts"
export { actingFor } from "./app/InProcess.ts"
