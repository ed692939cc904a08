import type { OperatorBody } from "@pagora/core/client"
import { Result } from "effect"
import { Flag } from "effect/cli"
import { readPspRules } from "../psp/PspRuleText.ts"
import { shownBrl } from "./Brl.ts"
import { reading } from "./OperatorConnection.ts"

type PspChoice = NonNullable<OperatorBody<"accounts", "change">["psps"]>
type PspRule = NonNullable<PspChoice["rules"]>[number]

const notIds = "ids of configured PSPs with commas between them"

/** Reads `id,id` and, after semicolons, the rules of new charges. */
export const readPsps = (text: string): Result.Result<PspChoice, string> => {
  const [ids = "", ...more] = text.split(";")
  const allowed = ids.split(",").map((part) => part.trim())
  const [first = ""] = allowed
  if (allowed.some((id) => id === "" || id.includes("="))) return Result.fail(notIds)
  const rules = readPspRules(more)
  return Result.map(rules, (read) => ({
    default: first,
    allowed,
    ...(read.length === 0 ? {} : { rules: read })
  }))
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
