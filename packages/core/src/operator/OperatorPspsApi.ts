import { Schema } from "effect"
import { wholeBetween } from "../http/WireCodecs.ts"
import { PspCredentialId } from "../kernel/Ids.ts"
import { BrlNumber } from "../kernel/Money.ts"

/** How many PSPs an account may be allowed, and a rule may name. */
const pspsMax = 20
/** How many rules an account may have. */
const rulesMax = 20
const shareMax = 1_000

const share = wholeBetween(1, shareMax)

const bounds = { min: Schema.optionalKey(BrlNumber), max: Schema.optionalKey(BrlNumber) }

const PspRule = Schema.Struct({
  ...bounds,
  to: Schema.Array(Schema.Struct({ psp: PspCredentialId, share: Schema.optionalKey(share) })).check(
    Schema.isMinLength(1, { message: "Name at least one PSP." }),
    Schema.isMaxLength(pspsMax),
    Schema.makeFilter((to) =>
      new Set(to.map(({ psp }) => psp)).size === to.length ? undefined : "Name each PSP once."
    )
  )
}).check(
  Schema.makeFilter(({ max, min }) =>
    min === undefined || max === undefined || min <= max
      ? undefined
      : "No amount is from this min to this max."
  )
)

export const PspRules = Schema.Array(PspRule).check(Schema.isMaxLength(rulesMax))

/** Which PSPs an account may use, and which of them its new charges go to. */
export const PspChoice = Schema.Struct({
  default: PspCredentialId,
  allowed: Schema.optionalKey(Schema.Array(PspCredentialId).check(Schema.isMaxLength(pspsMax))),
  rules: Schema.optionalKey(PspRules)
}).check(
  Schema.makeFilter(({ allowed, default: usual }) =>
    allowed === undefined || allowed.includes(usual)
      ? undefined
      : "Name the default among those that are allowed too, or leave allowed out."
  ),
  Schema.makeFilter(({ allowed, default: usual, rules = [] }) => {
    const may: ReadonlyArray<PspCredentialId> = allowed ?? [usual]
    return rules.every(({ to }) => to.every(({ psp }) => may.includes(psp)))
      ? undefined
      : "A rule names a PSP that is not allowed: name it in allowed too."
  })
)

export const ShownPspChoice = Schema.Struct({
  default: Schema.String,
  allowed: Schema.Array(Schema.String),
  rules: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({ ...bounds, to: Schema.Array(Schema.Struct({ psp: Schema.String, share })) })
    )
  )
})
