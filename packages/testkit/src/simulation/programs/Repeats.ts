import type { Chance } from "../../fuzz/Chance.ts"
import type { Ask, Asked } from "./Asked.ts"
import type { KnownShop } from "./Memory.ts"
import { present } from "../../Present.ts"

/** A key is good for 24 hours; later it makes another thing, or the same. Nobody repeats himself then. */
const repeatMax = 22 * 3_600_000

/** The same request once more, with its key; undefined where that would be too late, or there is none. */
export const repeatOf = (
  first: Asked,
  shop: KnownShop | undefined,
  { now, operation }: { readonly now: number; readonly operation: number }
): Ask | undefined => {
  // By which door it comes is drawn anew.
  const { began: _, beganAt, ended: __, inProcess: ___, outcome: ____, told: _____, ...ask } = first
  const keySince = first.keySince ?? beganAt
  if (ask.key === undefined || now - keySince > repeatMax) return undefined
  const credential = ask.as === "tenant" ? shop?.credentialFor(operation) : undefined
  return { ...ask, ...present({ credential }), operation, keySince }
}

const repeated: ReadonlySet<string> = new Set([
  "charge",
  "withdraw",
  "refund",
  "transfer",
  "adjust",
  "commission",
  "block"
])
const repeatsMax = 8

/** Some of what was acknowledged, to be asked for again when the faults are over: there may have been nights since. */
export const someToRepeat = (asked: ReadonlyArray<Asked>, chance: Chance): ReadonlyArray<Asked> => {
  const good = asked.filter(
    ({ isSetup, key, name, outcome }) =>
      outcome === "done" && key !== undefined && isSetup !== true && repeated.has(name)
  )
  return good.length === 0 ? [] : Array.from({ length: repeatsMax }, () => chance.pick(good))
}
