import type { PspNotice, PspShape, RawNotification } from "@pagora/core"
import { readBodies } from "@pagora/core/psp"
import { readCallback } from "./Callback.ts"

export interface NotificationReading {
  readonly isAuthentic: (notification: RawNotification) => boolean
  readonly pixKey: string
  /** What a bank sends besides: undefined where it is none of that. */
  readonly readOther: (json: unknown) => ReadonlyArray<PspNotice> | undefined
}

/** Reads a callback: first who sent it, then what it names. */
export const makeNotifications = ({
  isAuthentic,
  pixKey,
  readOther
}: NotificationReading): PspShape["readNotification"] =>
  readBodies(isAuthentic, (json) => readCallback(json, pixKey) ?? readOther(json))
