import type { Centavos, Claim, LeaseToken, Unit, UnitId, WalletId, WriteId } from "@pagora/core"
import { MergedUnit } from "@pagora/core"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { newId, rowOf } from "../contracts/StorageLaws.ts"
import { DoorWitness } from "./DoorWitness.ts"

const at = DateTime.makeUnsafe("2026-11-24T13:00:00Z")
const unit = (parts: Partial<Unit>): Unit => ({ id: newId<UnitId>(), at, ...parts })

/** A witness of what came in, one write each. */
const after = (...all: ReadonlyArray<Partial<Unit>>) => {
  let now = DateTime.toEpochMillis(at)
  const witness = new DoorWitness(() => now)
  const write = (parts: Partial<Unit>, id = newId<WriteId>()) =>
    witness.saw("write", [MergedUnit.merge([unit(parts)], id)], null)
  for (const parts of all) write(parts)
  const pass = (millis: number) => {
    now += millis
  }
  return { witness, write, pass }
}

const row = rowOf()
const wallet = newId<WalletId>()
const queue = "charge"
const job = newId()
const [token, other] = [newId<LeaseToken>(), newId<LeaseToken>()]
const scope = { wallet, route: "POST /pix", key: "order-1" }
const begin = {
  _tag: "Begin",
  scope,
  fingerprint: "",
  entity: row.id,
  expiresAt: DateTime.addDuration(at, Duration.hours(24)),
  snapshot: null
} as const

const opened: Partial<Unit> = { opens: [wallet] }
const brl = (centavos: bigint) => centavos as Centavos
const posted = (amount: bigint, spends = false, against = -amount): Partial<Unit> => ({
  ledger: [
    {
      id: newId(),
      kind: "adjustment",
      account: newId(),
      wallet,
      source: newId(),
      leg: 0,
      amount: brl(amount),
      document: null,
      postings: [
        { account: { owner: wallet, bucket: "available" }, amount: brl(amount), spends },
        { account: { owner: newId(), bucket: "equity" }, amount: brl(against), spends: false }
      ]
    }
  ]
})
const counted = (max: bigint): Partial<Unit> => ({
  counters: [{ key: "withdrawal/daily/2026-11-24", add: brl(100n), max: brl(max) }]
})
const scheduled: Partial<Unit> = {
  jobs: [{ _tag: "Schedule", queue, id: job, group: job, due: at }]
}
const claim: Claim = {
  queue,
  now: at,
  lease: Duration.minutes(1),
  max: 1,
  perGroup: 1,
  token
}
const given = (to: LeaseToken) => [{ queue, id: job, group: job, due: at, token: to }]
const sent = { ...row, document: '{"sentAt":"2026-11-24T13:00:00Z"}' }
const ended: Partial<Unit> = { updates: [{ row, expected: 1 }] }
const reference = row.id.replaceAll("-", "")

/** What a storage, or a process, might do, and what is said of it. */
const wrongs: Readonly<Record<string, readonly [RegExp, () => DoorWitness]>> = {
  "a void write comes in": [
    /came in after it was made void/,
    () => {
      const { witness, write } = after()
      const id = newId<WriteId>()
      witness.saw("resolveWrite", [id], false)
      write({}, id)
      return witness
    }
  ],
  "a write comes in twice": [
    /came in twice/,
    () => {
      const { witness, write } = after()
      const id = newId<WriteId>()
      write({}, id)
      write({}, id)
      return witness
    }
  ],
  "a write that is in is denied": [
    /is said not to be in, and is$/,
    () => {
      const { witness, write } = after()
      const id = newId<WriteId>()
      write({}, id)
      witness.saw("resolveWrite", [id], false)
      return witness
    }
  ],
  "a write that is nowhere is confirmed": [
    /is said to be in, and is not$/,
    () => {
      const { witness } = after()
      witness.saw("resolveWrite", [newId()], true)
      return witness
    }
  ],
  "a row is inserted twice": [
    /thing .* came to be twice/,
    () => after({ inserts: [row] }, { inserts: [row] }).witness
  ],
  "a row is changed by who knew an older one": [
    /at 2 was changed by who knew 1/,
    () =>
      after(
        { inserts: [row] },
        { updates: [{ row, expected: 1 }] },
        { updates: [{ row, expected: 1 }] }
      ).witness
  ],
  "a decision rests on an older row": [
    /rests on .* at 2, which is at 1/,
    () =>
      after({ inserts: [row] }, { expects: [{ table: row.table, id: row.id, version: 2 }] }).witness
  ],
  "a name is taken twice": [
    /name e2e E1 is there twice/,
    () => {
      const keys = [{ space: "e2e", key: "E1", holder: row.id }]
      return after({ keys }, { keys }).witness
    }
  ],
  "a key is begun twice": [
    /the key order-1 was begun twice/,
    () => after({ idempotency: begin }, { idempotency: begin }).witness
  ],
  "a job is ended without its lease": [
    /was ended or put off by who does not hold it/,
    () => after(scheduled, { jobs: [{ _tag: "Finish", queue, id: job, token: other }] }).witness
  ],
  "a job is given out twice": [
    /was given to a second holder/,
    () => {
      const { witness } = after(scheduled)
      witness.saw("claim", [[claim]], given(token))
      witness.saw("claim", [[{ ...claim, token: other }]], given(other))
      return witness
    }
  ],
  "a lease that is gone is renewed": [
    /is held was told wrong/,
    () => {
      const { witness } = after(scheduled)
      witness.saw("renew", [{ queue, id: job, token, lease: Duration.minutes(1) }], true)
      return witness
    }
  ],
  "more is taken than there is": [
    /available of wallet .* is -100/,
    () => after(opened, posted(-100n)).witness
  ],
  "what a block claims is spent": [
    /was spent what balance blocks claim/,
    () =>
      after(opened, posted(100n), { liens: [{ wallet, delta: brl(100n) }] }, posted(-1n, true))
        .witness
  ],
  "postings do not balance": [
    /does not balance/,
    () => after(opened, posted(100n, false, -99n)).witness
  ],
  "a wallet is closed with money": [
    /was to be empty, and is not/,
    () => after(opened, posted(1n), { empty: [wallet] }).witness
  ],
  "a limit is passed": [
    /is at 200 and may reach 150/,
    () => after(counted(150n), counted(150n)).witness
  ],
  "a payout leaves before its intent is stored": [
    /and no intent is stored/,
    () => {
      const { witness } = after({ inserts: [row] })
      witness.leaves(reference)
      return witness
    }
  ],
  "a payout leaves twice by one intent": [
    /once more, by the intent of before/,
    () => {
      const { witness } = after({ inserts: [sent] })
      witness.leaves(reference)
      witness.leaves(reference)
      return witness
    }
  ],
  "a payout leaves long after its intent, when it has ended": [
    /and no intent is stored/,
    () => {
      const { pass, witness } = after({ inserts: [sent] }, ended)
      pass(10_000)
      witness.leaves(reference)
      return witness
    }
  ]
}

describe("the witness at the door of a storage", () => {
  it.each(Object.entries(wrongs))("says that %s", (_, [sentence, happened]) => {
    const { violations } = happened()
    assert.strictEqual(violations.length, 1, violations.join("\n"))
    assert.match(violations[0] ?? "", sentence)
  })

  it("says nothing of who sends by an intent of seconds ago what another process has sent and ended", () => {
    const again = { ...row, document: '{"sentAt":"2026-11-24T13:00:01Z"}' }
    const { witness, write } = after(
      { inserts: [sent] },
      { updates: [{ row: again, expected: 1 }] }
    )
    witness.leaves(reference)
    write({ updates: [{ row, expected: 2 }] })
    witness.leaves(reference)
    assert.deepStrictEqual(witness.violations, [])
    witness.leaves(reference)
    assert.match(witness.violations.join(), /and no intent is stored/)
  })

  it("says nothing of what is right, nor of what was refused", () => {
    const { witness, write } = after(
      opened,
      posted(100n),
      { inserts: [row], idempotency: begin, ...scheduled, ...counted(100n) },
      { updates: [{ row: sent, expected: 1 }] },
      posted(-100n, true),
      { empty: [wallet] }
    )
    witness.leaves(reference)
    witness.saw("claim", [[claim]], given(token))
    witness.saw("renew", [{ queue, id: job, token, lease: Duration.minutes(1) }], true)
    write({ jobs: [{ _tag: "Finish", queue, id: job, token }] })
    const refused = MergedUnit.merge([unit({ inserts: [row] })], newId<WriteId>())
    witness.saw("write", [refused], { expectation: "DuplicateKey" })
    witness.saw("resolveWrite", [refused.id], false)
    assert.deepStrictEqual(witness.violations, [])
  })
})
