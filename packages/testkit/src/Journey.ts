import type { StorageError } from "@pagora/core"
import { SandboxPsp, TxId, Workers } from "@pagora/core"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { RecordingTransport } from "./RecordingTransport.ts"
import type { RecordedRequest } from "./RecordingTransport.ts"
import type { Answer, CallOptions, JsonBody, Tenant, TenantOptions } from "./TestPagora.ts"
import { TestPagora } from "./TestPagora.ts"

/** How the simulated payer pays (`POST /charges/{id}/pay` of the sandbox API). */
export interface Payment {
  readonly amount?: number
  readonly times?: number
  readonly payerName?: string
  readonly payerDocument?: string
}

/** A fault of the simulated PSP (`PUT /faults` of the sandbox API). */
export interface Fault {
  readonly kind: string
  readonly operation?: string
  readonly times?: number
}

/** What a wallet shows, in centavos. */
export interface Figures {
  readonly available: number
  readonly promotional: number
  readonly held: number
  readonly total: number
}

export interface NewEndpoint {
  readonly url?: string
  readonly events?: ReadonlyArray<string>
  readonly subAccount?: string
}

/** One shop and what happens to it, in the words of the domain. Every step fails unless it was answered well. */
export interface Journey {
  readonly shop: Tenant
  /** Opens a charge; of 10.00 unless told otherwise. */
  readonly charge: (body?: Readonly<Record<string, unknown>>) => Effect.Effect<JsonBody>
  /** Somebody pays, and the service has booked it. */
  readonly pay: (charge: JsonBody, payment?: Payment) => Effect.Effect<JsonBody>
  /** Somebody pays; what the service learns of it depends on the faults. Answers the end-to-end ids. */
  readonly payAtBank: (charge: JsonBody, payment?: Payment) => Effect.Effect<ReadonlyArray<string>>
  /** Asks for the refund of a charge; answers the receipt. */
  readonly refund: (
    charge: JsonBody,
    body?: Readonly<Record<string, unknown>>
  ) => Effect.Effect<JsonBody>
  /** The simulated PSP ends a refund, and the service has booked it. */
  readonly settleRefund: (
    receipt: JsonBody,
    outcome: "confirmed" | "error"
  ) => Effect.Effect<JsonBody>
  readonly expire: (charge: JsonBody) => Effect.Effect<JsonBody>
  /** Gives the wallet money to withdraw, in BRL. */
  readonly fund: (amount: number) => Effect.Effect<Answer>
  /** Asks for a withdrawal; of 10.00 gross unless told otherwise. */
  readonly withdraw: (body?: Readonly<Record<string, unknown>>) => Effect.Effect<JsonBody>
  /** The PSP ends a withdrawal, and the service has booked it. */
  readonly settleWithdrawal: (
    withdrawal: JsonBody,
    outcome: "completed" | "failed" | "reversed",
    reason?: string
  ) => Effect.Effect<JsonBody>
  readonly faults: (...faults: ReadonlyArray<Fault>) => Effect.Effect<JsonBody>
  /** Business time moves on, and what became due is worked off. */
  readonly advance: (by: Duration.Input) => Effect.Effect<JsonBody>
  /** Works off what is due now: charges, notifications, webhooks. */
  readonly drain: Effect.Effect<void>
  readonly transaction: (id: unknown) => Effect.Effect<JsonBody>
  readonly figures: Effect.Effect<Figures>
  /** The balances as the operator's API shows them. */
  readonly operatorBalances: Effect.Effect<JsonBody>
  readonly endpoint: (endpoint?: NewEndpoint) => Effect.Effect<JsonBody>
  readonly adjust: (body: Readonly<Record<string, unknown>>) => Effect.Effect<Answer>
  readonly change: (body: Readonly<Record<string, unknown>>) => Effect.Effect<JsonBody>
  /** The requests that webhook endpoints received, oldest first; with a URL, those to it. */
  readonly received: (url?: string) => Effect.Effect<ReadonlyArray<RecordedRequest>>
  /** The bodies of `received`. */
  readonly events: (url?: string) => Effect.Effect<ReadonlyArray<JsonBody>>
  readonly removeEndpoint: (endpoint: JsonBody) => Effect.Effect<JsonBody>
  readonly deliveries: Effect.Effect<ReadonlyArray<JsonBody>>
  /** The delivery log by a query string, such as `?status=queued`. */
  readonly deliveriesBy: (query: string) => Effect.Effect<ReadonlyArray<JsonBody>>
  readonly deliveryPage: (query: string) => Effect.Effect<JsonBody>
  /** Runs the ledger's proof and fails unless it holds. */
  readonly audit: Effect.Effect<JsonBody>
}

/** Where a shop's events go unless a test says otherwise. */
export const hookUrl = "https://shop.example.com/hook"

/** The answer's body, where the status is the expected one. */
export const expecting =
  (status: number) =>
  (answer: Answer): Effect.Effect<JsonBody> =>
    answer.status === status
      ? Effect.succeed(answer.json)
      : Effect.die(new Error(`${status} was expected, not ${answer.status}: ${answer.text}`))

const listOf = (json: JsonBody | undefined): ReadonlyArray<JsonBody> =>
  Array.isArray(json) ? (json as unknown as ReadonlyArray<JsonBody>) : []

const newWithdrawal = (body: Readonly<Record<string, unknown>>) => ({
  pixKey: "ana@example.com",
  pixKeyType: "email",
  ...("netAmount" in body ? {} : { amount: 10 })
})

/** The shop's own calls, without what the outside world does. */
const ofShop = (pagora: TestPagora["Service"], shop: Tenant) => {
  const operate = (
    status: number,
    method: string,
    path: string,
    body?: CallOptions["body"]
  ): Effect.Effect<JsonBody> =>
    Effect.flatMap(
      pagora.operator(method, `/accounts/${shop.id}${path}`, body === undefined ? {} : { body }),
      expecting(status)
    )

  const figures = Effect.gen(function* () {
    const { balance } = yield* Effect.flatMap(shop.call("GET", "/account"), expecting(200))
    const of = (name: string) => Number(balance?.[name]?.["amount"])
    return {
      available: of("available"),
      promotional: of("promotional"),
      held: of("held"),
      total: of("total")
    }
  })

  const deliveryPage = (query: string) => operate(200, "GET", `/deliveries${query}`)
  const deliveriesBy = (query: string) =>
    Effect.map(deliveryPage(query), ({ data }) => listOf(data))

  return {
    figures,
    charge: (body: Readonly<Record<string, unknown>> = {}) =>
      Effect.flatMap(shop.call("POST", "/pix", { body: { amount: 10, ...body } }), expecting(201)),
    refund: (charge: JsonBody, body?: Readonly<Record<string, unknown>>) =>
      Effect.flatMap(
        shop.call("POST", `/transactions/${String(charge["id"])}/refund`, { body }),
        expecting(201)
      ),
    fund: (amount: number) =>
      pagora.operator("POST", `/accounts/${shop.id}/adjustments`, {
        body: { amount, reason: "funds" }
      }),
    withdraw: (body: Readonly<Record<string, unknown>> = {}) =>
      Effect.flatMap(
        shop.call("POST", "/withdrawals", { body: { ...newWithdrawal(body), ...body } }),
        expecting(201)
      ),
    transaction: (id: unknown) =>
      Effect.flatMap(
        shop.call("GET", `/transactions/${encodeURIComponent(String(id))}`),
        expecting(200)
      ),
    endpoint: (endpoint: NewEndpoint = {}) =>
      operate(201, "POST", "/webhook-endpoints", { url: hookUrl, ...endpoint }),
    adjust: (body: Readonly<Record<string, unknown>>) =>
      pagora.operator("POST", `/accounts/${shop.id}/adjustments`, { body }),
    change: (body: Readonly<Record<string, unknown>>) => operate(200, "PATCH", "", body),
    operatorBalances: operate(200, "GET", "/balances"),
    removeEndpoint: (endpoint: JsonBody) =>
      operate(204, "DELETE", `/webhook-endpoints/${String(endpoint["id"])}`),
    deliveryPage,
    deliveriesBy,
    deliveries: deliveriesBy(""),
    audit: Effect.flatMap(
      Effect.flatMap(pagora.operator("GET", "/audit"), expecting(200)),
      (proof) =>
        String(proof["ok"]) === "true"
          ? Effect.succeed(proof)
          : Effect.die(new Error(`The audit failed: ${JSON.stringify(proof)}`))
    )
  }
}

/** Begins the story of a new shop in the service of the context. */
export const journey = Effect.fnUntraced(function* (options?: TenantOptions) {
  const pagora = yield* TestPagora
  return yield* storyOf(yield* pagora.tenant(options))
})

/** Goes on with the story of a shop in another process of the same service. */
export const resumed = Effect.fnUntraced(function* ({ clientId, clientSecret, id }: Tenant) {
  const { api } = yield* TestPagora
  const body = { client_id: clientId, client_secret: clientSecret }
  const call: Tenant["call"] = (method, path, request = {}) =>
    Effect.gen(function* () {
      const { access_token } = yield* Effect.flatMap(api("POST", "/auth", { body }), expecting(200))
      const authorization = `Bearer ${String(access_token)}`
      return yield* api(method, path, {
        ...request,
        headers: { authorization, ...request.headers }
      })
    })
  return yield* storyOf({ id, clientId, clientSecret, call })
})

const storyOf = Effect.fnUntraced(function* (shop: Tenant) {
  const pagora = yield* TestPagora
  const psp = yield* SandboxPsp
  const workers = yield* Workers
  const transport = yield* RecordingTransport

  const sandbox = (method: string, path: string, body?: CallOptions["body"]) =>
    Effect.flatMap(pagora.sandbox(method, path, body === undefined ? {} : { body }), expecting(200))

  const received = (url?: string) =>
    Effect.map(transport.requests, (requests) =>
      requests.filter((request) => url === undefined || request.url === url)
    )

  const payAtBank = (charge: JsonBody, payment: Payment = {}) => {
    const { amount, ...options } = payment
    const reference = TxId.fromUuid(String(charge["id"]) as never)
    const centavos =
      amount === undefined ? {} : { amount: BigInt(Math.round(amount * 100)) as never }
    return psp.pay(reference, { ...options, ...centavos }).pipe(
      Effect.map((payments) => payments.map(({ endToEndId }) => endToEndId as string)),
      Effect.orDie
    )
  }

  const drain: Effect.Effect<void, StorageError> = Effect.gen(function* () {
    while ((yield* workers.drain) > 0);
  })

  const story: Journey = {
    shop,
    ...ofShop(pagora, shop),
    payAtBank,
    received,
    events: (url) =>
      Effect.map(received(url), (requests) =>
        requests.map(({ body }) => JSON.parse(body) as JsonBody)
      ),
    pay: (charge, payment = {}) => sandbox("POST", `/charges/${String(charge["id"])}/pay`, payment),
    settleRefund: (receipt, outcome) =>
      sandbox("POST", `/refunds/${String(receipt["pspRefundTransactionId"])}/settle`, { outcome }),
    expire: (charge) => sandbox("POST", `/charges/${String(charge["id"])}/expire`),
    settleWithdrawal: (withdrawal, outcome, reason) =>
      sandbox("POST", `/withdrawals/${String(withdrawal["id"])}/settle`, {
        outcome,
        ...(reason === undefined ? {} : { reason })
      }),
    faults: (...faults) => sandbox("PUT", "/faults", { faults }),
    advance: (by) =>
      sandbox("POST", "/clock/advance", {
        seconds: Duration.toSeconds(Duration.fromInputUnsafe(by))
      }),
    drain: Effect.orDie(drain)
  }
  return story
})

/** One turn of the event loop, which lets promises of the platform come back. */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
/** So many turns without another sleeper mean that nothing happens before time passes. */
const quietTurns = 20
const turnsMax = 10_000

/** Runs something that waits for time to pass; the test clock goes on as soon as it does nothing else. */
export const whileTimePasses = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  by: Duration.Input
) {
  let asleep = 0
  let quiet = 0
  const clock = yield* Clock.clockWith(Effect.succeed)
  const watching: Clock.Clock = {
    ...clock,
    sleep: (duration) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          asleep++
          quiet = 0
        }),
        () => clock.sleep(duration),
        () => Effect.sync(() => asleep--)
      )
  }
  const fiber = yield* Effect.forkChild(Effect.provideService(effect, Clock.Clock, watching))
  for (let turns = 0; turns < turnsMax && quiet < quietTurns; turns++) {
    if (fiber.pollUnsafe() !== undefined) break
    yield* turn
    if (asleep > 0) quiet++
  }
  yield* TestClock.adjust(by)
  return yield* Fiber.join(fiber)
})
