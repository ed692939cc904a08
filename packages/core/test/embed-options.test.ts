import { assert, describe, it } from "@effect/vitest"
import type { PagoraOptions } from "@pagora/core"
import { Pagora, PagoraError, StorageDriver } from "@pagora/core"
import { Effect, Layer } from "effect"
import { refusalOf, secret, sharedMemory, small } from "./Embedding.test-data.ts"

/** What somebody without types may give. */
const wrong = (options: unknown): PagoraOptions => options as PagoraOptions
const persistent = async () => ({ ...small, storage: await sharedMemory() })

const cases: ReadonlyArray<readonly [string, () => unknown, RegExp]> = [
  ["nothing", () => undefined, /^Give the options as an object, with storage and psp/],
  ["no storage", () => ({ psp: small.psp }), /^storage is missing: give postgres\(\{ url \}\)/],
  [
    "a URL for a storage",
    () => ({ ...small, storage: "postgres://user:hunter2@db/pagora" }),
    /^storage is a text: give postgres\(\{ url \}\) of @pagora\/postgres/
  ],
  ["no PSP", () => ({ storage: small.storage }), /^psp is missing: give sandbox\(\)/],
  ["a text for a PSP", () => ({ ...small, psp: "sandbox" }), /^psp is a text: give sandbox\(\)/],
  [
    "a PSP under a name",
    () => ({ ...small, psp: { default: "bank", psps: { bank: {} } } }),
    /^psp\.psps has the key bank: use a UUID/
  ],
  [
    "a default that is not there",
    () => ({ ...small, psp: { default: "bank", psps: {} } }),
    /^psp\.default must be one of the keys of psp\.psps, which are none\.$/
  ],
  ["no secret where it counts", persistent, /^secret is missing: .*openssl rand -base64 32$/],
  [
    "an empty secret",
    async () => ({ ...(await persistent()), secret: "" }),
    /^secret is missing: .*openssl rand -base64 32$/
  ],
  [
    "a short secret",
    () => ({ ...small, secret: "ção" }),
    /^secret has 5 bytes and needs at least 32\. Make one with: openssl rand -base64 32$/
  ],
  ["a secret of bytes", () => ({ ...small, secret: [1, 2] }), /^secret is a list: give a text\.$/],
  [
    "a short former secret",
    () => ({ ...small, secret, formerSecrets: [secret, "old"] }),
    /^formerSecrets\[1\] has 3 bytes/
  ],
  [
    "a proxy by name",
    () => ({ ...small, trustedProxies: ["10.0.0.0/8", "proxy.internal"] }),
    /^trustedProxies names proxy\.internal: give IP addresses or networks/
  ],
  ["one proxy", () => ({ ...small, trustedProxies: "10.0.0.1" }), /^trustedProxies is a text/],
  [
    "a limit of nothing",
    () => ({ ...small, rateLimits: { general: { requests: 0, seconds: 60 } } }),
    /^rateLimits: general must be \{ requests, seconds \}/
  ],
  ["limits that are on", () => ({ ...small, rateLimits: true }), /^rateLimits is a boolean/],
  [
    "a short operator key",
    () => ({ ...small, operatorKey: "let me in" }),
    /^operatorKey needs at least 32 characters\./
  ],
  ["a base path with an end", () => ({ ...small, basePath: "/v2/" }), /^basePath is a text: begin/],
  ["a base path without a beginning", () => ({ ...small, basePath: "v2" }), /^basePath is a text/],
  ["a transport of its own kind", () => ({ ...small, transport: {} }), /^transport is an object/],
  ["workers by number", () => ({ ...small, workers: 4 }), /^workers is a number: give true or/],
  ["a logger by level", () => ({ ...small, logger: "info" }), /^logger is a text: give a function/],
  [
    "an option that does not exist",
    () => ({ ...small, secert: secret }),
    /^There is no option secert: the options are storage, psp, secret,/
  ]
]

describe("wrong options", () => {
  it.each(cases)("%s", async (_, options, sentence) => {
    const error = await refusalOf(Pagora.start(wrong(await options())))
    assert.strictEqual(error.code, "INVALID_CONFIGURATION")
    assert.match(error.message, sentence)
    assert.notInclude(error.message, "hunter2")
  })

  it("a storage that cannot be opened says why", async () => {
    const storage = Layer.effect(
      StorageDriver,
      Effect.fail(new Error("PostgreSQL cannot be reached: no route to host."))
    )
    const error = await refusalOf(Pagora.start({ ...small, secret, storage }))
    assert.deepStrictEqual(
      [error.code, error.message],
      ["CANNOT_START", "PostgreSQL cannot be reached: no route to host."]
    )
  })

  it("fail the layer of Effect users too", async () => {
    const error = await Effect.runPromise(
      Effect.flip(Layer.launch(Pagora.layer({ ...small, secret: "short" })))
    )
    assert.instanceOf(error, PagoraError)
    assert.strictEqual(error.code, "INVALID_CONFIGURATION")
  })
})
