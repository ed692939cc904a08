import type { PspNotice, PspShape } from "@pagora/core"
import { NotificationRefused } from "@pagora/core"
import { Effect, Schema } from "effect"
import { createPublicKey, verify } from "node:crypto"
import { isEndToEndId, isReference } from "./WooviWire.ts"

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

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optional(Schema.NullOr(schema))
const Named = maybe(Schema.Struct({ correlationID: maybe(Schema.String) }))
const Moved = maybe(Schema.Struct({ endToEndId: maybe(Schema.String), charge: Named }))

/** What the events name, whichever they are (docs/webhook/examples). One that names nothing of this names nothing of ours. */
const Event = Schema.fromJsonString(
  Schema.Struct({
    charge: Named,
    pix: Moved,
    payment: Named,
    originalTransaction: Moved,
    dispute: Moved
  })
)

/** Reads callbacks. `x-webhook-signature` is RSA-SHA256 over the bytes of the body, by any of the keys. */
export const makeReadNotification = (
  publicKeys: ReadonlyArray<string>
): PspShape["readNotification"] => {
  const keys = publicKeys.map((key) => createPublicKey(key))
  return ({ body, headers }) =>
    Effect.gen(function* () {
      const names = Object.keys(headers).filter(
        (name) => name.toLowerCase() === "x-webhook-signature"
      )
      const text = headers[names[0] ?? ""] ?? ""
      const signature = Buffer.from(text, "base64")
      // Node reads more than one text as the same bytes.
      const isSigned =
        signature.toString("base64") === text &&
        keys.some((key) => verify("RSA-SHA256", body, key, signature))
      if (!isSigned) return yield* new NotificationRefused({ reason: "Unauthenticated" })
      const event = Schema.decodeUnknownOption(Event)(Buffer.from(body).toString("utf8"))
      if (event._tag === "None") return yield* new NotificationRefused({ reason: "Malformed" })
      return noticesOf(event.value)
    })
}

const noticesOf = (event: typeof Event.Type): ReadonlyArray<PspNotice> => {
  const { charge, dispute, originalTransaction, payment, pix } = event
  const notices: Array<PspNotice> = []
  const reference = charge?.correlationID ?? pix?.charge?.correlationID
  if (isReference(reference)) notices.push({ _tag: "Charge", reference })
  // Returns are told of without our reference to them, by the payment that goes back.
  const ids = [
    isReference(reference) ? undefined : pix?.endToEndId,
    originalTransaction?.endToEndId
  ]
  for (const endToEndId of ids.filter(isEndToEndId)) notices.push({ _tag: "Payment", endToEndId })
  if (isReference(payment?.correlationID))
    notices.push({ _tag: "Payout", reference: payment.correlationID })
  if (isEndToEndId(dispute?.endToEndId))
    notices.push({ _tag: "Infraction", id: dispute.endToEndId })
  return notices
}
