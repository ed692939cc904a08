import { NotificationRefused } from "@pagora/core"
import { defineConfig } from "@pagora/server"
import { Duration, Effect } from "effect"

const bank = "0190a1b2-0000-7000-8000-0000000000ba"
const never = () => Effect.never

/** Whoever shows another certificate, or none, is not the bank. */
const readNotification = ({ clientCertificate: shown }) =>
  shown?.verified === true && shown.fingerprint === process.env["BANK_FINGERPRINT"]
    ? Effect.succeed([])
    : Effect.fail(new NotificationRefused({ reason: "Unauthenticated" }))

/** A PSP that is for real, and that nobody calls in the tests that use it. */
const psp = {
  provider: "bank",
  environment: "production",
  capabilities: {
    idempotentByReference: true,
    knowsPayer: true,
    notFoundIsFinalAfter: Duration.minutes(1),
    settlementLag: Duration.minutes(1)
  },
  createCharge: never,
  findCharge: never,
  cancelCharge: never,
  sendPayout: never,
  findPayout: never,
  refund: never,
  findRefund: never,
  readNotification
}

export default defineConfig({ psp: { default: bank, psps: { [bank]: psp } } })
