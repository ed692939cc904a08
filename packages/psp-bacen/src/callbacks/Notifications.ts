import type { PspNotice, PspShape, RawNotification } from "@pagora/core"
import { NotificationRefused } from "@pagora/core"
import { parseJson } from "@pagora/core/psp"
import { Effect } from "effect"
import { readCallback } from "./Callback.ts"

export interface NotificationReading {
  readonly isAuthentic: (notification: RawNotification) => boolean
  readonly pixKey: string
  /** What a bank sends besides: undefined where it is none of that. */
  readonly readOther: (json: unknown) => ReadonlyArray<PspNotice> | undefined
}

/** Reads a callback: first who sent it, then what it names. */
export const makeNotifications =
  ({ isAuthentic, pixKey, readOther }: NotificationReading): PspShape["readNotification"] =>
  (notification) => {
    if (!isAuthentic(notification))
      return Effect.fail(new NotificationRefused({ reason: "Unauthenticated" }))
    const json = parseJson(textOf(notification.body))
    const notices = readCallback(json, pixKey) ?? readOther(json)
    return notices === undefined
      ? Effect.fail(new NotificationRefused({ reason: "Malformed" }))
      : Effect.succeed(notices)
  }

/** Empty where it is no UTF-8. */
const textOf = (body: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body)
  } catch {
    return ""
  }
}
