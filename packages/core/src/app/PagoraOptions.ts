import { Layer, Result } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { parseNetwork } from "../kernel/IpAddress.ts"
import { secretBits, secretBitsMin } from "../kernel/SecretStrength.ts"
import { isObject, spelled } from "./OptionWords.ts"
import type { Telemetry } from "./Otlp.ts"
import type { RateLimit, RateLimits } from "../http/RateLimiter.ts"
import type { StorageDriver } from "../ports/StorageDriver.ts"
import { layerMemory } from "../storage-memory/StorageMemory.ts"
import type { WebhookTransport } from "../ports/WebhookTransport.ts"
import type { PspProviders } from "../ports/PspProvider.ts"
import type { PspOption } from "./PspOptions.ts"
import { providersFault, pspFault } from "./PspOptions.ts"
import type { PspRuleOption } from "./PspRuleOptions.ts"
import { readPspRules } from "./PspRuleOptions.ts"
import { deliveriesKeptDays } from "../workers/DeliveriesKept.ts"

/** What is logged, one entry at a time. */
export interface LogEntry {
  readonly level: string
  readonly message: unknown
  /** RFC 3339. */
  readonly timestamp: string
  readonly annotations: Readonly<Record<string, unknown>>
  readonly cause: string | undefined
}

export interface PagoraOptions {
  /** `postgres({ url })` of @pagora/postgres, `pglite()` of @pagora/postgres/pglite, or `memory()`. */
  readonly storage: Layer.Layer<StorageDriver, unknown>
  /** `sandbox()` of @pagora/core/sandbox, PSPs of your own, or a layer of them. */
  readonly psp: PspOption
  /** What makes PSPs of credentials that the operator keeps in the service, by the names of its providers. Default: none are kept. */
  readonly pspProviders?: PspProviders | undefined
  /** Where new charges go of accounts that have no rules of their own. Default: to the PSP that is their default. */
  readonly pspRules?: ReadonlyArray<PspRuleOption> | undefined
  /** The master secret of the deployment, at least 32 bytes that nobody guesses (128 bits by `secretBits`). Only `memory()` does without. */
  readonly secret?: string | undefined
  /** Master secrets of before, while something that was made under them is left. */
  readonly formerSecrets?: ReadonlyArray<string> | undefined
  /** How webhooks go out. Default: HTTPS to public addresses. */
  readonly transport?: Layer.Layer<WebhookTransport> | undefined
  /** Whether background work is done in this process too. Default true. */
  readonly workers?: boolean | undefined
  /** Limits of each credential, for this process; false for none. Default: `defaultRateLimits`. */
  readonly rateLimits?: RateLimits | false | undefined
  /** How many days deliveries and their attempts can be looked up and sent again, from 7 on. Default 90. */
  readonly deliveriesKeptDays?: number | undefined
  /** Addresses and networks of proxies whose X-Forwarded-For is believed. Default: none. */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  /**
   * The header in which trusted proxies pass on the certificate that a PSP has shown to them: `Client-Cert` of RFC 9440, or
   * any that has a PEM, percent-encoded. The proxy has verified it, and overwrites what a client sends under that name.
   * Default: certificates are those of the connection itself.
   */
  readonly clientCertificateHeader?: string | undefined
  /** Opens `operatorFetch` and `sandboxFetch`, at least 32 characters. Without it they are closed. */
  readonly operatorKey?: string | undefined
  /**
   * The path below which requests come, such as `/payments/v2`. It is taken off where the host has not done so; a request
   * that comes without it is answered all the same.
   */
  readonly basePath?: string | undefined
  /** Whether the contract is served, at `/docs`, `/openapi.json` and `/events.json`, to everybody. Default true. */
  readonly docs?: boolean | undefined
  /** Gets what is logged, from Info up; false for nothing. Default: warnings and errors go to standard error. */
  readonly logger?: ((entry: LogEntry) => void) | false | undefined
  /** Where spans, metrics and log entries go: `otlp({ url })`. Default: nowhere. */
  readonly telemetry?: Telemetry | undefined
}

/** Keeps everything in the memory of the process, and loses it with the process: for tests and for trying things out. */
export const memory = (): Layer.Layer<StorageDriver> => layerMemory

const storages =
  "postgres({ url }) of @pagora/postgres, pglite() of @pagora/postgres/pglite, or memory() of @pagora/core"
const howToMakeOne = "Make one with: openssl rand -base64 32"
const secretBytesMin = 32
const operatorKeyMin = 32

const known: Readonly<Record<keyof PagoraOptions, true>> = {
  storage: true,
  psp: true,
  secret: true,
  formerSecrets: true,
  pspProviders: true,
  pspRules: true,
  transport: true,
  workers: true,
  rateLimits: true,
  deliveriesKeptDays: true,
  trustedProxies: true,
  clientCertificateHeader: true,
  operatorKey: true,
  basePath: true,
  docs: true,
  logger: true,
  telemetry: true
}

/** What is wrong with the options, in one sentence that says what to change; undefined when nothing is. */
export const faultOf = (options: PagoraOptions): string | undefined => {
  if (typeof options !== "object" || options === null)
    return `Give the options as an object, with storage and psp at least.`
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined)
    return `There is no option ${unknown}: the options are ${Object.keys(known).join(", ")}.`
  return (
    storageFault(options) ??
    pspFault(options.psp) ??
    providersFault(options.pspProviders) ??
    rulesFault(options.pspRules) ??
    secretFault(options) ??
    proxyFault(options.trustedProxies) ??
    certificateHeaderFault(options) ??
    limitFault(options.rateLimits) ??
    restFault(options)
  )
}

const rulesFault = (rules: PagoraOptions["pspRules"]): string | undefined =>
  rules === undefined ? undefined : Result.getOrUndefined(Result.flip(readPspRules(rules)))

const storageFault = ({ storage }: PagoraOptions): string | undefined =>
  Layer.isLayer(storage)
    ? undefined
    : storage === undefined
      ? `storage is missing: give ${storages}.`
      : `storage is ${spelled(storage)}: give ${storages}.`

const secretFault = ({ formerSecrets = [], secret, storage }: PagoraOptions) => {
  if (secret === undefined || secret === "")
    return storage === layerMemory
      ? undefined
      : `secret is missing: keys of what is stored are derived from it, so keep one for the life of the data, as in secret: process.env.PAGORA_SECRET. ${howToMakeOne}`
  if (!Array.isArray(formerSecrets))
    return `formerSecrets is ${spelled(formerSecrets)}: give a list of texts, the newest first.`
  const all: ReadonlyArray<readonly [string, unknown]> = [
    ["secret", secret],
    ...formerSecrets.map((former, index) => [`formerSecrets[${index}]`, former] as const)
  ]
  for (const [name, value] of all) {
    if (typeof value !== "string") return `${name} is ${spelled(value)}: give a text.`
    const bytes = new TextEncoder().encode(value).length
    if (bytes < secretBytesMin)
      return `${name} has ${bytes} bytes and needs at least ${secretBytesMin}. ${howToMakeOne}`
  }
  // A former one may be weak: that is a reason to have another.
  const bits = Math.floor(secretBits(secret))
  return bits < secretBitsMin
    ? `secret can be guessed: by its repetitions and words it has about ${bits} bits, and needs ${secretBitsMin}. ${howToMakeOne}`
    : undefined
}

const certificateHeaderFault = ({
  clientCertificateHeader: header,
  trustedProxies = []
}: PagoraOptions) => {
  if (header === undefined) return undefined
  if (typeof header !== "string" || !/^[\w-]{1,100}$/.test(header))
    return `clientCertificateHeader is ${spelled(header)}: give the name of a header, such as "Client-Cert".`
  return trustedProxies.length > 0
    ? undefined
    : "clientCertificateHeader is read of trusted proxies only: name them in trustedProxies."
}

const proxyFault = (proxies: PagoraOptions["trustedProxies"] = []) => {
  if (!Array.isArray(proxies))
    return `trustedProxies is ${spelled(proxies)}: give a list of addresses or networks, such as ["10.0.0.0/8"].`
  const networks = proxies.map((proxy) => [String(proxy), parseNetwork(String(proxy))] as const)
  const [wrong] = networks.find(([, network]) => network === undefined) ?? []
  if (wrong !== undefined)
    return `trustedProxies names ${wrong}: give IP addresses or networks, such as 10.0.0.0/8.`
  const [everybody] = networks.find(([, network]) => network?.bits === 0) ?? []
  return everybody === undefined
    ? undefined
    : `trustedProxies names ${everybody}, which lets every client choose its address by a header: name the networks of your proxies.`
}

const limitFault = (limits: PagoraOptions["rateLimits"]) => {
  if (limits === undefined || limits === false) return undefined
  if (!isObject(limits))
    return `rateLimits is ${spelled(limits)}: give false, or limits such as { general: { requests: 600, seconds: 60 } }.`
  const { auth, authAddress, endpoints = {}, general, ...more } = limits
  const [unknown] = Object.keys(more)
  if (unknown !== undefined)
    return `rateLimits has no limit ${unknown}: the limits are general, auth, authAddress and endpoints.`
  if (!isObject(endpoints))
    return `rateLimits.endpoints is ${spelled(endpoints)}: give limits by method and path, as in "POST /withdrawals".`
  const absent = Object.keys(endpoints).find((route) => !routes().has(route))
  if (absent !== undefined)
    return `rateLimits.endpoints names ${absent}: give the method and path of an endpoint as the API declares it, as in "POST /withdrawals".`
  const all = Object.entries({ general, auth, authAddress, ...endpoints })
  const wrong = all.find(([, limit]) => limit !== undefined && !isLimit(limit))
  return wrong === undefined
    ? undefined
    : `rateLimits: ${wrong[0]} must be { requests, seconds }, both whole numbers from 1.`
}

const routes = (): ReadonlySet<string> => {
  const all = new Set<string>()
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => all.add(`${endpoint.method} ${endpoint.path}`)
  })
  return all
}

const isLimit = (limit: RateLimit): boolean =>
  isObject(limit) && isWhole(limit.requests) && isWhole(limit.seconds)

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0

const restFault = ({
  basePath,
  deliveriesKeptDays: days = deliveriesKeptDays.default,
  docs,
  logger,
  operatorKey,
  telemetry,
  transport,
  workers
}: PagoraOptions) => {
  if (
    operatorKey !== undefined &&
    !(typeof operatorKey === "string" && operatorKey.length >= operatorKeyMin)
  )
    return `operatorKey needs at least ${operatorKeyMin} characters. ${howToMakeOne}`
  if (basePath !== undefined && typeof basePath !== "string")
    return `basePath is ${spelled(basePath)}: give a text such as "/payments/v2".`
  if (basePath !== undefined && !pathForm.test(basePath))
    return "basePath must begin with a slash and end without one, as in /payments/v2; leave it out at the root."
  if (transport !== undefined && !Layer.isLayer(transport))
    return `transport is ${spelled(transport)}: give a layer of WebhookTransport, such as WebhookTransportNode.layer() of @pagora/core/node.`
  if (!(isWhole(days) && days >= deliveriesKeptDays.min && days <= deliveriesKeptDays.max))
    return `deliveriesKeptDays is ${typeof days === "number" ? days : spelled(days)}: give a whole number of days from ${deliveriesKeptDays.min} to ${deliveriesKeptDays.max}.`
  if (workers !== undefined && typeof workers !== "boolean")
    return `workers is ${spelled(workers)}: give true or false.`
  if (docs !== undefined && typeof docs !== "boolean")
    return `docs is ${spelled(docs)}: give true or false.`
  if (telemetry !== undefined && telemetry?._tag !== "Otlp")
    return `telemetry is ${spelled(telemetry)}: give otlp({ url }) of @pagora/core.`
  return logger === undefined || logger === false || typeof logger === "function"
    ? undefined
    : `logger is ${spelled(logger)}: give a function that takes an entry, or false.`
}

const pathForm = /^(\/[^/?#\s]+)+$/
