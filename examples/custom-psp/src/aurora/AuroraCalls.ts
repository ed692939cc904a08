import type { ApiError, ApiSettings, Fields, JsonApi } from "@pagora/core/psp"
import { jsonApi } from "@pagora/core/psp"
import { DateTime, Effect } from "effect"
import { signRequest } from "./AuroraSignature.ts"
import { reasonOf } from "./AuroraWire.ts"

export interface AuroraOptions extends ApiSettings {
  /** Such as `https://api.aurora.example`. */
  readonly url: string
  readonly clientId: string
  /** Signs our requests. */
  readonly secret: string
  /** Signs the bank's notifications. */
  readonly notificationSecret: string
  readonly environment: "sandbox" | "production"
}

/** The bank's API, whose requests are signed. */
export const makeApi = ({ clientId, secret, ...settings }: AuroraOptions): JsonApi =>
  jsonApi({
    ...settings,
    readError,
    headers: (request) =>
      Effect.map(DateTime.now, (now) => {
        const time = DateTime.formatIso(now)
        const signature = signRequest(secret, { time, ...request })
        return {
          "x-aurora-client": clientId,
          "x-aurora-time": time,
          "x-aurora-signature": signature
        }
      })
  })

/** The bank's own error, as its manual has it. The page of a proxy does not fit: then it is not the bank that speaks. */
const readError = (error: Fields): ApiError => ({
  code: reasonOf(error.text("code")),
  message: error.text("message")
})

/** The bank says itself that it has nothing under the reference: the question is answered. */
export const isMissing = ({ code }: ApiError): boolean => code === "NOT_FOUND"
