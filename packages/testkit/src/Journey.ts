import type { OperatorAnswers, SandboxAnswers, StorageError, TenantAnswers } from "@pagora/core"
import { Money, SandboxPsp, TxId, Uuid, Workers } from "@pagora/core"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { RecordingTransport } from "./RecordingTransport.ts"
import type { RecordedRequest } from "./RecordingTransport.ts"
import type { Answer } from "./AnswerTypes.ts"
import type { ReceivedEvent } from "./ReceivedEvent.ts"
import type { Tenant, TenantOptions } from "./TestPagora.ts"
import { TestPagora } from "./TestPagora.ts"
import { present } from "./Present.ts"

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

/** What a call is about, by its id. */
export interface WithId {
  readonly id: string
}

type ChargeAnswer = TenantAnswers["POST /pix"]
export type RefundReceipt = TenantAnswers["POST /transactions/:id/refund"]
type WithdrawalAnswer = TenantAnswers["POST /withdrawals"]
type Adjustment = OperatorAnswers["POST /accounts/:id/adjustments"]
type EndpointAnswer = OperatorAnswers["POST /accounts/:id/webhook-endpoints"]
type DeliveryPage = OperatorAnswers["GET /accounts/:id/deliveries"]

/** One shop and what happens to it, in the words of the domain. Every step fails unless it was answered well. */
export interface Journey {
  readonly shop: Tenant
  /** Opens a charge; of 10.00 unless told otherwise. */
  readonly charge: (body?: Readonly<Record<string, unknown>>) => Effect.Effect<ChargeAnswer>
  /** Somebody pays, and the service has booked it. */
  readonly pay: (
    charge: WithId,
    payment?: Payment
  ) => Effect.Effect<SandboxAnswers["POST /charges/:id/pay"]>
  /** Somebody pays; what the service learns of it depends on the faults. Answers the end-to-end ids. */
  readonly payAtBank: (charge: WithId, payment?: Payment) => Effect.Effect<ReadonlyArray<string>>
  /** Asks for the refund of a charge; answers the receipt. */
  readonly refund: (
    charge: WithId,
    body?: Readonly<Record<string, unknown>>
  ) => Effect.Effect<RefundReceipt>
  /** The simulated PSP ends a refund, and the service has booked it. */
  readonly settleRefund: (
    receipt: Pick<RefundReceipt, "pspRefundTransactionId">,
    outcome: "confirmed" | "error"
  ) => Effect.Effect<SandboxAnswers["POST /refunds/:id/settle"]>
  readonly expire: (charge: WithId) => Effect.Effect<SandboxAnswers["POST /charges/:id/expire"]>
  /** Gives the wallet money to withdraw, in BRL. */
  readonly fund: (amount: number) => Effect.Effect<Answer<Adjustment>>
  /** Asks for a withdrawal; of 10.00 gross unless told otherwise. */
  readonly withdraw: (body?: Readonly<Record<string, unknown>>) => Effect.Effect<WithdrawalAnswer>
  /** The PSP ends a withdrawal, and the service has booked it. */
  readonly settleWithdrawal: (
    withdrawal: WithId,
    outcome: "completed" | "failed" | "reversed",
    reason?: string
  ) => Effect.Effect<SandboxAnswers["POST /withdrawals/:id/settle"]>
  readonly faults: (...faults: ReadonlyArray<Fault>) => Effect.Effect<SandboxAnswers["PUT /faults"]>
  /** Business time moves on, and what became due is worked off. */
  readonly advance: (by: Duration.Input) => Effect.Effect<SandboxAnswers["POST /clock/advance"]>
  /** Works off what is due now: charges, notifications, webhooks. */
  readonly drain: Effect.Effect<void>
  readonly transaction: (id: string) => Effect.Effect<TenantAnswers["GET /transactions/:id"]>
  readonly figures: Effect.Effect<Figures>
  /** The balances as the operator's API shows them. */
  readonly operatorBalances: Effect.Effect<OperatorAnswers["GET /accounts/:id/balances"]>
  readonly endpoint: (endpoint?: NewEndpoint) => Effect.Effect<EndpointAnswer>
  readonly adjust: (body: Readonly<Record<string, unknown>>) => Effect.Effect<Answer<Adjustment>>
  readonly change: (
    body: Readonly<Record<string, unknown>>
  ) => Effect.Effect<OperatorAnswers["PATCH /accounts/:id"]>
  /** The requests that webhook endpoints received, oldest first; with a URL, those to it. */
  readonly received: (url?: string) => Effect.Effect<ReadonlyArray<RecordedRequest>>
  /** The bodies of `received`. */
  readonly events: (url?: string) => Effect.Effect<ReadonlyArray<ReceivedEvent>>
  readonly removeEndpoint: (endpoint: WithId) => Effect.Effect<unknown>
  readonly deliveries: Effect.Effect<DeliveryPage["data"]>
  /** The delivery log by a query string, such as `?status=queued`. */
  readonly deliveriesBy: (query: string) => Effect.Effect<DeliveryPage["data"]>
  readonly deliveryPage: (query: string) => Effect.Effect<DeliveryPage>
  /** Runs the ledger's proof and fails unless it holds. */
  readonly audit: Effect.Effect<OperatorAnswers["GET /audit"]>
}

/** Where a shop's events go unless a test says otherwise. */
export const hookUrl = "https://shop.example.com/hook"

/** The answer's body, where the status is the expected one. */
export const expecting =
  (status: number) =>
  <Body>(answer: Answer<Body>): Effect.Effect<Body> =>
    answer.status === status
      ? Effect.succeed(answer.json)
      : Effect.die(new Error(`${status} was expected, not ${answer.status}: ${answer.text}`))

const newWithdrawal = (body: Readonly<Record<string, unknown>>) => ({
  pixKey: "ana@example.com",
  pixKeyType: "email",
  ...("netAmount" in body ? {} : { amount: 10 })
})

/** The shop's own calls, without what the outside world does. */
const ofShop = ({ operator }: TestPagora["Service"], shop: Tenant) => {
  const figures = Effect.gen(function* () {
    const { balance } = yield* Effect.flatMap(shop.call("GET", "/account"), expecting(200))
    return {
      available: balance.available.amount,
      promotional: balance.promotional.amount,
      held: balance.held.amount,
      total: balance.total.amount
    }
  })
  const adjust = (body: Readonly<Record<string, unknown>>) =>
    operator("POST", `/accounts/${shop.id}/adjustments`, { body })
  const deliveryPage = (query: string) =>
    Effect.flatMap(operator("GET", `/accounts/${shop.id}/deliveries${query}`), expecting(200))
  const deliveriesBy = (query: string) => Effect.map(deliveryPage(query), ({ data }) => data)

  return {
    figures,
    charge: (body: Readonly<Record<string, unknown>> = {}) =>
      Effect.flatMap(shop.call("POST", "/pix", { body: { amount: 10, ...body } }), expecting(201)),
    refund: ({ id }: WithId, body?: Readonly<Record<string, unknown>>) =>
      Effect.flatMap(shop.call("POST", `/transactions/${id}/refund`, { body }), expecting(201)),
    fund: (amount: number) => adjust({ amount, reason: "funds" }),
    withdraw: (body: Readonly<Record<string, unknown>> = {}) =>
      Effect.flatMap(
        shop.call("POST", "/withdrawals", { body: { ...newWithdrawal(body), ...body } }),
        expecting(201)
      ),
    transaction: (id: string) =>
      Effect.flatMap(shop.call("GET", `/transactions/${encodeURIComponent(id)}`), expecting(200)),
    endpoint: (endpoint: NewEndpoint = {}) =>
      Effect.flatMap(
        operator("POST", `/accounts/${shop.id}/webhook-endpoints`, {
          body: { url: hookUrl, ...endpoint }
        }),
        expecting(201)
      ),
    adjust,
    change: (body: Readonly<Record<string, unknown>>) =>
      Effect.flatMap(operator("PATCH", `/accounts/${shop.id}`, { body }), expecting(200)),
    operatorBalances: Effect.flatMap(
      operator("GET", `/accounts/${shop.id}/balances`),
      expecting(200)
    ),
    removeEndpoint: ({ id }: WithId) =>
      Effect.flatMap(
        operator("DELETE", `/accounts/${shop.id}/webhook-endpoints/${id}`),
        expecting(204)
      ),
    deliveryPage,
    deliveriesBy,
    deliveries: deliveriesBy(""),
    audit: Effect.flatMap(Effect.flatMap(operator("GET", "/audit"), expecting(200)), (proof) =>
      proof.ok
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
      const authorization = `Bearer ${access_token}`
      return yield* api(method, path, {
        ...request,
        headers: { authorization, ...request.headers }
      })
    })
  return yield* storyOf({ id, clientId, clientSecret, call })
})

const storyOf = Effect.fnUntraced(function* (shop: Tenant) {
  const pagora = yield* TestPagora
  const { sandbox } = pagora
  const psp = yield* SandboxPsp
  const workers = yield* Workers
  const transport = yield* RecordingTransport

  const received = (url?: string) =>
    Effect.map(transport.requests, (requests) =>
      requests.filter((request) => url === undefined || request.url === url)
    )

  const payAtBank = ({ id }: WithId, { amount, ...options }: Payment = {}) => {
    const centavos =
      amount === undefined ? {} : { amount: Money.Centavos.make(BigInt(Math.round(amount * 100))) }
    return psp.pay(TxId.fromUuid(Uuid.make(id)), { ...options, ...centavos }).pipe(
      Effect.map((payments) => payments.map(({ endToEndId }): string => endToEndId)),
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
        requests.map(({ body }) => JSON.parse(body) as ReceivedEvent)
      ),
    pay: ({ id }, payment = {}) =>
      Effect.flatMap(sandbox("POST", `/charges/${id}/pay`, { body: payment }), expecting(200)),
    settleRefund: ({ pspRefundTransactionId: id }, outcome) =>
      Effect.flatMap(
        sandbox("POST", `/refunds/${id}/settle`, { body: { outcome } }),
        expecting(200)
      ),
    expire: ({ id }) => Effect.flatMap(sandbox("POST", `/charges/${id}/expire`), expecting(200)),
    settleWithdrawal: ({ id }, outcome, reason) =>
      Effect.flatMap(
        sandbox("POST", `/withdrawals/${id}/settle`, {
          body: { outcome, ...present({ reason }) }
        }),
        expecting(200)
      ),
    faults: (...faults) =>
      Effect.flatMap(sandbox("PUT", "/faults", { body: { faults } }), expecting(200)),
    advance: (by) =>
      Effect.flatMap(
        sandbox("POST", "/clock/advance", {
          body: { seconds: Duration.toSeconds(Duration.fromInputUnsafe(by)) }
        }),
        expecting(200)
      ),
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
