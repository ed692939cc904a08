import type { PagoraOptions, RateLimits } from "@pagora/core"
import type { LogLevel } from "effect"
import {
  defaultRateLimits,
  deliveriesKeptDays,
  parseNetwork,
  secretBits,
  secretBitsMin
} from "@pagora/core"
import { Redacted, Result } from "effect"
import { connectionLimits } from "../HttpListener.ts"
import { readPspRules } from "../psp/PspRuleText.ts"
import { readPublicUrl } from "../psp/PublicUrl.ts"
import { parseRateLimits, rateLimitForm } from "../RateLimitSetting.ts"
import { bankVariables } from "./BankVariables.ts"
import type { Variable } from "./Variable.ts"
import { choice, list, number, port, seconds, text, variable, yesOrNo } from "./Variable.ts"

const secretBytesMin = 32
const operatorKeyMin = 32
const makeOne = "Make one with: openssl rand -base64 32"

/** What is wrong with a master secret. White space would make a list of them unreadable. */
const secretFault = (what: string, secret: string): string | undefined => {
  const bytes = Buffer.byteLength(secret)
  if (/\s/.test(secret)) return `${what} has white space in it. ${makeOne}`
  return bytes < secretBytesMin
    ? `${what} has ${bytes} bytes and needs at least ${secretBytesMin}. ${makeOne}`
    : undefined
}

const guessable = (given: string): string | undefined => {
  const bits = Math.floor(secretBits(given))
  return bits < secretBitsMin
    ? `PAGORA_SECRET can be guessed: by its repetitions and words it has about ${bits} bits, and needs ${secretBitsMin}. ${makeOne}`
    : undefined
}

const databaseUrl: Variable<Redacted.Redacted> = {
  name: "DATABASE_URL",
  isSecret: true,
  absent: Result.fail(
    "DATABASE_URL is missing: set it to the PostgreSQL to use, such as postgres://user:password@host:5432/database."
  ),
  read: (given) =>
    URL.canParse(given) && /^postgres(ql)?:$/.test(new URL(given).protocol)
      ? Result.succeed(Redacted.make(given))
      : Result.fail(
          "DATABASE_URL must be such as postgres://user:password@host:5432/database, with percent signs for what a URL cannot hold."
        )
}

const secret: Variable<Redacted.Redacted> = {
  name: "PAGORA_SECRET",
  isSecret: true,
  absent: Result.fail(
    `PAGORA_SECRET is missing: every key is derived from it, so keep one for the life of the data. ${makeOne}`
  ),
  read: (given) => {
    const fault = secretFault("PAGORA_SECRET", given) ?? guessable(given)
    return fault === undefined ? Result.succeed(Redacted.make(given)) : Result.fail(fault)
  }
}

const formerSecrets: Variable<ReadonlyArray<Redacted.Redacted>> = {
  name: "PAGORA_FORMER_SECRETS",
  isSecret: true,
  absent: Result.succeed([]),
  read: (given) => {
    const all = given.split(/\s+/).filter((part) => part !== "")
    const [fault] = all.flatMap((part, index) => {
      const wrong = secretFault(`Number ${index + 1} of PAGORA_FORMER_SECRETS`, part)
      return wrong === undefined ? [] : [wrong]
    })
    return fault === undefined
      ? Result.succeed(all.map((part) => Redacted.make(part)))
      : Result.fail(fault)
  }
}

const operatorKey: Variable<Redacted.Redacted | undefined> = {
  name: "PAGORA_OPERATOR_KEY",
  isSecret: true,
  absent: Result.succeed(undefined),
  read: (given) =>
    // It travels in a header.
    /^[\x21-\x7e]+$/.test(given) && given.length >= operatorKeyMin
      ? Result.succeed(Redacted.make(given))
      : Result.fail(
          `PAGORA_OPERATOR_KEY needs at least ${operatorKeyMin} characters, and no spaces. ${makeOne}`
        )
}

const isUuid = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)

const hostForm = "a name or an address to listen on, such as 127.0.0.1 or 0.0.0.0"
const hostPattern = /^[A-Za-z0-9.:_-]{1,255}$/

const logLevels: Readonly<Record<string, LogLevel.LogLevel>> = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None"
}

/** What `pagora migrate` reads too. */
export const databaseVariables = {
  databaseUrl,
  databasePlaintext: yesOrNo("PAGORA_DATABASE_PLAINTEXT", false),
  schema: text(
    "PAGORA_SCHEMA",
    "pagora",
    "a name of small letters, digits and underscores",
    /^[a-z_][a-z0-9_]{0,62}$/
  ),
  dbPrepare: yesOrNo("PAGORA_DB_PREPARE", true),
  dbSynchronousCommit: choice<"on" | "remote_apply">("PAGORA_DB_SYNCHRONOUS_COMMIT", "on", {
    on: "on",
    remote_apply: "remote_apply"
  }),
  dbConnectSeconds: number("PAGORA_DB_CONNECT_SECONDS", 3, 1, 60),
  dbLockMillis: number("PAGORA_DB_LOCK_MILLIS", 1_000, 10, 60_000),
  dbStatementSeconds: number("PAGORA_DB_STATEMENT_SECONDS", 4, 1, 300),
  dbAnswerSeconds: number("PAGORA_DB_ANSWER_SECONDS", 5, 1, 300),
  dbKeepAliveSeconds: number("PAGORA_DB_KEEP_ALIVE_SECONDS", 5, 1, 300),
  dbStartSeconds: number("PAGORA_DB_START_SECONDS", 30, 0, 3_600)
}

/** Everything that `pagora serve` reads from its environment. */
export const variables = {
  ...databaseVariables,
  secret,
  formerSecrets,
  operatorKey,
  config: text("PAGORA_CONFIG", undefined, "the path of a file", /./),
  migrate: yesOrNo("PAGORA_MIGRATE", false),
  poolSize: number("PAGORA_POOL_SIZE", 8, 1, 200),
  host: text("PAGORA_HOST", "127.0.0.1", hostForm, hostPattern),
  port: port("PAGORA_PORT", 4242),
  basePath: text(
    "PAGORA_BASE_PATH",
    "/v2",
    "a path that begins with a slash and ends without one, such as /payments/v2",
    /^(\/[\w.~-]+)+$/
  ),
  operatorHost: text("PAGORA_OPERATOR_HOST", "127.0.0.1", hostForm, hostPattern),
  operatorPort: port("PAGORA_OPERATOR_PORT", 4243),
  api: yesOrNo("PAGORA_API", true),
  workers: yesOrNo("PAGORA_WORKERS", true),
  trustedProxies: list(
    "PAGORA_TRUSTED_PROXIES",
    [],
    "IP addresses or networks with commas between them, such as 10.0.0.0/8,192.0.2.7",
    (part) => (parseNetwork(part) === undefined ? undefined : part)
  ),
  clientCertificateHeader: text(
    "PAGORA_CLIENT_CERTIFICATE_HEADER",
    undefined,
    "the name of a header, such as Client-Cert",
    /^[\w-]{1,100}$/
  ),
  publicUrl: variable<string | undefined>(
    "PAGORA_PUBLIC_URL",
    undefined,
    "the address of the tenants' API as banks reach it, with its path and by https, such as https://pay.example.com/v2",
    (given) => Result.getOrUndefined(readPublicUrl(given))
  ),
  rateLimits: variable<RateLimits | false>(
    "PAGORA_RATE_LIMITS",
    defaultRateLimits,
    rateLimitForm,
    parseRateLimits
  ),
  pspRules: variable<PagoraOptions["pspRules"]>(
    "PAGORA_PSP_RULES",
    undefined,
    "rules with semicolons between them, such as max=100,ID=70,ID=30;ID, with the ids of PSPs, which are UUIDs",
    (given) => Result.getOrUndefined(readPspRules(given.split(";"), isUuid))
  ),
  deliveriesKeptDays: number(
    "PAGORA_DELIVERIES_KEPT_DAYS",
    deliveriesKeptDays.default,
    deliveriesKeptDays.min,
    deliveriesKeptDays.max
  ),
  webhookPorts: list<number>(
    "PAGORA_WEBHOOK_PORTS",
    [443],
    "ports with commas between them, such as 443,8443",
    (part) => (/^[1-9]\d{0,4}$/.test(part) && Number(part) <= 65_535 ? Number(part) : undefined)
  ),
  docs: yesOrNo("PAGORA_DOCS", true),
  connectionsMax: number("PAGORA_CONNECTIONS_MAX", connectionLimits.maxConnections, 1, 100_000),
  headersSeconds: seconds("PAGORA_HEADERS_SECONDS", connectionLimits.headersMillis),
  requestSeconds: seconds("PAGORA_REQUEST_SECONDS", connectionLimits.requestMillis),
  answerSeconds: seconds("PAGORA_ANSWER_SECONDS", connectionLimits.answerMillis),
  drainSeconds: number("PAGORA_DRAIN_SECONDS", 5, 0, 300),
  logLevel: choice<LogLevel.LogLevel>("PAGORA_LOG_LEVEL", "Info", logLevels),
  logFormat: choice<"json" | "text">("PAGORA_LOG_FORMAT", "json", { json: "json", text: "text" }),
  ...bankVariables
}
