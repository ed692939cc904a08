import { Money } from "@pagora/core"
import type { PspShape } from "@pagora/core"
import { pspFromCalls } from "@pagora/core/psp"
import { Duration } from "effect"
import type { AuroraOptions } from "./AuroraCalls.ts"
import { isMissing, makeApi } from "./AuroraCalls.ts"
import { readNotification } from "./AuroraNotification.ts"
import { readCharge, readPayout, readRefund, refundPath } from "./AuroraWire.ts"

/** Banco Aurora as a PSP of Pagora. */
export const aurora = (options: AuroraOptions): PspShape => {
  const { find, order } = makeApi(options)
  return pspFromCalls({
    provider: "aurora",
    environment: options.environment,
    capabilities: {
      // Its PUT makes what is not there yet, and answers what is.
      idempotentByReference: true,
      knowsPayer: true,
      notFoundIsFinalAfter: Duration.minutes(2),
      settlementLag: Duration.minutes(5)
    },

    createCharge: ({ amount, description, expiresInSeconds, payer, reference }) =>
      order(readCharge, "PUT", `/v1/charges/${reference}`, {
        amount: Money.toBrlString(amount),
        expiresInSeconds,
        description,
        payer
      }),
    findCharge: (reference) => find(readCharge, `/v1/charges/${reference}`, isMissing),
    cancelCharge: (reference) => order(readCharge, "DELETE", `/v1/charges/${reference}`),

    sendPayout: ({ amount, holder, pixKey, reference }) =>
      order(readPayout, "PUT", `/v1/payouts/${reference}`, {
        amount: Money.toBrlString(amount),
        key: pixKey.value,
        holder
      }),
    findPayout: ({ reference }) => find(readPayout, `/v1/payouts/${reference}`, isMissing),

    refund: (refund) =>
      order(readRefund, "PUT", refundPath(refund), {
        amount: Money.toBrlString(refund.amount),
        reason: refund.reason
      }),
    findRefund: ({ reference }) => find(readRefund, `/v1/refunds/${reference}`, isMissing),

    readNotification: readNotification(options.notificationSecret)
  })
}
