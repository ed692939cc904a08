import { createHmac } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { EventKind } from "./EventShapes.ts"
import { eventShape } from "./EventShapes.ts"
import { expectStatus, fail, NotCheckable, textAt } from "./Expect.ts"
import type { Delivered, HookPath, HookReceiver } from "./HookReceiver.ts"
import type { Answer, Json } from "./Wire.ts"
import { at, send } from "./Wire.ts"

/** A running deployment, as its operator knows it. */
export interface Target {
  /** Ends in `/v2`. */
  readonly baseUrl: string
  readonly operatorUrl: string
  readonly operatorKey: string
  /** Where the sandbox PSP runs; without it, what only a payer or a PSP can cause is not checked. */
  readonly sandboxUrl?: string
  /** The name by which the deployment reaches this machine; 127.0.0.1 when absent. */
  readonly receiverHost?: string
}

export interface CallOptions {
  readonly body?: unknown
  /** Sent as X-Sub-Account. */
  readonly subAccount?: string
  /** Sent as Idempotency-Key. */
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>

export interface CredentialOptions {
  /** FULL_ACCESS when absent. */
  readonly permissions?: ReadonlyArray<string>
  readonly allowedIps?: ReadonlyArray<string>
  /** As the deployment has it by default when absent. */
  readonly subAccountAccess?: boolean
}

/** One who calls with the tokens of a credential. */
export interface Caller {
  readonly credentialId: string
  readonly clientId: string
  readonly clientSecret: string
  readonly token: () => Promise<string>
  readonly call: Call
}

export interface TenantOptions {
  readonly fees?: Json
  readonly policy?: Json
  readonly limits?: Json
  /** BRL that are there from the beginning, by an adjustment. */
  readonly balance?: number
}

export interface HookOptions {
  readonly subAccount?: string
  readonly events?: ReadonlyArray<EventKind>
}

export interface Hook extends HookPath {
  readonly id: string
  readonly secret: string
  /** The first delivery of this kind, for which the condition holds: checked by form, headers and signature. */
  readonly event: (kind: EventKind, condition?: (json: Json) => boolean) => Promise<Delivered>
  /** Waits until so many requests came in. */
  readonly count: (count: number) => Promise<ReadonlyArray<Delivered>>
  /** How many events of this kind came in, or of every kind; one that is repeated counts once. */
  readonly told: (kind?: EventKind) => number
}

/** An account of its own, with a credential that may do everything, sub-accounts included. */
export interface Tenant extends Caller {
  readonly id: string
  readonly credential: (options?: CredentialOptions) => Promise<Caller>
  readonly hook: (options?: HookOptions) => Promise<Hook>
  /** Creates a sub-account and answers its reference. */
  readonly subAccount: (reference: string) => Promise<string>
}

export interface World {
  readonly target: Target
  /** Without a token. */
  readonly api: Call
  readonly operator: Call
  readonly sandbox: Call
  readonly tenant: (options?: TenantOptions) => Promise<Tenant>
  /** Business time passes by so many seconds, for the whole deployment; what became due is done. */
  readonly advance: (seconds: number) => Promise<Answer>
}

const eventMillisMax = 20_000
// Well within the 300 seconds of a token.
const tokenMillisMax = 200_000

/** Asks again until there is an answer. */
export const eventually = async <A>(
  what: string,
  ask: () => A | undefined | Promise<A | undefined>,
  withinMillis = eventMillisMax
): Promise<A> => {
  for (const started = performance.now(); performance.now() - started < withinMillis;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await sleep(25)
  }
  return fail(`${what}: nothing came within ${withinMillis / 1000} s`)
}

const calling =
  (base: string, authorization?: () => Promise<string>): Call =>
  async (method, path, { body, headers = {}, key, subAccount } = {}) =>
    send({
      method,
      url: `${base}${path}`,
      headers: {
        ...(authorization === undefined ? {} : { authorization: await authorization() }),
        ...(subAccount === undefined ? {} : { "x-sub-account": subAccount }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
        ...headers
      },
      ...(body === undefined ? {} : { body })
    })

/** Everything that a delivery must be, whatever it tells. */
const checkDelivery = (kind: EventKind, delivered: Delivered, secret: string): void => {
  const { body, headers, json, method } = delivered
  const mac = createHmac("sha256", secret).update(body).digest("hex")
  const expected: Readonly<Record<string, string>> = {
    "content-type": "application/json",
    "user-agent": "Service-Webhook/1.0",
    "x-service-event": kind,
    "x-service-signature": `sha256=${mac}`
  }
  const faults = Object.entries(expected).flatMap(([name, value]) =>
    headers[name] === value ? [] : [`${name}: expected ${value}, got ${String(headers[name])}`]
  )
  const id = String(headers["x-service-webhook-id"])
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) {
    faults.push(`x-service-webhook-id: expected a uuid, got ${id}`)
  }
  const time = String(headers["x-service-timestamp"])
  // Clocks of two machines differ; seconds taken for milliseconds differ by more.
  if (!/^\d{13}$/.test(time) || Math.abs(Number(time) - delivered.at) > 600_000) {
    faults.push(`x-service-timestamp: expected epoch milliseconds near now, got ${time}`)
  }
  if (method !== "POST") faults.push(`method: expected POST, got ${method}`)
  faults.push(...eventShape(kind)(json, ""))
  if (faults.length > 0) fail(`Delivery of ${kind}: ${faults.join("; ")}\n  body: ${body}`)
}

const hookOn = (path: HookPath, id: string, secret: string): Hook => ({
  // A live view of the path: its deliveries keep coming, and its status may be set.
  get received() {
    return path.received
  },
  get status() {
    return path.status
  },
  set status(status) {
    path.status = status
  },
  url: path.url,
  id,
  secret,
  event: async (kind, condition = () => true) => {
    const delivered = await eventually(`webhook ${kind}`, () =>
      path.received.find(({ json }) => at(json, "event") === kind && condition(json))
    )
    checkDelivery(kind, delivered, secret)
    return delivered
  },
  count: (count) =>
    eventually(`${count} webhooks`, () =>
      path.received.length >= count ? path.received : undefined
    ),
  told: (kind) =>
    new Set(
      path.received
        .filter(({ json }) => kind === undefined || at(json, "event") === kind)
        .map(({ headers }) => headers["x-service-webhook-id"])
    ).size
})

/** What the checks of one run share. */
export const makeWorld = (target: Target, receiver: HookReceiver): World => {
  const asOperator = () => Promise.resolve(`Bearer ${target.operatorKey}`)
  const api = calling(target.baseUrl)
  const operator = calling(target.operatorUrl, asOperator)
  // Every token of before has a time of its own that has passed.
  let timeTravels = 0

  const sandbox: Call = (method, path, options) =>
    target.sandboxUrl === undefined
      ? Promise.reject(new NotCheckable("the deployment has no sandbox API"))
      : calling(target.sandboxUrl, asOperator)(method, path, options)

  const callerOf = (issued: Answer): Caller => {
    const clientId = textAt(issued, "clientId")
    const clientSecret = textAt(issued, "clientSecret")
    const body = { client_id: clientId, client_secret: clientSecret }
    let cached: { token: string; until: number; travels: number } | undefined
    const token = async () => {
      if (cached === undefined || cached.until < Date.now() || cached.travels !== timeTravels) {
        const travels = timeTravels
        const answer = expectStatus(await api("POST", "/auth", { body }), 200)
        const until = Date.now() + tokenMillisMax
        cached = { token: textAt(answer, "access_token"), until, travels }
      }
      return cached.token
    }
    const call = calling(target.baseUrl, async () => `Bearer ${await token()}`)
    return { credentialId: textAt(issued, "id"), clientId, clientSecret, token, call }
  }

  const credentialOf = async (id: string, options: CredentialOptions = {}): Promise<Caller> => {
    const body = { permissions: ["FULL_ACCESS"], ...options }
    const answer = await operator("POST", `/accounts/${id}/credentials`, { body })
    return callerOf(expectStatus(answer, 201))
  }

  const hookOf = async (account: string, options: HookOptions = {}): Promise<Hook> => {
    const path = receiver.path()
    const body = { url: path.url, ...options }
    const answer = await operator("POST", `/accounts/${account}/webhook-endpoints`, { body })
    if (at(answer.json, "details.code") === "URL_REFUSED") {
      throw new NotCheckable(`the deployment sends no webhooks to ${path.url}`)
    }
    expectStatus(answer, 201)
    return hookOn(path, textAt(answer, "id"), textAt(answer, "secret"))
  }

  const tenant = async ({ balance, ...options }: TenantOptions = {}): Promise<Tenant> => {
    const body = { name: "Conformance", ...options }
    const id = textAt(expectStatus(await operator("POST", "/accounts", { body }), 201), "id")
    if (balance !== undefined) {
      const credit = { amount: balance, reason: "conformance" }
      expectStatus(await operator("POST", `/accounts/${id}/adjustments`, { body: credit }), 201)
    }
    const caller = await credentialOf(id, { subAccountAccess: true })
    return {
      ...caller,
      id,
      credential: (wanted) => credentialOf(id, wanted),
      hook: (wanted) => hookOf(id, wanted),
      subAccount: async (reference) => {
        const named = { reference, name: `Sub-account ${reference}` }
        expectStatus(await caller.call("POST", "/sub-accounts", { body: named }), 201)
        return reference
      }
    }
  }

  const advance = async (seconds: number) => {
    timeTravels += 1
    const answer = await sandbox("POST", "/clock/advance", { body: { seconds } })
    timeTravels += 1
    return expectStatus(answer, 200)
  }

  return { target, api, operator, sandbox, tenant, advance }
}
