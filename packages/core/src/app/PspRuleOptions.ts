import { Result, Schema } from "effect"
import type { PspRule } from "../accounts/PspRule.ts"
import { withShares } from "../accounts/PspRule.ts"
import { fieldsOf } from "../http/Invalid.ts"
import { PspRules } from "../operator/OperatorPspsApi.ts"

/** Where new charges go: those of an amount from `min` to `max` in BRL, both included, to PSPs by their ids and shares. */
export interface PspRuleOption {
  readonly min?: number
  readonly max?: number
  /** Of several, by their shares from 1 to 1,000; without them alike. */
  readonly to: ReadonlyArray<{ readonly psp: string; readonly share?: number }>
}

const decode = Schema.decodeUnknownResult(PspRules, { onExcessProperty: "error" })

/** The rules that an option says, or what is wrong with them, in one sentence. */
export const readPspRules = (rules: unknown): Result.Result<ReadonlyArray<PspRule>, string> =>
  Result.match(decode(rules), {
    onSuccess: (read) => Result.succeed(withShares(read)),
    onFailure: ({ issue }) => {
      const [first] = fieldsOf(issue)
      return Result.fail(
        `pspRules${first?.field ?? ""}: ${first?.message ?? "it cannot be read."} Give rules such as { max: 100, to: [{ psp: id, share: 70 }] }.`
      )
    }
  })
