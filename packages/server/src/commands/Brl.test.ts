import { assert, describe, it } from "@effect/vitest"
import { Money } from "@pagora/core"
import { DateTime, Option, Result } from "effect"
import { termsOf } from "./AccountTerms.ts"
import { readBrl, readPercent, shownBrl } from "./Brl.ts"
import { readSince } from "./TimeFlags.ts"

describe("amounts", () => {
  it.each([
    [0, "R$ 0,00"],
    [0.1, "R$ 0,10"],
    [1234.56, "R$ 1.234,56"],
    [-1234567.5, "-R$ 1.234.567,50"],
    [9_999_999_999.99, "R$ 9.999.999.999,99"],
    [999_999_999_999.99, "R$ 999.999.999.999,99"]
  ])("%d is shown as %s", (amount, shown) => {
    assert.strictEqual(shownBrl(amount), shown)
  })

  it.each([
    ["10", 10],
    ["10.5", 10.5],
    ["0.29", 0.29],
    ["999999999999.99", 999_999_999_999.99]
  ])("%s is read to the centavo", (text, amount) => {
    assert.deepStrictEqual(readBrl(text), Result.succeed(amount))
    assert.deepStrictEqual(readBrl(`-${text}`, { isSigned: true }), Result.succeed(-amount))
  })

  it.each([
    "",
    "-1",
    "+1",
    "1,50",
    "1.234,56",
    "1.005",
    "1e3",
    "0x10",
    "01",
    " 1",
    "1.",
    ".5",
    "NaN",
    "Infinity",
    "9999999999999"
  ])("%j is refused, never rounded", (text) => {
    assert.isTrue(Result.isFailure(readBrl(text)))
  })

  it("is what the API takes, and nothing else", () => {
    const digits = ["", "0", "00", "7", "10", "100", "999999999999", "1000000000000"]
    const decimals = ["", ".", ".0", ".05", ".005", ".0001", ".00001", ",5", "e2", "\n"]
    for (const text of digits.flatMap((whole) => decimals.map((part) => `${whole}${part}`))) {
      const amount = Result.map(Money.parseBrl(text), Money.toBrlNumber)
      assert.strictEqual(Result.isSuccess(readBrl(text)), Result.isSuccess(amount), text)
      if (Result.isSuccess(amount))
        assert.deepStrictEqual(readBrl(text), Result.succeed(amount.success), text)
      const percent = Result.isSuccess(Money.parsePercent(text))
      assert.strictEqual(Result.isSuccess(readPercent(text)), percent, text)
    }
  })

  it("a sign stands once, before the digits", () => {
    for (const text of ["--1", "-", "1-", "- 1", "−1"]) {
      assert.isTrue(Result.isFailure(readBrl(text, { isSigned: true })), text)
    }
  })

  it("a percent has at most four decimals", () => {
    assert.deepStrictEqual(readPercent("0.9999"), Result.succeed(0.9999))
    for (const text of ["100.0001", "1.00001", "-1", "1%", ""]) {
      assert.isTrue(Result.isFailure(readPercent(text)), text)
    }
  })
})

describe("terms", () => {
  const none = {
    feePayment: Option.none(),
    feeWithdrawal: Option.none(),
    feeRefund: Option.none(),
    limitCharge: Option.none(),
    limitWithdrawal: Option.none(),
    blockCnpjPayers: Option.none(),
    onUnknownPayer: Option.none(),
    psps: Option.none()
  }

  it("name only what was given: what is absent stays as it is", () => {
    assert.deepStrictEqual(termsOf(none), {})
    assert.deepStrictEqual(
      termsOf({ ...none, feePayment: Option.some({}), blockCnpjPayers: Option.some(false) }),
      { fees: { payment: {} }, policy: { blockCnpjPayers: false } }
    )
  })
})

describe("since", () => {
  const now = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")

  it.each([
    ["90m", "2026-11-21T10:30:00.000Z"],
    ["24h", "2026-11-20T12:00:00.000Z"],
    ["7d", "2026-11-14T12:00:00.000Z"],
    ["2026-11-21", "2026-11-21T00:00:00.000Z"],
    ["2026-11-21T09:00:00-03:00", "2026-11-21T12:00:00.000Z"]
  ])("%s is %s", (text, since) => {
    assert.deepStrictEqual(readSince(text, now), Result.succeed(since))
  })

  it.each(["tomorrow", "7", "7w", "-1d", "2026-13-01", "21/11/2026", ""])(
    "%j is refused",
    (text) => {
      assert.isTrue(Result.isFailure(readSince(text, now)))
    }
  )
})
