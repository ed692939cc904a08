import { Context, Effect, Exit, Layer, Option, Redacted, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { ClaimedWallet } from "../accounts/Accounts.ts"
import { Accounts } from "../accounts/Accounts.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { mayStart } from "../accounts/NotActive.ts"
import { referencePattern } from "../accounts/SubAccount.ts"
import type { Caller, InvalidToken } from "../auth/Auth.ts"
import { Auth } from "../auth/Auth.ts"
import type { Permission } from "../auth/Credential.ts"
import { allows } from "../auth/Credential.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { IpBytes, IpNetwork } from "../kernel/IpAddress.ts"
import type { StorageError } from "../units/Refused.ts"
import type { RateLimiter } from "../http/RateLimiter.ts"
import { BegunReads } from "../storage/BegunReads.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { beginKey, beginReads, beginWallet, EndpointPrefetches } from "./Prefetch.ts"
import { noHeaders } from "../http/AnswerHeaders.ts"
import { clientAddress, isListed, proxiesOf, TrustedProxies } from "../http/ClientAddress.ts"
import {
  BadRequest,
  Forbidden,
  NotFound,
  refuse,
  TooManyRequests,
  Unauthorized
} from "../http/ErrorEnvelope.ts"
import { BegunKey } from "./KeyScope.ts"
import { notActiveForTenant } from "./NotActiveWire.ts"
import { credentialCounter } from "../http/Limited.ts"
import { orUnavailable } from "../http/Unavailable.ts"

/** The permission an endpoint needs (spec, Endpoint list). Every endpoint is annotated with one. */
export class RequiredPermission extends Context.Service<RequiredPermission, Permission>()(
  "@pagora/core/admission/RequiredPermission"
) {}

/** The endpoint acts on the main account, whatever X-Sub-Account says (spec, Common rules). */
export const MainAccountOnly = Context.Reference<boolean>(
  "@pagora/core/admission/MainAccountOnly",
  {
    defaultValue: () => false
  }
)

/** Whether an endpoint can be called only from the addresses of the credential's list, where it has one. */
export const ChecksAddress = Context.Reference<boolean>("@pagora/core/admission/ChecksAddress", {
  defaultValue: () => false
})

/** Who calls. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()(
  "@pagora/core/admission/CurrentCaller"
) {}

/** The wallet that the request acts on, by X-Sub-Account. */
export class CurrentWallet extends Context.Service<CurrentWallet, ActingWallet>()(
  "@pagora/core/admission/CurrentWallet"
) {}

type UsedServices = IdempotencyKeys | RateLimiter | ServiceTime | Storage

/** Bearer token, rate limits, permission, address, sub-account, in this order (decision 0005). */
export class Authorization extends HttpApiMiddleware.Service<
  Authorization,
  { provides: CurrentCaller | CurrentWallet }
>()("@pagora/core/admission/Authorization", {
  error: [BadRequest, Unauthorized, Forbidden, NotFound, TooManyRequests],
  security: { bearer: HttpApiSecurity.bearer },
  requiredForClient: true
}) {
  static readonly layer: Layer.Layer<Authorization, never, Auth | Accounts | UsedServices> =
    Layer.effect(
      Authorization,
      Effect.gen(function* () {
        const auth = yield* Auth
        const accounts = yield* Accounts
        const keys = yield* IdempotencyKeys
        const tooOften = yield* credentialCounter
        const storage = yield* Storage
        const prefetches = yield* EndpointPrefetches
        const time = yield* ServiceTime
        const proxies = proxiesOf(yield* TrustedProxies)

        // Of a request that goes on, nothing asks for the time.
        const stamped = Effect.provideService(ServiceTime, time)
        const refusing = refusingTo(time)

        return Authorization.of({
          bearer: (httpEffect, { credential, endpoint }) =>
            Effect.gen(function* () {
              const { annotations } = endpoint
              const request = yield* HttpServerRequest.HttpServerRequest
              const permission = Context.get(
                annotations as Context.Context<RequiredPermission>,
                RequiredPermission
              )
              const route = `${endpoint.method} ${endpoint.path}`
              const count = ({ credential: { id } }: Caller) => tooOften(id, route)
              const header = subAccountIn(request.headers, annotations)
              const { known, live } = yield* refusing(credential, auth.begin(credential))
              const counted = known && { refused: yield* count(known) }
              const begun = known && (yield* beginWallet(accounts, known, header))
              // Of whoever will be refused, as far as this process knows, nothing more is asked.
              const going =
                known !== undefined &&
                counted?.refused === undefined &&
                allows(known.credential, permission)
                  ? begun?.known
                  : undefined
              const key = going && (yield* beginKey(keys, request, going))
              const reads = going && (yield* beginReads(storage, prefetches.get(route), going))
              // A read harms nobody. It goes out together with the questions who is asking, and what it came to is
              // answered once they are answered as this process had it.
              const ahead =
                endpoint.method === "GET" && known !== undefined && going !== undefined
                  ? yield* Effect.exit(inside(httpEffect, known, going))
                  : undefined

              const seen = yield* Effect.exit(live)
              if (Exit.isFailure(seen)) {
                yield* noHeaders
                return yield* refusing(credential, Effect.failCause(seen.cause))
              }
              const caller = seen.value
              const refused = counted === undefined ? yield* count(caller) : counted.refused
              if (refused !== undefined) return yield* stamped(refuse(TooManyRequests, refused))
              if (!allows(caller.credential, permission))
                return yield* stamped(refuse(Forbidden, lacks(permission)))
              const { allowedIps } = caller.credential
              if (
                Context.get(annotations, ChecksAddress) &&
                allowedIps !== undefined &&
                !isListed(addressOf(request, proxies), allowedIps)
              ) {
                return yield* stamped(refuse(Forbidden, elsewhere))
              }
              const asked = caller === known ? begun : undefined
              const acting =
                header === undefined
                  ? { account: caller.account, subAccount: undefined }
                  : yield* stamped(walletNamed(header, accounts, caller, asked?.live))
              return ahead !== undefined &&
                asked !== undefined &&
                asked.known?.subAccount === acting.subAccount
                ? yield* ahead
                : yield* inside(httpEffect, caller, acting, { key, reads })
            })
        })
      })
    )
}

/** Refuses a token; what else goes wrong is no answer of ours. */
const refusingTo =
  (time: ServiceTime["Service"]) =>
  <A>(token: Redacted.Redacted, effect: Effect.Effect<A, InvalidToken | StorageError>) =>
    Effect.catch(effect, (error) =>
      error._tag === "InvalidToken"
        ? Effect.provideService(
            refuse(
              Unauthorized,
              Redacted.value(token) === "" ? missingToken : badToken[error.reason]
            ),
            ServiceTime,
            time
          )
        : Effect.die(error)
    )

const inside = <A, E, R>(
  httpEffect: Effect.Effect<A, E, R>,
  caller: Caller,
  acting: ActingWallet,
  begun?: {
    readonly key: typeof BegunKey.Service
    readonly reads: typeof BegunReads.Service
  }
) =>
  Effect.updateContext(
    httpEffect,
    (context: Context.Context<Exclude<R, CurrentCaller | CurrentWallet>>) => {
      const own = context.pipe(
        Context.add(CurrentCaller, caller),
        Context.add(CurrentWallet, acting)
      ) as Context.Context<R>
      const keyed = begun?.key === undefined ? own : Context.add(own, BegunKey, begun.key)
      return begun?.reads === undefined ? keyed : Context.add(keyed, BegunReads, begun.reads)
    }
  )

const subAccountIn = (
  headers: HttpServerRequest.HttpServerRequest["headers"],
  annotations: Context.Context<never>
): string | undefined =>
  Context.get(annotations, MainAccountOnly) ? undefined : headers["x-sub-account"]

/** The wallet that a request acts on: that of its X-Sub-Account, where the endpoint heeds it. */
export const walletOf = (
  accounts: Accounts["Service"],
  caller: Caller,
  annotations: Context.Context<never>
) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    const header = subAccountIn(headers, annotations)
    return header === undefined
      ? Effect.succeed<ActingWallet>({ account: caller.account, subAccount: undefined })
      : walletNamed(header, accounts, caller)
  })

const walletNamed = Effect.fnUntraced(function* (
  header: string,
  accounts: Accounts["Service"],
  caller: Caller,
  begun?: ClaimedWallet["live"]
) {
  if (!referencePattern.test(header)) return yield* refuse(BadRequest, badReference)
  if (!caller.credential.subAccountAccess) return yield* refuse(Forbidden, noSubAccountAccess)
  const acting = yield* (begun ?? accounts.acting(caller.account, header)).pipe(
    Effect.catchTag("SubAccountNotFound", () => refuse(NotFound, noSubAccount(header))),
    orUnavailable
  )
  const may = mayStart({ subAccount: acting.subAccount?.value })
  return Result.isFailure(may) ? yield* notActiveForTenant(may.failure) : acting
})

const addressOf = (
  request: HttpServerRequest.HttpServerRequest,
  proxies: ReadonlyArray<IpNetwork>
): IpBytes | undefined =>
  clientAddress(
    Option.getOrUndefined(request.remoteAddress),
    request.headers["x-forwarded-for"],
    proxies
  )

const missingToken = {
  message: "Send Authorization: Bearer <token> with a token of POST /auth.",
  code: "TOKEN_MISSING"
}
const badToken = {
  invalid: {
    message: "The access token is not valid. Get a new one from POST /auth.",
    code: "TOKEN_INVALID"
  },
  expired: {
    message: "The access token has expired: they last 300 seconds. Get a new one from POST /auth.",
    code: "TOKEN_EXPIRED"
  }
}

const lacks = (permission: Permission) => ({
  message: `This credential lacks the permission ${permission}.`,
  code: "PERMISSION_DENIED",
  details: { permission }
})

const elsewhere = {
  message:
    "This credential may be used for this only from the addresses of its list, and the request came from another one.",
  code: "IP_NOT_ALLOWED"
}

const badReference = {
  message:
    "X-Sub-Account must be sent once and hold one reference: 2 to 32 small letters, digits, - and _, starting with a letter or digit.",
  code: "SUB_ACCOUNT_INVALID_REFERENCE"
}
const noSubAccountAccess = {
  message: "This credential may not use X-Sub-Account: sub-account access is off for it.",
  code: "SUB_ACCOUNT_FORBIDDEN"
}
const noSubAccount = (reference: string) => ({
  message: `There is no sub-account ${reference}.`,
  code: "SUB_ACCOUNT_NOT_FOUND",
  details: { resource: "sub-account", id: reference }
})
