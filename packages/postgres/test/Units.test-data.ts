import type {
  AccountId,
  Centavos,
  DeliveryId,
  EndpointId,
  EventRow,
  EventRowId,
  LedgerTxId,
  PspCredentialId,
  Row,
  Unit,
  UnitId,
  Uuid,
  WalletId
} from "@pagora/core"
import { LedgerAccount, LedgerTx } from "@pagora/core"
import { DateTime } from "effect"

let count = 0

/** Ids in the order in which they are made. */
export const newId = <Id extends Uuid>(): Id => {
  count++
  const time = (Date.now() * 0x1000 + (count % 0x1000)).toString(16).padStart(15, "0")
  const tail = crypto.randomUUID().slice(19)
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${time.slice(12)}-${tail}` as Id
}

export const at = (seconds = 0): DateTime.Utc =>
  DateTime.makeUnsafe(Date.UTC(2031, 2, 4) + seconds * 1000)

export const brl = (amount: number | bigint): Centavos => BigInt(amount) as Centavos

export const unitOf = (parts: Partial<Unit>): Unit => ({ id: newId<UnitId>(), at: at(), ...parts })

export const rowOf = (parts: Partial<Row> = {}): Row => ({
  table: "operation",
  id: newId(),
  kind: "thing",
  account: newId(),
  wallet: null,
  status: "new",
  amount: null,
  ref: null,
  document: "{}",
  ...parts
})

/** What the rest of the world has: it has no floor. */
const outside = LedgerAccount.pspClearing(newId<PspCredentialId>())

export const txOf = (
  wallet: WalletId,
  amount: Centavos,
  postings: ReadonlyArray<LedgerTx.Posting>,
  parts: Partial<LedgerTx.LedgerTx> = {}
): LedgerTx.LedgerTx =>
  LedgerTx.post({
    id: newId<LedgerTxId>(),
    kind: "adjustment",
    account: wallet as Uuid as AccountId,
    wallet,
    source: newId(),
    leg: 0,
    amount,
    document: null,
    postings,
    ...parts
  })

export const moneyIn = (
  wallet: WalletId,
  amount: Centavos,
  parts: Partial<LedgerTx.LedgerTx> = {}
) =>
  txOf(
    wallet,
    amount,
    [LedgerTx.debit(outside, amount), LedgerTx.credit(LedgerAccount.available(wallet), amount)],
    parts
  )

export const transfer = (from: WalletId, to: WalletId, amount: Centavos) =>
  txOf(from, amount, [
    LedgerTx.spend(LedgerAccount.available(from), amount),
    LedgerTx.credit(LedgerAccount.available(to), amount)
  ])

export const eventOf = (parts: Partial<EventRow> = {}): EventRow => ({
  id: newId<EventRowId>(),
  account: newId<AccountId>(),
  wallet: newId<WalletId>(),
  key: newId(),
  type: "payment_completed",
  body: '{"event":"payment_completed"}',
  at: at(),
  ...parts
})

export const deliveryOf = () => ({ id: newId<DeliveryId>(), endpoint: newId<EndpointId>() })

/** All that a payment of a charge changes, as the service writes it. */
export const aPaidCharge = (wallet: WalletId) => {
  const account = wallet as Uuid as AccountId
  const row = rowOf({
    kind: "charge",
    account,
    wallet,
    amount: brl(10_000),
    status: "pending",
    ref: `order-${newId().slice(0, 13)}`,
    document: JSON.stringify({
      pspCredentialId: outside.owner,
      feeAmount: "99",
      note: "x".repeat(600)
    })
  })
  const delivery = deliveryOf()
  const fee = [
    LedgerTx.debit(LedgerAccount.available(wallet), brl(99)),
    LedgerTx.credit(LedgerAccount.feeRevenue(account), brl(99))
  ]
  const paid = unitOf({
    updates: [{ row: { ...row, status: "completed" }, expected: 1 }],
    ledger: [
      moneyIn(wallet, brl(10_000), { kind: "payment", source: row.id }),
      txOf(wallet, brl(99), fee, { kind: "fee", source: row.id })
    ],
    keys: [{ space: "e2e", key: row.id, holder: row.id }],
    events: [
      {
        event: eventOf({
          account,
          wallet,
          key: row.id,
          body: JSON.stringify({ note: "x".repeat(590) })
        }),
        deliveries: [delivery]
      }
    ],
    jobs: [
      { _tag: "Cancel", queue: "charge", id: row.id },
      { _tag: "Schedule", queue: "webhook", id: delivery.id, group: delivery.endpoint, due: at() }
    ]
  })
  const opened = unitOf({
    inserts: [row],
    jobs: [{ _tag: "Schedule", queue: "charge", id: row.id, group: account, due: at(3600) }]
  })
  const delivered = unitOf({
    jobs: [{ _tag: "Cancel", queue: "webhook", id: delivery.id }],
    attempts: [
      {
        delivery: delivery.id,
        number: 1,
        at: at(1),
        outcome: "delivered",
        httpStatus: 200,
        durationMillis: 12,
        status: "delivered"
      }
    ]
  })
  return { row, opened, paid, delivered }
}

export type PaidCharge = ReturnType<typeof aPaidCharge>
