import { DateTime, Schema } from "effect"

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u

/** A UUID in lower case with hyphens. Ours are version 7 (RFC 9562), so that their order is the order of time. */
export const Uuid = Schema.String.check(
  Schema.isPattern(pattern, {
    message: "Send a UUID in small letters, such as 019a2b3c-0000-7000-8000-00000000000a."
  })
).pipe(Schema.brand("Uuid"))
export type Uuid = typeof Uuid.Type

/** Tells whether a text is a UUID as we write them. */
export const isUuid = (text: string): text is Uuid => pattern.test(text)

/** What owns a balance: an account (its main wallet) or a sub-account. The wallet has its owner's id (decision 0009). */
export const WalletId = Uuid.pipe(Schema.brand("WalletId"))
export type WalletId = typeof WalletId.Type

/** The owner of everything: one customer of the deployment. */
export const AccountId = WalletId.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const SubAccountId = WalletId.pipe(Schema.brand("SubAccountId"))
export type SubAccountId = typeof SubAccountId.Type

export const CredentialId = Uuid.pipe(Schema.brand("CredentialId"))
export type CredentialId = typeof CredentialId.Type

/** One configured access to a PSP. */
export const PspCredentialId = Uuid.pipe(Schema.brand("PspCredentialId"))
export type PspCredentialId = typeof PspCredentialId.Type

export const ProjectId = Uuid.pipe(Schema.brand("ProjectId"))
export type ProjectId = typeof ProjectId.Type

export const CustomerId = Uuid.pipe(Schema.brand("CustomerId"))
export type CustomerId = typeof CustomerId.Type

/** A charge is a transaction of type payment: one id for both. */
export const ChargeId = Uuid.pipe(Schema.brand("ChargeId"))
export type ChargeId = typeof ChargeId.Type

/** Money that arrived and was not credited: a failed transaction of its own. */
export const DepositId = Uuid.pipe(Schema.brand("DepositId"))
export type DepositId = typeof DepositId.Type

/** A withdrawal is a transaction of type withdrawal: one id for both. */
export const WithdrawalId = Uuid.pipe(Schema.brand("WithdrawalId"))
export type WithdrawalId = typeof WithdrawalId.Type

/** Money on its way back to its payer (BACEN: devolução). A refund is a transaction under this id. */
export const ReturnId = Uuid.pipe(Schema.brand("ReturnId"))
export type ReturnId = typeof ReturnId.Type

export const BlockId = Uuid.pipe(Schema.brand("BlockId"))
export type BlockId = typeof BlockId.Type

/** What joins the two legs of a transfer between wallets of one account. */
export const TransferId = Uuid.pipe(Schema.brand("TransferId"))
export type TransferId = typeof TransferId.Type

/** A contradiction between us and a PSP. */
export const DiscrepancyId = Uuid.pipe(Schema.brand("DiscrepancyId"))
export type DiscrepancyId = typeof DiscrepancyId.Type

/** What a PSP tells of by a name of its own: a payment, or an infraction. */
export const PspReportId = Uuid.pipe(Schema.brand("PspReportId"))
export type PspReportId = typeof PspReportId.Type

/** A return that a PSP has begun by itself. */
export const PspReturnId = Uuid.pipe(Schema.brand("PspReturnId"))
export type PspReturnId = typeof PspReturnId.Type

export const EndpointId = Uuid.pipe(Schema.brand("EndpointId"))
export type EndpointId = typeof EndpointId.Type

export const EventRowId = Uuid.pipe(Schema.brand("EventRowId"))
export type EventRowId = typeof EventRowId.Type

export const DeliveryId = Uuid.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

export const LedgerTxId = Uuid.pipe(Schema.brand("LedgerTxId"))
export type LedgerTxId = typeof LedgerTxId.Type

/** One call of the write door. */
export const UnitId = Uuid.pipe(Schema.brand("UnitId"))
export type UnitId = typeof UnitId.Type

/** One write of a storage, which may hold many units. No two writes share one, nor do two tries of the same units. */
export const WriteId = Uuid.pipe(Schema.brand("WriteId"))
export type WriteId = typeof WriteId.Type

/** Proof that a worker holds a job: whoever has another token may not finish it. */
export const LeaseToken = Uuid.pipe(Schema.brand("LeaseToken"))
export type LeaseToken = typeof LeaseToken.Type

/** The instant inside a version 7 UUID, in epoch milliseconds. */
export const epochMillisOf = (id: Uuid): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The first and the last id that a millisecond can have: what was made from one instant to another lies between. */
export const idsAt = (at: DateTime.Utc): { readonly first: Uuid; readonly last: Uuid } => {
  const millis = Math.min(Math.max(DateTime.toEpochMillis(at), 0), 0xffff_ffff_ffff)
  const time = millis.toString(16).padStart(12, "0")
  const prefix = `${time.slice(0, 8)}-${time.slice(8)}`
  return {
    first: `${prefix}-0000-0000-000000000000` as Uuid,
    last: `${prefix}-ffff-ffff-ffffffffffff` as Uuid
  }
}

/** The instant inside a version 7 UUID. */
export const instantOf = (id: Uuid): DateTime.Utc => DateTime.makeUnsafe(epochMillisOf(id))
