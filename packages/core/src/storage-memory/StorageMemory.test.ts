import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AccountId, DeliveryId, LedgerTxId, WalletId } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { completeAudit } from "../audit/Audit.ts"
import { factKeys } from "../units/Facts.ts"
import { merge } from "../units/MergedUnit.ts"
import type { AuditReport } from "../ports/StorageDriver.ts"
import { makeDriver } from "./StorageMemory.ts"
import type { MemoryState } from "./StorageMemoryState.ts"
import { applyUnit, emptyState } from "./StorageMemoryState.ts"
import type { EventRow, Unit } from "../units/Unit.ts"
import {
  at,
  idOf,
  moneyIn,
  moneyOut,
  newId,
  opening,
  rowOf,
  unitOf
} from "../storage/Units.test-data.ts"

const wallet: WalletId = idOf(0xa)

/** A state that a history left, without asking whether it was allowed. */
const stateOf = (...units: ReadonlyArray<Unit>): MemoryState => {
  const state = emptyState()
  for (const unit of units) applyUnit(state, unit)
  return state
}

const txOf = (unit: Unit): LedgerTx => unit.ledger?.[0] ?? assert.fail("no transaction")

describe("writing", () => {
  it.effect("is all or nothing for a group, and names the rule that fails", () =>
    Effect.gen(function* () {
      const state = stateOf(opening(wallet), moneyIn(wallet, 10n))
      const driver = makeDriver(state)
      const [first, second, third] = [
        moneyOut(wallet, 6n),
        moneyOut(wallet, 6n),
        moneyIn(wallet, 9n)
      ]
      const failed = yield* driver.write(merge([first, second, third], newId()))
      assert.deepStrictEqual(failed, { expectation: "InsufficientFunds" })
      assert.strictEqual(state.wallets.get(wallet)?.available, 10n)
      assert.strictEqual(state.ledger.size, 1)
      assert.isNull(yield* driver.write(merge([first, third, second], newId())))
      assert.strictEqual(state.wallets.get(wallet)?.available, 7n)
    })
  )

  it.effect("takes facts that are copies: deciding on them changes nothing stored", () =>
    Effect.gen(function* () {
      const state = stateOf(opening(wallet))
      const driver = makeDriver(state)
      const facts = yield* driver.facts(factKeys([moneyIn(wallet, 1n)]))
      facts.wallets.clear()
      assert.isTrue(state.wallets.has(wallet))
      const again = yield* driver.facts(factKeys([moneyIn(wallet, 1n)]))
      assert.isTrue(again.wallets.has(wallet))
    })
  )
})

describe("the audit", () => {
  type Violation = AuditReport["violations"][number]
  const sound = () => stateOf(opening(wallet), moneyIn(wallet, 10n), moneyOut(wallet, 3n))
  const audit = (state: MemoryState) => completeAudit(makeDriver(state))

  it.effect("finds nothing wrong with a sound ledger, and counts its accounts and entries", () =>
    Effect.gen(function* () {
      const report = yield* audit(sound())
      assert.deepStrictEqual(report, { accounts: 2, entries: 4, violations: [] })
    })
  )

  const chargeOf = (status: string) =>
    rowOf({
      id: idOf(0xc),
      kind: "charge",
      status,
      amount: Centavos.make(5n),
      document: JSON.stringify({ pspCredentialId: idOf(0xb) })
    })
  const paymentOf = (amount: bigint): Unit => {
    const tx = txOf(moneyIn(wallet, amount))
    return unitOf({ ledger: [{ ...tx, kind: "payment", source: idOf(0xc) }] })
  }
  const eventOf = (account: AccountId): Unit => {
    const event: EventRow = {
      id: newId(),
      account,
      wallet,
      key: idOf(0xc),
      type: "t",
      body: "",
      at: at(0)
    }
    return unitOf({ events: [{ event, deliveries: [] }] })
  }
  const paid = eventOf(idOf(0xa))
  const unpaid = (detail: string): Violation => ({
    rule: "charge_without_payment",
    subject: idOf(0xc),
    detail
  })

  const damaged = (damage: (state: MemoryState) => void): MemoryState => {
    const state = sound()
    damage(state)
    return state
  }
  const withWallet = (parts: object) =>
    damaged((state) => {
      const stored = state.wallets.get(wallet) ?? assert.fail("no wallet")
      state.wallets.set(wallet, { ...stored, ...parts })
    })
  const orphaned = damaged((state) => state.wallets.delete(wallet))
  const lone: LedgerTx = { ...txOf(moneyIn(wallet, 1n)), id: idOf<LedgerTxId>(0xd) }
  const charges = (...units: ReadonlyArray<Unit>) => stateOf(opening(wallet), ...units)
  const charge = (status: string) => unitOf({ inserts: [chargeOf(status)] })
  const inLine = unitOf({
    jobs: [{ _tag: "Schedule", queue: "charge", id: idOf(0xc), group: idOf(0xa), due: at(0) }]
  })

  const cases: ReadonlyArray<readonly [string, MemoryState, ReadonlyArray<Violation>]> = [
    [
      "a transaction that does not balance, and the sum over all",
      damaged((state) =>
        state.ledger.set(lone.id, { ...lone, postings: lone.postings.slice(0, 1) })
      ),
      [
        {
          rule: "global_sum",
          subject: "ledger",
          detail: "all postings sum to -1 centavos instead of zero"
        },
        { rule: "unbalanced", subject: lone.id, detail: "needs at least two postings" }
      ]
    ],
    [
      "a balance that its postings do not explain",
      withWallet({ held: 2n }),
      [
        {
          rule: "held_mismatch",
          subject: wallet,
          detail: "holds 2 centavos for operations that hold 0"
        },
        {
          rule: "wallet_mismatch",
          subject: wallet,
          detail: "held is 2 centavos and its postings sum to 0"
        }
      ]
    ],
    [
      "a lien below zero",
      withWallet({ lien: -1n }),
      [
        {
          rule: "lien_missing",
          subject: wallet,
          detail: "has a lien of -1 centavos for blocks that claim 0"
        },
        { rule: "negative", subject: wallet, detail: "lien is -1 centavos" }
      ]
    ],
    [
      "a bucket below zero",
      stateOf(opening(wallet), moneyOut(wallet, 3n)),
      [{ rule: "negative", subject: wallet, detail: "available is -3 centavos" }]
    ],
    [
      "a posting to a wallet that does not exist",
      orphaned,
      [...orphaned.ledger.keys()].map((subject) => ({
        rule: "orphan_posting",
        subject,
        detail: `posts to the wallet ${wallet}, which does not exist`
      }))
    ],
    [
      "nothing in a charge that is paid and told",
      charges(charge("completed"), paymentOf(5n), paid),
      []
    ],
    [
      "nothing in a charge that is pending and stands in line",
      charges(charge("pending"), inLine),
      []
    ],
    [
      "a charge that is pending, and that nobody will look at",
      charges(charge("pending")),
      [
        {
          rule: "unattended",
          subject: idOf(0xc),
          detail: "is pending and stands in no line"
        }
      ]
    ],
    [
      "nothing in what is called a charge and is configuration",
      charges(unitOf({ inserts: [{ ...chargeOf("completed"), table: "registry" }] })),
      []
    ],
    [
      "a completed charge without its payment",
      charges(charge("completed"), paid),
      [unpaid("is completed over 5 centavos with []")]
    ],
    [
      "a completed charge paid with another amount",
      charges(charge("completed"), paymentOf(4n), paid),
      [unpaid("is completed over 5 centavos with [payment 4 (available 4, psp_clearing -4)]")]
    ],
    [
      "a completed charge paid twice",
      charges(charge("completed"), paymentOf(5n), paymentOf(5n), paid),
      [
        unpaid(
          "is completed over 5 centavos with [payment 5 (available 5, psp_clearing -5); payment 5 (available 5, psp_clearing -5)]"
        )
      ]
    ],
    [
      "an expired charge with a payment",
      charges(charge("expired"), paymentOf(5n)),
      [unpaid("is expired over 5 centavos with [payment 5 (available 5, psp_clearing -5)]")]
    ],
    [
      "a completed charge that no event of its account tells of",
      charges(charge("completed"), paymentOf(5n), eventOf(newId())),
      [
        {
          rule: "event_missing",
          subject: idOf(0xc),
          detail: "is completed and no event of its account says so"
        }
      ]
    ],
    [
      "a delivery without its event",
      damaged((state) =>
        state.deliveries.set(idOf<DeliveryId>(1), {
          id: idOf(1),
          event: idOf(2),
          endpoint: idOf(3),
          account: idOf(4),
          type: "t",
          status: "queued",
          attempts: 0
        })
      ),
      [{ rule: "delivery_without_event", subject: idOf(1), detail: `of event ${idOf(2)}` }]
    ]
  ]
  for (const [sentence, state, violations] of cases) {
    it.effect(`finds ${sentence}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* audit(state)).violations, violations)
      })
    )
  }
})
