import type { PspNotice, RawNotification } from "@pagora/core"
import { NotificationRefused } from "@pagora/core"
import { Effect } from "effect"
import { seal } from "./BankSeal.ts"

/** The header that proves who sent a notification. */
const sealHeader = "x-bank-seal"

/** What a bank tells of, by our reference. */
export type BankNotice = Extract<PspNotice, { readonly reference: string }>

const tags: ReadonlyArray<string> = ["Charge", "Payout", "Refund"] satisfies ReadonlyArray<
  BankNotice["_tag"]
>

/** A notification as a bank sends it: what it is about, the how-manieth it is, and the seal of the bank's key. */
export const writeNotification = (
  key: string,
  notice: BankNotice,
  number: number
): RawNotification => sealed(key, JSON.stringify({ number, ...notice }))

/** Any text under the seal of a key. */
export const sealed = (key: string, text: string): RawNotification => {
  const body = new TextEncoder().encode(text)
  return {
    headers: { "content-type": "application/json", [sealHeader]: seal(key, body) },
    body,
    query: {},
    path: ""
  }
}

/** Reads what came in a bank's name: it believes the seal, and then no more than the reference. */
export const readNotification =
  (key: string) =>
  ({
    body,
    headers
  }: RawNotification): Effect.Effect<ReadonlyArray<PspNotice>, NotificationRefused> => {
    const given = Object.entries(headers).find(([name]) => name.toLowerCase() === sealHeader)?.[1]
    if (given !== seal(key, body))
      return Effect.fail(new NotificationRefused({ reason: "Unauthenticated" }))
    const notice = noticeIn(new TextDecoder().decode(body))
    return notice === undefined
      ? Effect.fail(new NotificationRefused({ reason: "Malformed" }))
      : Effect.succeed([notice])
  }

const noticeIn = (text: string): BankNotice | undefined => {
  const { _tag, reference } = jsonOf(text)
  const isNotice =
    typeof _tag === "string" &&
    tags.includes(_tag) &&
    typeof reference === "string" &&
    /^[A-Za-z0-9]{1,35}$/.test(reference)
  return isNotice ? { _tag: _tag as BankNotice["_tag"], reference } : undefined
}

const jsonOf = (text: string): { readonly [name: string]: unknown } => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
