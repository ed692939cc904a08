import type { Asked } from "./Asked.ts"
import { acknowledgement, isDone } from "./Asked.ts"
import { textAt } from "./Json.ts"
import { idOf } from "./Names.ts"

/** Something that was acknowledged, under its id. Places are those in the order of all that happened to clients. */
export interface Made {
  readonly id: string
  readonly name: string
  readonly shop: number
  readonly wallet: string
  /** What it is about, such as the charge of a refund. */
  readonly subject: string
  /** It cannot have been made before. */
  readonly began: number
  /** It was there then, and the true time of that. */
  readonly acknowledged: number
  readonly at: number
}

/** A refund is told under the name that its return has at the PSP. */
const madeId = (asked: Asked, json: unknown): string =>
  asked.name === "refund" ? idOf(textAt(json, "pspRefundTransactionId")) : textAt(json, "id")

const isTwin = (one: Asked, other: Asked): boolean =>
  one === other ||
  (one.key !== undefined &&
    one.key === other.key &&
    one.name === other.name &&
    one.shop === other.shop &&
    one.path === other.path)

/** What requests of a kind have made, as early as they can have made it: whoever was answered may have been a repeat. */
export const madeBy = (asked: ReadonlyArray<Asked>, name: string): ReadonlyMap<string, Made> => {
  const all = asked.filter((one) => one.name === name && one.outcome !== "refused")
  const made = new Map<string, Made>()
  for (const one of all) {
    const told = one.told.find(({ answer }) => isDone(answer))
    const id = madeId(one, acknowledgement(one)?.json)
    if (told === undefined || id === "") continue
    const known = made.get(id)
    if (known !== undefined && known.acknowledged <= told.to) continue
    const twins = all.filter((other) => isTwin(one, other))
    made.set(id, {
      id,
      name,
      shop: one.shop,
      wallet: one.wallet,
      subject: one.subject ?? "",
      began: Math.min(...twins.map(({ began }) => began), known?.began ?? one.began),
      acknowledged: told.to,
      at: told.at
    })
  }
  return made
}

/** Whether a block may have been decided before a place in the order of all that happened to clients. */
export const mayBeDecided = (asked: ReadonlyArray<Asked>, block: Made, before: number): boolean =>
  asked.some(
    ({ began, name, outcome, subject }) =>
      name === "resolve" && subject === block.id && outcome !== "refused" && began < before
  )
