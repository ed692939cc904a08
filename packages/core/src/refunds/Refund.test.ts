import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { Account } from "../accounts/Account.ts"
import { Charge } from "../charges/Charge.ts"
import { afterPart, leftOf, refunding } from "../charges/ChargeRefunds.ts"
import type { AccountId, ChargeId, ReturnId } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import { formersOf, Return } from "../returns/Return.ts"
import type { RefundContext } from "./Refund.ts"
import { decide } from "./Refund.ts"

const idOf = <Id extends string>(digit: number): Id =>
  `019a2b3c-0000-7000-8000-${String(digit).padStart(12, "0")}` as Id
const brl = (amount: bigint) => Centavos.make(amount)
const noon = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const words = { reason: "Looked at the bank.", at: noon }

const charge = new Charge({
  id: idOf<ChargeId>(1),
  account: idOf(10),
  wallet: idOf(10),
  status: "completed",
  amount: brl(1_000n),
  pspCredentialId: idOf(14),
  expiresAt: noon,
  createdAt: noon,
  updatedAt: noon,
  paidAt: noon,
  e2eId: "E9999999920261121120012345678901"
})

const account = new Account({
  id: idOf<AccountId>(10),
  name: "Loja",
  status: "approved",
  fees: {},
  policy: { blockCnpjPayers: false, onUnknownPayer: "accept" },
  limits: {},
  routes: [],
  createdAt: noon,
  updatedAt: noon
})

let ids = 100

/** What a request comes to. */
const asked = (of: Charge, amount?: bigint, former?: Return) => {
  const context: RefundContext = {
    account,
    subAccount: undefined,
    former,
    promotional: brl(0n),
    amount: amount === undefined ? undefined : brl(amount),
    reason: undefined,
    now: noon,
    id: idOf<ReturnId>(ids++)
  }
  const decided = decide(of, context)
  if (Result.isFailure(decided)) return { refused: decided.failure._tag, charge: of }
  const refund = decided.success
  return { refund, charge: refunding(of, refund, former) }
}

const made = (of: Charge, amount?: bigint, former?: Return) => {
  const { charge: next, refund } = asked(of, amount, former)
  return { charge: next, refund: refund ?? assert.fail("It was refused.") }
}

const ended = (refund: Return, fields: Partial<Return>) => new Return({ ...refund, ...fields })

describe("a refund", () => {
  it("of everything at once leaves no sum behind, and counts by its own state", () => {
    for (const amount of [undefined, 1_000n]) {
      const whole = made(charge, amount)
      assert.strictEqual(whole.refund.amount, 1_000n)
      assert.isUndefined(whole.charge.refundedInParts)
      assert.strictEqual(asked(whole.charge, 1n, whole.refund).refused, "AlreadyRefunded")
      const failed = ended(whole.refund, { status: "failed" })
      assert.strictEqual(afterPart(whole.charge, whole.refund, failed), whole.charge)
      assert.strictEqual(made(whole.charge, undefined, failed).refund.amount, 1_000n)
    }
  })

  it("of a part begins a sum, of which what fails is taken off", () => {
    const first = made(charge, 300n)
    const second = made(first.charge, 200n)
    assert.strictEqual(second.charge.refundedInParts, 500n)
    assert.strictEqual(leftOf(second.charge, undefined), 500n)
    const failed = afterPart(second.charge, first.refund, ended(first.refund, { status: "failed" }))
    assert.strictEqual(failed.refundedInParts, 200n)
    assert.deepStrictEqual(failed.doubtedRefunds, [])
    assert.strictEqual(made(failed).refund.amount, 800n)
    assert.strictEqual(asked(failed, 801n).refused, "MoreThanLeft")
    const confirmed = ended(second.refund, { status: "confirmed" })
    assert.strictEqual(afterPart(failed, second.refund, confirmed), failed)
  })

  it("has what a block has sent back off its rest, and waits while one is open", () => {
    const given = new Charge({ ...charge, chargedBack: brl(400n), openBlocks: 0 })
    assert.strictEqual(made(given).refund.amount, 600n)
    assert.strictEqual(asked(given, 601n).refused, "MoreThanLeft")
    const open = new Charge({ ...given, openBlocks: 1 })
    for (const amount of [undefined, 1n, 601n])
      assert.strictEqual(asked(open, amount).refused, "RefundInfractionOpen")
    const all = new Charge({ ...charge, chargedBack: brl(1_000n), openBlocks: 1 })
    assert.strictEqual(asked(all, 1n).refused, "AlreadyRefunded")
  })

  it("asks about each part that a person called failed, unless nothing was sent of it", () => {
    const first = made(charge, 100n)
    const second = made(first.charge, 100n)
    const givenUp = { status: "failed", resolution: words } as const
    const unsent = afterPart(second.charge, first.refund, ended(first.refund, givenUp))
    assert.deepStrictEqual(unsent.doubtedRefunds, [])
    const sent = { ...givenUp, sentAt: noon }
    const one = afterPart(second.charge, first.refund, ended(first.refund, sent))
    const both = afterPart(one, second.refund, ended(second.refund, sent))
    const doubted = [first.refund.id, second.refund.id]
    assert.deepStrictEqual(both.doubtedRefunds, doubted)
    const third = made(both, 50n)
    assert.deepStrictEqual(formersOf(third.refund), doubted)
    // A person has seen what the first of them did.
    const review = { since: noon, reason: "contradicted", by: first.refund.id } as const
    const before = ended(third.refund, { review })
    for (const status of ["confirmed", "failed"] as const) {
      const next = afterPart(third.charge, before, ended(third.refund, { ...givenUp, status }))
      assert.deepStrictEqual(next.doubtedRefunds, [second.refund.id])
      assert.strictEqual(next.refundedInParts, status === "failed" ? 0n : 50n)
    }
  })

  it("of a part takes the doubt about a whole one over", () => {
    const whole = made(charge)
    const givenUp = ended(whole.refund, { status: "failed", resolution: words })
    const again = made(whole.charge, undefined, givenUp)
    assert.strictEqual(again.refund.replaces, whole.refund.id)
    const part = made(whole.charge, 10n, givenUp)
    assert.deepStrictEqual(formersOf(part.refund), [whole.refund.id])
    assert.deepStrictEqual(part.charge.doubtedRefunds, [whole.refund.id])
    const refused = ended(again.refund, { status: "failed" })
    assert.deepStrictEqual(formersOf(made(again.charge, 10n, refused).refund), [whole.refund.id])
    const both = ended(refused, { resolution: words })
    assert.deepStrictEqual(formersOf(made(again.charge, 10n, both).refund), [
      again.refund.id,
      whole.refund.id
    ])
  })
})
