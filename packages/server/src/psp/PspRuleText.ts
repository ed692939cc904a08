import type { OperatorBody } from "@pagora/core/client"
import { Result } from "effect"
import { readBrl } from "../commands/Brl.ts"

type PspRule = NonNullable<NonNullable<OperatorBody<"accounts", "change">["psps"]>["rules"]>[number]
type Read<A> = Result.Result<A, string>

const notRule =
  "a rule such as max=100,id=70,id=30: min and max once each, then ids with their shares, from 1 up"

const share = /^[1-9]\d{0,3}$/u

const readRule = (text: string, isId: (text: string) => boolean): Read<PspRule> => {
  const bounds: { min?: number; max?: number } = {}
  const to: Array<PspRule["to"][number]> = []
  for (const part of text.split(",")) {
    const [name = "", value, ...more] = part.split("=").map((one) => one.trim())
    const isBound = name === "min" || name === "max"
    if (name === "" || more.length > 0 || !(isBound || isId(name))) return Result.fail(notRule)
    if (isBound) {
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

/** Reads rules of new charges, as they are typed: `max=100,id=70,id=30` each. */
export const readPspRules = (
  texts: ReadonlyArray<string>,
  isId: (text: string) => boolean = () => true
): Read<ReadonlyArray<PspRule>> => {
  const rules: Array<PspRule> = []
  for (const text of texts) {
    const rule = readRule(text, isId)
    if (Result.isFailure(rule)) return Result.fail(rule.failure)
    rules.push(rule.success)
  }
  return Result.succeed(rules)
}
