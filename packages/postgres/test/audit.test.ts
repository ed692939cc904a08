import { assert, layer } from "@effect/vitest"
import type { LedgerTxId, Violation, WalletId } from "@pagora/core"
import { completeAudit, MergedUnit, Storage, StorageDriver } from "@pagora/core"
import { Effect } from "effect"
import { layerKnown, sqlOn, Url } from "./FreshDatabase.test-data.ts"
import { aPaidCharge, newId, unitOf } from "./Units.test-data.ts"

const audit = StorageDriver.use((driver) => completeAudit(driver))

/** An audit of nothing that is new, and of what was wrong before. */
const later = (known: ReadonlyArray<Violation>) =>
  Storage.use(({ prove }) => prove({ since: newId(), keepUpTo: newId<LedgerTxId>(), known })).pipe(
    Effect.provide(Storage.layer())
  )

const rulesOf = ({ violations }: { readonly violations: ReadonlyArray<Violation> }) =>
  [...new Set(violations.map(({ rule }) => rule))].toSorted()

/** A payment as the service books it. */
const aPayment = Effect.gen(function* () {
  const driver = yield* StorageDriver
  const wallet = newId<WalletId>()
  const { delivered, opened, paid, row } = aPaidCharge(wallet)
  for (const unit of [unitOf({ opens: [wallet] }), opened, paid, delivered]) {
    assert.isNull(yield* driver.write(MergedUnit.merge([unit], newId())))
  }
  const [tx] = paid.ledger ?? []
  const [publication] = paid.events ?? []
  return {
    wallet,
    charge: row.id,
    tx: tx?.id ?? assert.fail(),
    event: publication?.event.id ?? assert.fail()
  }
})
type Payment = Effect.Success<typeof aPayment>

/** What somebody did to the tables, and the rules that must tell. */
const corruptions: Readonly<
  Record<string, readonly [sql: (of: Payment) => string, rules: ReadonlyArray<string>]>
> = {
  "a posting was changed": [
    ({ tx }) => `update pagora.posting set amount = amount + 1 where tx = '${tx}' and amount > 0`,
    ["charge_without_payment", "global_sum", "unbalanced", "wallet_mismatch"]
  ],
  "a transaction lost a posting": [
    ({ tx }) => `delete from pagora.posting where tx = '${tx}' and bucket >= 100`,
    ["charge_without_payment", "global_sum", "unbalanced"]
  ],
  "a transaction lost all its postings": [
    ({ tx }) => `delete from pagora.posting where tx = '${tx}'`,
    ["charge_without_payment", "unbalanced", "wallet_mismatch"]
  ],
  "a balance was changed": [
    ({ wallet }) => `update pagora.wallet set held = held + 5 where id = '${wallet}'`,
    ["held_mismatch", "wallet_mismatch"]
  ],
  "a balance went below zero": [
    ({ wallet }) => `update pagora.wallet set lien = -1 where id = '${wallet}'`,
    ["lien_missing", "negative"]
  ],
  "a wallet is gone": [
    ({ wallet }) => `delete from pagora.wallet where id = '${wallet}'`,
    ["orphan_posting"]
  ],
  "a transaction is gone": [
    ({ tx }) => `delete from pagora.ledger_tx where id = '${tx}'`,
    ["charge_without_payment", "orphan_posting"]
  ],
  "a payment of another amount": [
    ({ tx }) => `update pagora.ledger_tx set amount = amount - 1 where id = '${tx}'`,
    ["amount_mismatch", "charge_without_payment"]
  ],
  "a charge was paid twice": [
    ({ tx }) => `with copied as (
        insert into pagora.ledger_tx (amount, id, source, account, wallet, leg, kind)
          select amount, gen_random_uuid(), source, account, wallet, 1, kind from pagora.ledger_tx where id = '${tx}'
          returning id
      ) insert into pagora.posting (amount, tx, owner, seq, bucket, spends)
        select p.amount, c.id, p.owner, p.seq, p.bucket, p.spends from copied c, pagora.posting p where p.tx = '${tx}'`,
    ["charge_without_payment", "wallet_mismatch"]
  ],
  "a paid charge was put back": [
    ({ charge }) => `update pagora.operation set status = 'pending' where id = '${charge}'`,
    ["charge_misbooked", "charge_without_payment", "unattended"]
  ],
  "an event has another key": [
    ({ event }) => `update pagora.event set key = 'x' where id = '${event}'`,
    ["event_missing"]
  ],
  "an event is gone": [
    ({ event }) => `delete from pagora.event where id = '${event}'`,
    ["delivery_without_event", "event_missing"]
  ]
}

layer(layerKnown, { excludeTestServices: true, timeout: "60 seconds" })("the audit", (it) => {
  it.effect("finds nothing where nothing is wrong, and tells how much it looked at", () =>
    Effect.gen(function* () {
      const before = yield* audit
      yield* aPayment
      const after = yield* audit
      assert.deepStrictEqual(after.violations, [])
      assert.strictEqual(after.entries - before.entries, 4)
      assert.isAbove(after.accounts, before.accounts)
    })
  )

  for (const [what, [corrupt, rules]] of Object.entries(corruptions)) {
    it.effect(`tells when ${what}`, () =>
      Effect.gen(function* () {
        const url = yield* Url
        const payment = yield* aPayment
        yield* sqlOn(
          url,
          "alter table pagora.wallet drop constraint if exists wallet_lien_floor",
          "begin",
          "create schema kept",
          ...["wallet", "operation", "ledger_tx", "posting", "event"].map(
            (table) => `create table kept.${table} as table pagora.${table}`
          ),
          "commit",
          corrupt(payment)
        )
        const { violations } = yield* audit
        assert.deepStrictEqual(rulesOf({ violations }), [...rules])
        for (const { detail } of violations) assert.notInclude(detail, "note")
        // Those after it look for it again, and see more where they look closer.
        const again = yield* later(violations)
        for (const known of violations) assert.deepInclude(again.violations, known)
        yield* sqlOn(
          url,
          ...["wallet", "operation", "ledger_tx", "posting", "event"].flatMap((table) => [
            `delete from pagora.${table}`,
            `insert into pagora.${table} select * from kept.${table}`
          ]),
          "drop schema kept cascade"
        )
        assert.deepStrictEqual((yield* audit).violations, [])
        // What all postings sum to only a complete audit tells.
        assert.deepStrictEqual(
          rulesOf(yield* later(again.violations)),
          rules.filter((rule) => rule === "global_sum")
        )
      })
    )
  }
})
