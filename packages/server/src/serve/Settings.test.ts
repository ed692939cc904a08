import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Environment } from "./Settings.ts"
import { readSettings } from "./Settings.ts"
import type { Variable } from "./Variable.ts"
import { variables } from "./Variables.ts"

const secret = "a-master-secret-that-is-long-enough-for-all-of-these-tests"
const operatorKey = "opk_an-operator-key-that-is-long-enough"
const whole = {
  DATABASE_URL: "postgres://app:word@db:5432/pagora?sslmode=verify-full",
  PAGORA_SECRET: secret
}

const reading = (environment: Environment) =>
  readSettings({ ...whole, ...environment }).pipe(Effect.provide(NodeServices.layer))

const faultsOf = (environment: Environment) =>
  Effect.map(reading(environment), ({ faults }) => faults)

const fileOf = (text: string): string => {
  const directory = mkdtempSync(join(tmpdir(), "pagora-settings-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, "secret")
  writeFileSync(path, text)
  return path
}

/** What is given, and the one sentence about it. `hunter2` stands for what must never be said again. */
const wrong: ReadonlyArray<readonly [Environment, string]> = [
  [
    { DATABASE_URL: "" },
    "DATABASE_URL is missing: set it to the PostgreSQL to use, such as postgres://user:password@host:5432/database."
  ],
  [
    { DATABASE_URL: "mysql://hunter2@db/x" },
    "DATABASE_URL must be such as postgres://user:password@host:5432/database, with percent signs for what a URL cannot hold."
  ],
  [
    { DATABASE_URL: "hunter2" },
    "DATABASE_URL must be such as postgres://user:password@host:5432/database, with percent signs for what a URL cannot hold."
  ],
  [
    { PAGORA_SECRET: "" },
    "PAGORA_SECRET is missing: every key is derived from it, so keep one for the life of the data. Make one with: openssl rand -base64 32"
  ],
  [
    { PAGORA_SECRET: "hunter2" },
    "PAGORA_SECRET has 7 bytes and needs at least 32. Make one with: openssl rand -base64 32"
  ],
  [
    { PAGORA_SECRET: "changemechangemechangemechangeme" },
    "PAGORA_SECRET can be guessed: by its repetitions and words it has about 28 bits, and needs 128. Make one with: openssl rand -base64 32"
  ],
  ...["", "?sslmode=disable", "?sslmode=prefer", "?sslmode=allow"].map(
    (query): [Record<string, string>, string] => [
      { DATABASE_URL: `postgres://a:b@db.internal:5432/c${query}` },
      "DATABASE_URL goes over a network without TLS, so that its password and all of the data can be read and changed there: add ?sslmode=verify-full to it, or set PAGORA_DATABASE_PLAINTEXT to true where the network is your own."
    ]
  ),
  [
    { PAGORA_SECRET: "hunter2 hunter2 hunter2 hunter2 hunter2" },
    "PAGORA_SECRET has white space in it. Make one with: openssl rand -base64 32"
  ],
  [
    { PAGORA_FORMER_SECRETS: `${operatorKey} hunter2` },
    "Number 2 of PAGORA_FORMER_SECRETS has 7 bytes and needs at least 32. Make one with: openssl rand -base64 32"
  ],
  [
    { PAGORA_FORMER_SECRETS: secret },
    "PAGORA_FORMER_SECRETS holds PAGORA_SECRET too: list only those that came before it."
  ],
  [
    { PAGORA_OPERATOR_KEY: "hunter2" },
    "PAGORA_OPERATOR_KEY needs at least 32 characters, and no spaces. Make one with: openssl rand -base64 32"
  ],
  [
    { PAGORA_OPERATOR_KEY: secret },
    "PAGORA_OPERATOR_KEY is the master secret: make another one, with openssl rand -base64 32."
  ],
  [
    { PAGORA_SECRET_FILE: "hunter2" },
    "PAGORA_SECRET and PAGORA_SECRET_FILE are both set: keep one of them."
  ],
  [
    { PAGORA_OPERATOR_KEY_FILE: "hunter2" },
    "PAGORA_OPERATOR_KEY_FILE names a file that cannot be read: check its path and its owner."
  ],
  [
    { PAGORA_SCHEMA: "hunter2; drop" },
    "PAGORA_SCHEMA must be a name of small letters, digits and underscores."
  ],
  [{ PAGORA_MIGRATE: "hunter2" }, "PAGORA_MIGRATE must be true or false."],
  [{ PAGORA_DB_PREPARE: "hunter2" }, "PAGORA_DB_PREPARE must be true or false."],
  [
    { PAGORA_DB_LOCK_MILLIS: "4000" },
    "PAGORA_DB_LOCK_MILLIS must be less than PAGORA_DB_STATEMENT_SECONDS (a second is 1000), so that what is locked is set aside and holds up nothing else."
  ],
  [
    { PAGORA_DB_STATEMENT_SECONDS: "5" },
    "PAGORA_DB_STATEMENT_SECONDS must be less than PAGORA_DB_ANSWER_SECONDS, so that the server always gives up first."
  ],
  [{ PAGORA_POOL_SIZE: "0" }, "PAGORA_POOL_SIZE must be a whole number from 1 to 200."],
  [
    { PAGORA_HOST: "hunter2!" },
    "PAGORA_HOST must be a name or an address to listen on, such as 127.0.0.1 or 0.0.0.0."
  ],
  [{ PAGORA_PORT: "hunter2" }, "PAGORA_PORT must be a whole number from 0 to 65535."],
  [{ PAGORA_PORT: "65536" }, "PAGORA_PORT must be a whole number from 0 to 65535."],
  [
    { PAGORA_PORT: "tcp://10.0.0.7:4242" },
    "PAGORA_PORT was set by Kubernetes for a Service of this name: set enableServiceLinks: false in the pod, and PAGORA_PORT to a number."
  ],
  [
    { PAGORA_BASE_PATH: "/v2/" },
    "PAGORA_BASE_PATH must be a path that begins with a slash and ends without one, such as /payments/v2."
  ],
  [
    { PAGORA_OPERATOR_HOST: "", PAGORA_OPERATOR_PORT: "4242" },
    "PAGORA_PORT and PAGORA_OPERATOR_PORT are the same: the operator's API has a port of its own."
  ],
  [
    { PAGORA_API: "false", PAGORA_WORKERS: "false" },
    "PAGORA_API and PAGORA_WORKERS are both false, which leaves nothing to do: set one to true."
  ],
  [{ PAGORA_WORKERS: "no" }, "PAGORA_WORKERS must be true or false."],
  [
    { PAGORA_TRUSTED_PROXIES: "10.0.0.0/8,hunter2" },
    "PAGORA_TRUSTED_PROXIES must be IP addresses or networks with commas between them, such as 10.0.0.0/8,192.0.2.7."
  ],
  [
    { PAGORA_RATE_LIMITS: "hunter2" },
    "PAGORA_RATE_LIMITS must be on, off, or requests a minute such as general=600,auth=60,auth-address=600,withdrawals=120."
  ],
  [
    { PAGORA_PSP_RULES: "max=100,hunter2" },
    "PAGORA_PSP_RULES must be rules with semicolons between them, such as max=100,ID=70,ID=30;ID, with the ids of PSPs, which are UUIDs."
  ],
  [
    { PAGORA_DELIVERIES_KEPT_DAYS: "6" },
    "PAGORA_DELIVERIES_KEPT_DAYS must be a whole number from 7 to 36500."
  ],
  [
    { PAGORA_WEBHOOK_PORTS: "443,hunter2" },
    "PAGORA_WEBHOOK_PORTS must be ports with commas between them, such as 443,8443."
  ],
  [{ PAGORA_DRAIN_SECONDS: "5s" }, "PAGORA_DRAIN_SECONDS must be a whole number from 0 to 300."],
  [
    { PAGORA_LOG_LEVEL: "hunter2" },
    "PAGORA_LOG_LEVEL must be one of debug, info, warn, error, none."
  ],
  [{ PAGORA_LOG_FORMAT: "xml" }, "PAGORA_LOG_FORMAT must be one of json, text."],
  [
    { PAGORA_TRUSTED_PROXY: "hunter2" },
    "There is no setting PAGORA_TRUSTED_PROXY: did you mean PAGORA_TRUSTED_PROXIES?"
  ],
  [
    { PAGORA_SECRETS: "hunter2" },
    "There is no setting PAGORA_SECRETS: did you mean PAGORA_SECRET?"
  ],
  [
    { PAGORA_LOGLEVEL: "hunter2" },
    "There is no setting PAGORA_LOGLEVEL: did you mean PAGORA_LOG_LEVEL?"
  ]
]

describe("the settings of pagora serve", () => {
  it.effect.each(wrong)(
    "%j is refused in one sentence, which does not repeat it",
    ([environment, sentence]) =>
      Effect.gen(function* () {
        const faults = yield* faultsOf(environment)
        assert.deepStrictEqual(faults, [sentence])
        assert.notInclude(sentence, "hunter2")
      })
  )

  it.effect("are all looked at, whatever is wrong with the first", () =>
    Effect.gen(function* () {
      const faults = yield* faultsOf({
        PAGORA_SECRET: "short",
        PAGORA_PORT: "x",
        PAGORA_LOG_LEVEL: "x",
        PAGORA_PROXIES: "x"
      })
      assert.deepStrictEqual(
        faults.map((fault) => /PAGORA_\w+/.exec(fault)?.[0]),
        ["PAGORA_SECRET", "PAGORA_PORT", "PAGORA_LOG_LEVEL", "PAGORA_PROXIES"]
      )
    })
  )

  it.effect("let a database on this machine, over TLS, or on a network that is one's own", () =>
    Effect.gen(function* () {
      for (const place of [
        "localhost:5432/c",
        "127.0.0.1/c",
        "127.1.2.3/c?sslmode=disable",
        "[::1]:5432/c",
        "/c?host=/var/run/postgresql",
        "db.internal/c?sslmode=require",
        "db.internal/c?sslmode=verify-ca",
        "db.internal/c?sslmode=verify-full"
      ])
        assert.deepStrictEqual(
          yield* faultsOf({
            DATABASE_URL: `postgres://${place.startsWith("/") ? "" : "a:b@"}${place}`
          }),
          [],
          place
        )
      const own = { DATABASE_URL: "postgres://a:b@db/c", PAGORA_DATABASE_PLAINTEXT: "true" }
      assert.deepStrictEqual(yield* faultsOf(own), [])
      for (const trick of ["localhost.evil.com/c", "127.0.0.1.evil.com/c", "db/c?sslmode=Require"])
        assert.strictEqual((yield* faultsOf({ DATABASE_URL: `postgres://a:b@${trick}` })).length, 1)
    })
  )

  it.effect("that are secrets come from files too, without the line's end", () =>
    Effect.gen(function* () {
      const { faults, settings } = yield* reading({
        PAGORA_SECRET: "",
        PAGORA_SECRET_FILE: fileOf(`${secret}\n`),
        PAGORA_FORMER_SECRETS_FILE: fileOf(
          `former-one-of-this-deployment-0001\nformer-two-of-this-deployment-0002\n`
        ),
        PAGORA_OPERATOR_KEY_FILE: fileOf(operatorKey)
      })
      assert.deepStrictEqual(faults, [])
      assert.strictEqual(Redacted.value(settings.secret), secret)
      assert.deepStrictEqual(settings.formerSecrets.map(Redacted.value), [
        "former-one-of-this-deployment-0001",
        "former-two-of-this-deployment-0002"
      ])
      assert.deepStrictEqual(yield* faultsOf({ PAGORA_OPERATOR_KEY_FILE: fileOf(" \n") }), [
        "PAGORA_OPERATOR_KEY_FILE names a file that is empty."
      ])
      const closed = fileOf(operatorKey)
      chmodSync(closed, 0o000)
      // Root reads it all the same.
      if (process.getuid?.() !== 0)
        assert.match(
          (yield* faultsOf({ PAGORA_OPERATOR_KEY_FILE: closed }))[0] ?? "",
          /cannot be read/
        )
    })
  )

  it.effect("leave alone what Kubernetes and other programs put beside them", () =>
    Effect.gen(function* () {
      const faults = yield* faultsOf({
        PAGORA_SERVICE_HOST: "10.0.0.7",
        PAGORA_SERVICE_PORT: "4242",
        PAGORA_SERVICE_PORT_HTTP: "4242",
        PAGORA_PORT_4242_TCP: "tcp://10.0.0.7:4242",
        PAGORA_PORT_4242_TCP_ADDR: "10.0.0.7",
        PAGORA_TEST_DATABASE_URL: "postgres://x",
        PAGORA_URL: "http://127.0.0.1:4242/v2",
        PAGORA_POOL_SIZE: ""
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("are read as they are written", () =>
    Effect.gen(function* () {
      const { faults, settings } = yield* reading({
        PAGORA_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7",
        PAGORA_WEBHOOK_PORTS: "443,8443",
        PAGORA_RATE_LIMITS: "off",
        PAGORA_PSP_RULES:
          "max=99.99,00000000-0000-7000-8000-00000000000b=2; 00000000-0000-7000-8000-00000000000a",
        PAGORA_LOG_LEVEL: "warn",
        PAGORA_WORKERS: "false",
        PAGORA_PORT: "0",
        PAGORA_OPERATOR_PORT: "0"
      })
      assert.deepStrictEqual(faults, [])
      assert.deepInclude(settings, {
        trustedProxies: ["10.0.0.0/8", "192.0.2.7"],
        webhookPorts: [443, 8443],
        rateLimits: false,
        pspRules: [
          { max: 99.99, to: [{ psp: "00000000-0000-7000-8000-00000000000b", share: 2 }] },
          { to: [{ psp: "00000000-0000-7000-8000-00000000000a" }] }
        ],
        logLevel: "Warn",
        workers: false,
        port: 0
      })
    })
  )
})

describe("docs/reference/configuration.md", () => {
  const shown = ({ absent }: Variable<unknown>): string => {
    if (Result.isFailure(absent)) return "required"
    const value = absent.success
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return "none"
    return typeof value === "object" && !Array.isArray(value) ? "on" : String(value).toLowerCase()
  }

  it("has every variable of pagora serve with its default, and no other", () => {
    const path = new URL("../../../../docs/reference/configuration.md", import.meta.url)
    const [, section = ""] = readFileSync(path, "utf8").split("\n## `pagora serve`\n")
    const rows = [
      ...(section.split("\n## ")[0] ?? "").matchAll(
        /^\| `([A-Z0-9_]+)`(, or `([A-Z0-9_]+)`)? \| `?([^|`]+)`? \|/gm
      )
    ]
    assert.deepStrictEqual(
      rows.map(([, name, , file, absent]) => [name, file, absent?.trim()]),
      Object.values<Variable<unknown>>(variables).map((variable) => [
        variable.name,
        variable.isSecret ? `${variable.name}_FILE` : undefined,
        shown(variable)
      ])
    )
  })
})
