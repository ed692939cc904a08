import {
  Accounts,
  Credentials,
  Ids,
  KeptPsps,
  operatorApp,
  OperatorKey,
  PspCredentialId,
  RateLimiter,
  Sandbox,
  sandboxApp,
  SandboxDirectory,
  SandboxPsp,
  SandboxRefundControls,
  Services,
  ServiceTime,
  Storage,
  tenantApp
} from "@pagora/core"
import type {
  AccountId,
  App,
  NewAccount,
  OperatorAnswers,
  Permission,
  RateLimits,
  SandboxAnswers,
  StorageDriver,
  TenantAnswers,
  WebhookTransport
} from "@pagora/core"
import { Listener, QrCodeNode, SecretsNode } from "@pagora/core/node"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Answer, AnswerTo, Call, CallOptions } from "./AnswerTypes.ts"
import { checkingEvents } from "./EventCheck.ts"
import { present } from "./Present.ts"

/** The simulated PSP of tests. */
export const testPspCredential = PspCredentialId.make("00000000-0000-7000-8000-00000000007e")

const secret = Redacted.make("a master secret that is long enough for every test")
const operatorKey = "operator-key-of-tests"

/** The three APIs of a service under test, called without sockets. */
export class TestPagora extends Context.Service<
  TestPagora,
  {
    readonly api: Call<TenantAnswers>
    /** With the operator key. */
    readonly operator: Call<OperatorAnswers>
    /** With the operator key. */
    readonly sandbox: Call<SandboxAnswers>
    /** A fresh account with a FULL_ACCESS credential, and calls with its token. */
    readonly tenant: (options?: TenantOptions) => Effect.Effect<Tenant>
  }
>()("@pagora/testkit/TestPagora") {}

export interface TenantOptions extends Omit<NewAccount, "name"> {
  readonly permissions?: ReadonlyArray<Permission>
  readonly subAccountAccess?: boolean
  readonly allowedIps?: ReadonlyArray<string>
}

export interface Tenant {
  readonly id: AccountId
  readonly clientId: string
  readonly clientSecret: string
  /** A call with a token of now. */
  readonly call: Call<TenantAnswers>
}

export interface PagoraOptions {
  readonly rateLimits?: RateLimits
  /** What it has of Node; its own unless told. */
  readonly platform?: typeof Listener.services
}

/**
 * The whole service over a storage and a webhook transport, with the sandbox PSP and nothing running by
 * itself: a test works due work off when it wants to (`ChargeWorker.drain`, `WebhookDispatcher.drain`).
 */
export const layerPagora = <E>(
  driver: Layer.Layer<StorageDriver, E>,
  transport: Layer.Layer<WebhookTransport>,
  { platform = Listener.services, rateLimits = {} }: PagoraOptions = {}
) => {
  const base = Layer.mergeAll(
    ServiceTime.layer.pipe(Layer.provideMerge(Layer.orDie(Storage.layer())), Layer.provide(driver)),
    SecretsNode.layer({ secret }).pipe(Layer.orDie),
    RateLimiter.layerMemory(rateLimits),
    QrCodeNode.layer,
    platform,
    checkingEvents.pipe(Layer.provide(transport)),
    Layer.succeed(OperatorKey, Redacted.make(operatorKey))
  )
  return Layer.effect(TestPagora, make).pipe(
    Layer.provideMerge(SandboxDirectory.attachInbox(testPspCredential)),
    Layer.provideMerge(Sandbox.layer),
    Layer.provideMerge(SandboxRefundControls.layer),
    Layer.provideMerge(Services.layer),
    Layer.provideMerge(KeptPsps.none),
    Layer.provideMerge(SandboxDirectory.layer(testPspCredential)),
    Layer.provideMerge(SandboxPsp.layer({ credential: testPspCredential, secret })),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(base)
  )
}

const make = Effect.gen(function* () {
  const api = caller<TenantAnswers>(yield* tenantApp)
  const asOperator = { authorization: `Bearer ${operatorKey}` }
  const operator = caller<OperatorAnswers>(yield* operatorApp, asOperator)
  const sandbox = caller<SandboxAnswers>(yield* sandboxApp, asOperator)
  const accounts = yield* Accounts
  const credentials = yield* Credentials

  const tenant = Effect.fnUntraced(function* (options: TenantOptions = {}) {
    const {
      allowedIps = [],
      permissions = ["FULL_ACCESS"],
      subAccountAccess = false,
      ...settings
    } = options
    const account = yield* accounts.create({ name: "Loja de teste", ...settings })
    const issued = yield* credentials.issue(account, {
      permissions,
      subAccountAccess,
      allowedIps
    })
    const clientId = issued.credential.id
    const clientSecret = Redacted.value(issued.secret)
    const call: Tenant["call"] = (method, path, request = {}) =>
      Effect.gen(function* () {
        const auth = yield* api("POST", "/auth", {
          body: { client_id: clientId, client_secret: clientSecret }
        })
        const token = { authorization: `Bearer ${auth.json.access_token}` }
        return yield* api(method, path, { ...request, headers: { ...token, ...request.headers } })
      })
    return { id: account.id, clientId, clientSecret, call }
  }, Effect.orDie)
  return TestPagora.of({ api, operator, sandbox, tenant })
})

const isJson = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("application/json") === true

const caller =
  <Answers>(app: App, always: Readonly<Record<string, string>> = {}): Call<Answers> =>
  <Method extends string, Path extends string>(
    method: Method,
    path: Path,
    { body, from = "127.0.0.1", headers }: CallOptions = {}
  ) =>
    Effect.scoped(
      Effect.gen(function* () {
        const bytes = body instanceof Uint8Array ? new Uint8Array(body) : undefined
        const text =
          bytes ?? (body === undefined || typeof body === "string" ? body : JSON.stringify(body))
        const request = new Request(`http://pagora.test${path}`, {
          method,
          headers: {
            ...always,
            ...(typeof text === "string" ? { "content-type": "application/json" } : {}),
            ...headers
          },
          ...present({ body: text })
        })
        const answer = yield* Effect.provideService(
          app,
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(request).modify({ remoteAddress: Option.some(from) })
        )
        const response = HttpServerResponse.toWeb(answer)
        const received = yield* Effect.promise(() => response.text())
        return {
          status: response.status,
          headers: response.headers,
          text: received,
          json: (isJson(response) && received !== "" ? JSON.parse(received) : {}) as Answer<
            AnswerTo<Answers, Method, Path>
          >["json"]
        }
      })
    )
