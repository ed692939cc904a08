import { assert, describe, it } from "@effect/vitest"
import type { PagoraOptions } from "@pagora/core"
import { defaultRateLimits, Pagora, PagoraError, StorageDriver } from "@pagora/core"
import { Effect, Layer } from "effect"
import { sandbox } from "@pagora/core/sandbox"
import {
  bank,
  bankPsp,
  refusalOf,
  secret,
  sharedMemory,
  small
} from "../world/Embedding.test-data.ts"

/** What somebody without types may give. */
const wrong = <A = PagoraOptions>(options: unknown): A => options as A
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
  [
    "PSPs that are none",
    () => ({ ...small, psp: { default: bank } }),
    /^psp\.psps is missing: give an object of PSPs by their ids\.$/
  ],
  [
    "a PSP that lacks something",
    () => ({
      ...small,
      psp: { default: bank, psps: { [bank]: { ...bankPsp, refund: undefined } } }
    }),
    /^psp\.psps has a PSP without refund, at 0000.*: give all that PspShape asks for, and hold it to pspContract/
  ],
  [
    "a PSP that does not say what it can do",
    () => ({
      ...small,
      psp: { default: bank, psps: { [bank]: { ...bankPsp, capabilities: { knowsPayer: "no" } } } }
    }),
    /^psp\.psps has a PSP of which capabilities\.\w+ .*, at 0000.*: give all that PspCapabilities asks for\.$/
  ],
  [
    "a PSP that is not written yet",
    () => ({ ...small, psp: { default: bank, psps: { [bank]: null } } }),
    /^psp\.psps has a PSP without provider,/
  ],
  ["a list of PSPs", () => ({ ...small, psp: [] }), /^psp is a list: give sandbox\(\)/],
  [
    "a PSP that was not called",
    () => ({ ...small, psp: sandbox }),
    /^psp is a function: give sand/
  ],
  [
    "a sandbox that settles some day",
    () => ({ ...small, psp: sandbox(wrong({ settleAfter: "soon" })) }),
    /^settleAfter of sandbox\(\) is none: give a duration, such as "2 seconds", or "manual"\.$/
  ],
  [
    "a sandbox that settles before",
    () => ({ ...small, psp: sandbox({ settleAfter: -1 }) }),
    /^settleAfter of sandbox\(\) is none/
  ],
  [
    "a layer of nothing for a PSP",
    () => ({ ...small, psp: Layer.empty }),
    /^psp is a layer without/
  ],
  [
    "a layer of nothing for a storage",
    () => ({ ...small, secret, storage: Layer.empty }),
    /^storage is a layer without StorageDriver: give one that provides it\.$/
  ],
  [
    "a layer of nothing for a transport",
    () => ({ ...small, transport: Layer.empty }),
    /^transport is a layer without WebhookTransport: give one that provides it\.$/
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
  [
    "a secret that is guessed",
    () => ({ ...small, secret: "changeme".repeat(4) }),
    /^secret can be guessed: by its repetitions and words it has about \d+ bits, and needs 128\. Make one with: openssl rand -base64 32$/
  ],
  ["a secret of bytes", () => ({ ...small, secret: [1, 2] }), /^secret is a list: give a text\.$/],
  [
    "a short former secret",
    () => ({ ...small, secret, formerSecrets: [secret, "old"] }),
    /^formerSecrets\[1\] has 3 bytes/
  ],
  [
    "former secrets that are one",
    () => ({ ...small, secret, formerSecrets: secret }),
    /^formerSecrets is a text: give a list of texts, the newest first\.$/
  ],
  [
    "former secrets of null",
    () => ({ ...small, secret, formerSecrets: null }),
    /^formerSecrets is/
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
  [
    "everybody as a proxy",
    () => ({ ...small, trustedProxies: ["10.0.0.0/8", "::/0"] }),
    /^trustedProxies names ::\/0, which lets every client choose its address by a header: name the/
  ],
  [
    "everybody on IPv4 as a proxy, in disguise",
    () => ({ ...small, trustedProxies: ["::ffff:0.0.0.0/96"] }),
    /^trustedProxies names ::ffff:0\.0\.0\.0\/96, which lets every client choose/
  ],
  [
    "a limit of null",
    () => ({ ...small, rateLimits: { auth: null } }),
    /^rateLimits: auth must be \{ requests, seconds \}/
  ],
  [
    "a limit that does not exist",
    () => ({ ...small, rateLimits: { genral: { requests: 1, seconds: 1 } } }),
    /^rateLimits has no limit genral: the limits are general, auth, authAddress and endpoints\.$/
  ],
  [
    "limits of endpoints as a text",
    () => ({ ...small, rateLimits: { endpoints: "POST /withdrawals" } }),
    /^rateLimits\.endpoints is a text: give limits by method and path/
  ],
  [
    "a limit of an endpoint that does not exist",
    () => ({
      ...small,
      rateLimits: { endpoints: { "POST /withdraw": { requests: 1, seconds: 1 } } }
    }),
    /^rateLimits\.endpoints names POST \/withdraw: give the method and path of an endpoint/
  ],
  ["limits in a list", () => ({ ...small, rateLimits: [] }), /^rateLimits is a list/],
  ["limits that are on", () => ({ ...small, rateLimits: true }), /^rateLimits is a boolean/],
  [
    "a short operator key",
    () => ({ ...small, operatorKey: "let me in" }),
    /^operatorKey needs at least 32 characters\./
  ],
  [
    "a base path with an end",
    () => ({ ...small, basePath: "/v2/" }),
    /^basePath must begin with a/
  ],
  ["a base path without a beginning", () => ({ ...small, basePath: "v2" }), /^basePath must begin/],
  ["a base path in a list", () => ({ ...small, basePath: ["/v2"] }), /^basePath is a list: give a/],
  ["the root as a base path", () => ({ ...small, basePath: "/" }), /leave it out at the root\.$/],
  ["a transport of its own kind", () => ({ ...small, transport: {} }), /^transport is an object/],
  [
    "deliveries that go before an endpoint is switched off",
    () => ({ ...small, deliveriesKeptDays: 6 }),
    /^deliveriesKeptDays is 6: give a whole number of days from 7 to 36500\.$/
  ],
  [
    "rules that are an object",
    () => ({ ...small, pspRules: { to: [] } }),
    /^pspRules: .* Give rules such as \{ max: 100, to:/
  ],
  [
    "a rule that names nobody",
    () => ({ ...small, pspRules: [{ max: 100, to: [] }] }),
    /^pspRules\[0\]\.to: Name at least one PSP\. Give rules such as/
  ],
  [
    "a rule with a PSP that has no id",
    () => ({ ...small, pspRules: [{ to: [{ psp: "efi" }] }] }),
    /^pspRules\[0\]\.to\[0\]\.psp: /
  ],
  [
    "a rule with a word that it does not have",
    () => ({ ...small, pspRules: [{ maximum: 100, to: [{ psp: bank }] }] }),
    /^pspRules\[0\]\.maximum: /
  ],
  [
    "deliveries that are kept for a text",
    () => ({ ...small, deliveriesKeptDays: "90 days" }),
    /^deliveriesKeptDays is a text: give a whole number/
  ],
  ["workers by number", () => ({ ...small, workers: 4 }), /^workers is a number: give true or/],
  ["a logger by level", () => ({ ...small, logger: "info" }), /^logger is a text: give a function/],
  [
    "an option that does not exist",
    () => ({ ...small, secert: secret }),
    /^There is no option secert: the options are storage, psp, secret,/
  ]
]

describe("wrong options", () => {
  it("that nobody foresaw are told as a PagoraError too", async () => {
    const storage = Layer.effect(StorageDriver, Effect.die(new Error("Out of luck.")))
    const error = await refusalOf(Pagora.start({ ...small, secret, storage }))
    assert.deepStrictEqual([error.code, error.message], ["CANNOT_START", "Out of luck."])
  })

  it("are not what the defaults are", async () => {
    const limits = { ...defaultRateLimits, general: undefined }
    const pagora = await Pagora.start(wrong({ ...small, rateLimits: limits, secret: undefined }))
    await pagora.stop()
  })

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
