import { NotificationRefused } from "@pagora/core"
import type { PspNotice, RawNotification } from "@pagora/core"
import { Effect, Schema } from "effect"
import { isSame, signNotification } from "./AuroraSignature.ts"

const Notification = Schema.Struct({
  about: Schema.Literals(["charge", "payout", "refund"]),
  reference: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9]{26,35}$/))
})

const tags = { charge: "Charge", payout: "Payout", refund: "Refund" } as const

/**
 * What a notification is about. It is believed that there is a reason to ask, and nothing else; so one that is sent again costs a
 * question, and its age does not matter.
 */
export const readNotification =
  (secret: string) =>
  ({
    body,
    headers
  }: RawNotification): Effect.Effect<ReadonlyArray<PspNotice>, NotificationRefused> => {
    const header = (name: string) =>
      Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1] ?? ""
    const signature = signNotification(secret, header("x-aurora-time"), body)
    if (!isSame(signature, header("x-aurora-signature")))
      return Effect.fail(new NotificationRefused({ reason: "Unauthenticated" }))
    return Effect.try({
      try: () => {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(body)
        const { about, reference } = Schema.decodeUnknownSync(Notification)(JSON.parse(text))
        return [{ _tag: tags[about], reference }]
      },
      catch: () => new NotificationRefused({ reason: "Malformed" })
    })
  }
