import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { PspInboxApi } from "./PspInboxApi.ts"
import { handlersOf } from "../http/EndpointHandler.ts"
import {
  BadRequest,
  NotFound,
  PayloadTooLarge,
  refuse,
  Unauthorized
} from "../http/ErrorEnvelope.ts"
import { makeSenderOf } from "../http/Sender.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import type { BodyRefused } from "../http/StrictBody.ts"
import { bytesOf, tooLarge } from "../http/StrictBody.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { NotificationRefused, RawNotification } from "../ports/Psp.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { PspInbox } from "./PspInbox.ts"

export const PspInboxHandlers = handlersOf(
  tenantApi.add(PspInboxApi),
  "psp-inbox",
  Effect.fnUntraced(function* (handlers) {
    const inbox = yield* PspInbox

    const noPsp = (id: string) =>
      refuse(NotFound, {
        message: "No PSP is configured under this id.",
        code: "PSP_CREDENTIAL_NOT_FOUND",
        details: { resource: "pspCredential", id }
      })

    const senderOf = yield* makeSenderOf

    const receive = Effect.fnUntraced(function* (id: string, path: RawNotification["path"]) {
      if (!isUuid(id)) return yield* noPsp(id)
      const request = yield* HttpServerRequest.HttpServerRequest
      const body = yield* Effect.catch(bytesOf(request), unreadable)
      const { headers, url } = request
      const notification = { headers, body, path, query: queryOf(url), ...senderOf(request) }
      yield* inbox.receive(id as PspCredentialId, notification).pipe(
        Effect.catchTag("UnknownPsp", () => noPsp(id)),
        Effect.catchTag("NotificationRefused", refused),
        orUnavailable
      )
      return { received: true as const }
    })
    return handlers
      .handle("receive", ({ params }) => receive(params.pspCredentialId, ""))
      .handle("receivePix", ({ params }) => receive(params.pspCredentialId, "/pix"))
  })
)

/** The parameters of a query; of a name that is given more than once, the first. */
const queryOf = (url: string): RawNotification["query"] => {
  const start = url.indexOf("?")
  return start < 0
    ? {}
    : Object.fromEntries([...new URLSearchParams(url.slice(start + 1))].toReversed())
}

const unreadable = (
  body: BodyRefused
): Effect.Effect<never, BadRequest | PayloadTooLarge, ServiceTime> =>
  body._tag === "TooLarge"
    ? refuse(PayloadTooLarge, tooLarge)
    : refuse(BadRequest, {
        message: "The notification could not be read.",
        code: "BODY_UNREADABLE"
      })

const refused = ({
  reason
}: NotificationRefused): Effect.Effect<never, BadRequest | Unauthorized, ServiceTime> =>
  reason === "Unauthenticated"
    ? refuse(Unauthorized, {
        message: "The notification is not authentic.",
        code: "NOTIFICATION_REFUSED"
      })
    : refuse(BadRequest, {
        message: "The notification is malformed.",
        code: "NOTIFICATION_REFUSED"
      })
