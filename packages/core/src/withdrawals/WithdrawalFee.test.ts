import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { FeeSchedule } from "../accounts/Fees.ts"
import { feeOn } from "../accounts/Fees.ts"
import type { Centavos } from "../kernel/Money.ts"
import { bacenAmountMax, Percent } from "../kernel/Money.ts"
import { grossAndFee } from "./WithdrawalFee.ts"

const brl = (centavos: number | bigint) => BigInt(centavos) as Centavos
const between = (minimum: bigint, maximum: bigint) =>
  Schema.BigInt.check(Schema.isBetweenBigInt({ minimum, maximum }))

const parts = {
  fixed: between(0n, 500n),
  rate: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })),
  min: between(0n, 500n),
  max: between(0n, 5_000n),
  use: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 15 }))
}

/** Any schedule, each part of it there or not. */
const scheduleOf = (drawn: {
  readonly fixed: bigint
  readonly rate: number
  readonly min: bigint
  readonly max: bigint
  readonly use: number
}): FeeSchedule => ({
  ...((drawn.use & 1) === 0 ? {} : { fixed: brl(drawn.fixed) }),
  ...((drawn.use & 2) === 0 ? {} : { percent: Percent.make(drawn.rate) }),
  ...((drawn.use & 4) === 0 ? {} : { min: brl(drawn.min) }),
  ...((drawn.use & 8) === 0 ? {} : { max: brl(drawn.max) })
})

describe("grossAndFee", () => {
  it("takes the fee out of a gross amount", () => {
    const asked = { amount: brl(10_00) }
    assert.deepStrictEqual(
      grossAndFee({ fixed: brl(50) }, asked),
      Result.succeed({ amount: brl(10_00), feeAmount: brl(50) })
    )
  })

  it("refuses a gross amount that the fee eats up", () => {
    for (const amount of [brl(1), brl(50)]) {
      assert.isTrue(Result.isFailure(grossAndFee({ fixed: brl(50) }, { amount })), `${amount}`)
    }
    assert.isTrue(Result.isSuccess(grossAndFee({ fixed: brl(50) }, { amount: brl(51) })))
  })

  it("refuses a net amount that no gross leaves", () => {
    const everything = { percent: Percent.make(1_000_000) }
    assert.isTrue(Result.isFailure(grossAndFee(everything, { netAmount: brl(1) })))
    assert.isTrue(Result.isFailure(grossAndFee({ fixed: brl(1) }, { netAmount: bacenAmountMax })))
    assert.isTrue(Result.isSuccess(grossAndFee(undefined, { netAmount: bacenAmountMax })))
  })

  it.prop(
    "finds the smallest gross that leaves exactly the net",
    { ...parts, net: between(1n, 20_000n) },
    ({ net, ...drawn }) => {
      const schedule = scheduleOf(drawn)
      const solved = grossAndFee(schedule, { netAmount: brl(net) })
      if (Result.isFailure(solved)) {
        // Only a fee that takes it all, to the last centavo that there can be.
        return bacenAmountMax - feeOn(schedule, bacenAmountMax) < net
      }
      const { amount, feeAmount } = solved.success
      const below = brl(amount - 1n)
      return (
        feeAmount === feeOn(schedule, amount) &&
        amount - feeAmount === net &&
        below - feeOn(schedule, below) < net
      )
    }
  )

  it.prop(
    "grows by one centavo of net, or none, for each of gross",
    { ...parts, gross: between(0n, 100_000n) },
    ({ gross, ...drawn }) => {
      const schedule = scheduleOf(drawn)
      const net = (amount: bigint) => amount - feeOn(schedule, brl(amount))
      const step = net(gross + 1n) - net(gross)
      return step === 0n || step === 1n
    }
  )
})
