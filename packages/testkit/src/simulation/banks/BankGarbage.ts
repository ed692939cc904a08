import type { PspOutcome } from "@pagora/core"
import type { Chance } from "../../fuzz/Chance.ts"

/** What a call comes to: an outcome, or the death of the layer that made it. */
export type Said<A> = { readonly outcome: PspOutcome<A> } | { readonly defect: unknown }

/** Breaks what was answered in one of the ways in which a layer of a bank breaks it. */
export const garbageOf = <A>(chance: Chance, outcome: PspOutcome<A>): Said<A> => {
  const broken = chance.pick(ways)(outcome._tag === "Done" ? outcome.value : undefined)
  return broken === death
    ? { defect: new TypeError("The layer of the bank cannot read its answer.") }
    : // What it breaks are the types.
      { outcome: broken as PspOutcome<A> }
}

const death = Symbol("death")

const ways: ReadonlyArray<(value: unknown) => unknown> = [
  () => death,
  () => undefined,
  () => "<html>502 Bad Gateway</html>",
  () => ({ _tag: "done" }),
  () => ({ _tag: "Done", value: null }),
  () => ({ _tag: "Done", value: {} }),
  () => ({ _tag: "Done", value: [] }),
  (value) => withStatus(value, "PENDENTE"),
  (value) => withStatus(value, undefined),
  (value) => ({ _tag: "Done", value: asJson(value) })
]

/** The same with another status: a word that nobody knows, or none. */
const withStatus = (value: unknown, status: string | undefined): unknown => ({
  _tag: "Done",
  value: typeof value === "object" && value !== null ? { ...value, status } : null
})

/** As a layer leaves it that forgets to read its JSON: amounts and times are texts. */
const asJson = (value: unknown): unknown =>
  value === undefined
    ? null
    : (JSON.parse(
        JSON.stringify(value, (_, part: unknown) =>
          typeof part === "bigint" ? String(part) : part
        )
      ) as unknown)
