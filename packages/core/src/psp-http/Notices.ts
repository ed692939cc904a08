import { Effect, Result } from "effect"
import type { PspNotice, PspShape, RawNotification } from "../ports/Psp.ts"
import { NotificationRefused } from "../ports/Psp.ts"
import type { Fields } from "./Fields.ts"
import { fieldsOf } from "./Fields.ts"
import { parseJson } from "./Json.ts"
import { isEndToEndId, isReference } from "./Words.ts"

/** Reads a notification of JSON: first who sent it, then what it names. */
export const readNotices = (
  isAuthentic: (notification: RawNotification) => boolean,
  /** Throws where it is nothing that the PSP sends. */
  read: (event: Fields) => ReadonlyArray<Named>
): PspShape["readNotification"] =>
  readBodies(isAuthentic, (json) => read(fieldsOf(json)).flatMap(noticeOf))

/** The same where a layer has a reader of its own, such as for events that hold many. */
export const readBodies =
  (
    isAuthentic: (notification: RawNotification) => boolean,
    /** Throws, or is undefined, where it is nothing that the PSP sends. */
    read: (json: unknown) => ReadonlyArray<PspNotice> | undefined
  ): PspShape["readNotification"] =>
  (notification) => {
    if (!isAuthentic(notification))
      return Effect.fail(new NotificationRefused({ reason: "Unauthenticated" }))
    const notices = Result.try(() => read(parseJson(textOf(notification.body))))
    return Effect.fromNullishOr(Result.getOrUndefined(notices)).pipe(
      Effect.mapError(() => new NotificationRefused({ reason: "Malformed" }))
    )
  }

/** What a notification names. What is not there, or cannot be a name, names nothing of ours. */
export type Named = readonly [
  about: "Charge" | "Payout" | "Refund" | "PspPayout" | "Payment" | "Infraction",
  name: string | undefined
]

const noticeOf = ([about, name]: Named): ReadonlyArray<PspNotice> => {
  if (about === "Payment") return isEndToEndId(name) ? [{ _tag: about, endToEndId: name }] : []
  if (about === "Charge" || about === "Payout" || about === "Refund")
    return isReference(name) ? [{ _tag: about, reference: name }] : []
  if (name === undefined || name === "") return []
  return [about === "Infraction" ? { _tag: about, id: name } : { _tag: about, pspReference: name }]
}

/** A header by its name in lower case; empty where there is none. */
export const headerOf = ({ headers }: RawNotification, name: string): string =>
  Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1] ?? ""

/** Empty where it is no UTF-8. */
const textOf = (body: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body)
  } catch {
    return ""
  }
}
