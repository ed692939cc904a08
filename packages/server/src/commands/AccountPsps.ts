import type { OperatorBody } from "@pagora/core/client"
import { Result } from "effect"
import { Flag } from "effect/cli"
import { readBrl, shownBrl } from "./Brl.ts"
import { reading } from "./OperatorConnection.ts"

type PspChoice = NonNullable<OperatorBody<"accounts", "change">["psps"]>
type PspRule = NonNullable<PspChoice["rules"]>[number]
type Read<A> = Result.Result<A, string>

const partsOf = (text: string): ReadonlyArray<string> => text.split(",").map((part) => part.trim())

const notIds = "ids of configured PSPs with commas between them"
const notRule =
  "a rule such as max=100,id=70,id=30: min and max once each, then ids with their shares, from 1 up"

const share = /^[1-9]\d{0,3}$/u

const readRule = (text: string): Read<PspRule> => {
  const bounds: { min?: number; max?: number } = {}
  const to: Array<PspRule["to"][number]> = []
  for (const part of partsOf(text)) {
    const [name = "", value, ...more] = part.split("=").map((one) => one.trim())
    if (name === "" || more.length > 0) return Result.fail(notRule)
    if (name === "min" || name === "max") {
      const amount = readBrl(value ?? "")
      if (Result.isFailure(amount)) return Result.fail(`for ${name} ${amount.failure}`)
      if (bounds[name] !== undefined) return Result.fail(notRule)
      bounds[name] = amount.success
    } else if (value === undefined) to.push({ psp: name })
    else if (share.test(value)) to.push({ psp: name, share: Number(value) })
    else return Result.fail(notRule)
  }
  return to.length === 0 ? Result.fail(notRule) : Result.succeed({ ...bounds, to })
}

/** Reads `id,id` and, after semicolons, the rules of new charges. */
export const readPsps = (text: string): Read<PspChoice> => {
  const [ids = "", ...more] = text.split(";")
  const allowed = partsOf(ids)
  const [first = ""] = allowed
  if (allowed.some((id) => id === "" || id.includes("="))) return Result.fail(notIds)
  const rules: Array<PspRule> = []
  for (const one of more) {
    const rule = readRule(one)
    if (Result.isFailure(rule)) return Result.fail(rule.failure)
    rules.push(rule.success)
  }
  return Result.succeed({ default: first, allowed, ...(rules.length === 0 ? {} : { rules }) })
}

export const pspsFlag = Flag.String("psps").pipe(
  Flag.withMetavar("id,id;max=100,id=70,id=30;id"),
  Flag.withDescription(
    "Ids of the PSPs that the account may use, replaced whole; the first is its default. After semicolons, rules for new charges that name none: the first that fits counts, shares split them"
  ),
  reading(readPsps),
  Flag.optional
)

/** As the API answers it. */
export interface ShownPsps {
  readonly default: string
  readonly allowed: ReadonlyArray<string>
  readonly rules?: ReadonlyArray<PspRule>
}

const shownRule = ({ max, min, to }: PspRule): string => {
  const bounds = [
    ...(min === undefined ? [] : [`from ${shownBrl(min)}`]),
    ...(max === undefined ? [] : [`up to ${shownBrl(max)}`])
  ]
  const places = to.map(({ psp, share: of }) => (to.length === 1 ? psp : `${psp} ${of ?? 1}`))
  return [...(bounds.length === 0 ? ["all"] : bounds), "to", places.join(", ")].join(" ")
}

/** The ids, the default first, and a line for each rule. */
export const shownPsps = (
  psps: ShownPsps | undefined
): ReadonlyArray<readonly [string, string | undefined]> => {
  if (psps === undefined) return []
  const { allowed, default: usual, rules = [] } = psps
  return [
    ["PSPs, the default first", [usual, ...allowed.filter((id) => id !== usual)].join(", ")],
    ...rules.map((rule, index) => [`New charges, rule ${index + 1}`, shownRule(rule)] as const)
  ]
}
