import type { PspShape } from "@pagora/core"
import { headerOf, isSame, readNotices } from "@pagora/core/psp"
import { signNotification } from "./AuroraSignature.ts"

const tags = { Charge: "charge", Payout: "payout", Refund: "refund" }

/**
 * What a notification is about. It is believed that there is a reason to ask, and nothing else; so one that is sent again costs a
 * question, and its age does not matter.
 */
export const readNotification = (secret: string): PspShape["readNotification"] =>
  readNotices(
    (notification) => {
      const time = headerOf(notification, "x-aurora-time")
      const signature = signNotification(secret, time, notification.body)
      return isSame(signature, headerOf(notification, "x-aurora-signature"))
    },
    (event) => [[event.word("about", tags), event.text("reference")]]
  )
