import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import {
  BadRequest,
  Conflict,
  InternalError,
  NotFound,
  UnprocessableEntity
} from "../http/ErrorEnvelope.ts"
import { text } from "../http/WireCodecs.ts"
import { BrlNumber, PercentNumber } from "../kernel/Money.ts"

/** What every endpoint of the operator's can answer when it does not do what it is asked. */
export const errors = [BadRequest, NotFound, InternalError] as const

/** And those that take an Idempotency-Key. */
export const postErrors = [...errors, Conflict, UnprocessableEntity] as const

export const inAccount = { id: Schema.String }
export const created = HttpApiSchema.status(201)

const FeeSchedule = Schema.Struct({
  fixed: Schema.optionalKey(BrlNumber),
  percent: Schema.optionalKey(PercentNumber),
  min: Schema.optionalKey(BrlNumber),
  max: Schema.optionalKey(BrlNumber)
})

/** Fees of an account, or of a sub-account that has its own. */
export const Fees = Schema.Struct({
  payment: Schema.optionalKey(FeeSchedule),
  withdrawal: Schema.optionalKey(FeeSchedule),
  refund: Schema.optionalKey(FeeSchedule)
})

/** A min and a max between which something lies. */
export const minUpToMax = Schema.makeFilter(
  ({ max, min }: { readonly min?: bigint; readonly max?: bigint }) =>
    min === undefined || max === undefined || min <= max ? undefined : "min must not be above max."
)

const NewFeeSchedule = FeeSchedule.check(minUpToMax)

/** Fees as they are asked for; what was agreed before may have a min above its max, and is shown as it is. */
export const NewFees = Schema.Struct({
  payment: Schema.optionalKey(NewFeeSchedule),
  withdrawal: Schema.optionalKey(NewFeeSchedule),
  refund: Schema.optionalKey(NewFeeSchedule)
})

/** The reference of a sub-account, or `principal`. */
export const reference = text(2, 32)
