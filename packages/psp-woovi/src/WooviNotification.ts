import type { PspShape } from "@pagora/core"
import * as Psp from "@pagora/core/psp"
import { createPublicKey, verify } from "node:crypto"

/**
 * The key that Woovi signs the callbacks of all its customers with (docs/webhook/seguranca). It has 1,024 bits only; but nothing
 * of a callback is believed, other than that there is a reason to ask.
 */
export const wooviPublicKey = `-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC/+NtIkjzevvqD+I3MMv3bLXDt
pvxBjY4BsRrSdca3rtAwMcRYYvxSnd7jagVLpctMiOxQO8ieUCKLSWHpsMAjO/zZ
WMKbqoG8MNpi/u3fp6zz0mcHCOSqYsPUUG19buW8bis5ZZ2IZgBObWSpTvJ0cnj6
HKBAA82Jln+lGwS1MwIDAQAB
-----END PUBLIC KEY-----
`

/** Reads callbacks. `x-webhook-signature` is RSA-SHA256 over the bytes of the body, by any of the keys. */
export const makeReadNotification = (
  publicKeys: ReadonlyArray<string>
): PspShape["readNotification"] => {
  const keys = publicKeys.map((key) => createPublicKey(key))
  return Psp.readNotices(
    (notification) => {
      const text = Psp.headerOf(notification, "x-webhook-signature")
      const signature = Buffer.from(text, "base64")
      // Node reads more than one text as the same bytes.
      const isExact = signature.toString("base64") === text
      return isExact && keys.some((key) => verify("RSA-SHA256", notification.body, key, signature))
    },
    // What the events name, whichever they are (docs/webhook/examples).
    (event) => {
      const reference = event.textIf("charge.correlationID", "pix.charge.correlationID")
      return [
        Psp.isReference(reference)
          ? ["Charge", reference]
          : ["Payment", event.textIf("pix.endToEndId")],
        // Returns are told of without our reference to them, by the payment that goes back.
        ["Payment", event.textIf("originalTransaction.endToEndId")],
        ["Payout", event.textIf("payment.correlationID")],
        ["Infraction", event.textIf("dispute.endToEndId")]
      ]
    }
  )
}
