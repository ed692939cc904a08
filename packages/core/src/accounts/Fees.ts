import { Schema } from "effect"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString, Percent, min, percentHalfUp, plus, zero } from "../kernel/Money.ts"

/**
 * What one kind of operation costs: a fixed part plus a percentage of the amount, rounded half up to the
 * centavo, kept within `min` and `max`. `percent` counts ten-thousandths of a percent (1 % is 10,000).
 */
export const FeeSchedule = Schema.Struct({
  fixed: Schema.optionalKey(CentavosString),
  percent: Schema.optionalKey(Percent),
  min: Schema.optionalKey(CentavosString),
  max: Schema.optionalKey(CentavosString)
})
export type FeeSchedule = typeof FeeSchedule.Type

/** Fees by operation; what is not named is free. */
export const Fees = Schema.Struct({
  payment: Schema.optionalKey(FeeSchedule),
  withdrawal: Schema.optionalKey(FeeSchedule),
  refund: Schema.optionalKey(FeeSchedule)
})
export type Fees = typeof Fees.Type

const noPercent = Percent.make(0)

/** The fee on an amount, never more than the amount itself. */
export const feeOn = (schedule: FeeSchedule | undefined, amount: Centavos): Centavos => {
  if (schedule === undefined) return zero
  const asked = plus(schedule.fixed ?? zero, percentHalfUp(amount, schedule.percent ?? noPercent))
  const raised = schedule.min !== undefined && asked < schedule.min ? schedule.min : asked
  const capped = schedule.max !== undefined && raised > schedule.max ? schedule.max : raised
  return min(capped, amount)
}
