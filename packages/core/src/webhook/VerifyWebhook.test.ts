import { execFileSync, spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { fileURLToPath } from "node:url"
import { Effect, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { DeliveryId } from "../kernel/Ids.ts"
import type { Hmac } from "../webhooks/Signature.ts"
import { signedHeaders } from "../webhooks/Signature.ts"
import type { VerifyOptions, WebhookErrorCode, WebhookEvent } from "./index.ts"
import { verifyWebhook, WebhookError } from "./index.ts"

const body = JSON.stringify({
  event: "payment_expired",
  eventId: "payment_expired_6f1c2f0e-4a0e-4c57-9d2d-0d6b1a2b3c4d",
  timestamp: "2026-11-20T12:00:00.000Z",
  subAccount: null,
  data: { transactionId: "6f1c2f0e-4a0e-4c57-9d2d-0d6b1a2b3c4d", amount: 10.5, note: "São João" }
})
const at = 1_795_176_000_123
const seconds = String(Math.floor(at / 1000))
const id = "019a2b3c-0000-7000-8000-00000000000d"
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const former = `whsec_${Buffer.alloc(32, 9).toString("base64")}`

const standardKey = (key: string) => Buffer.from(key.replace(/^whsec_/, ""), "base64")
const bodyMac = (key: string, of: string | Uint8Array = body) =>
  `sha256=${createHmac("sha256", key).update(of).digest("hex")}`
const standardMac = (key: string, of: string = body, time = seconds) =>
  `v1,${createHmac("sha256", standardKey(key)).update(`${id}.${time}.${of}`).digest("base64")}`

/** The spec's scheme alone. */
const plain = { "X-Service-Signature": bodyMac(secret), "X-Service-Timestamp": String(at) }
/** What the service sends. */
const both = {
  ...plain,
  "webhook-id": id,
  "webhook-timestamp": seconds,
  "webhook-signature": standardMac(secret)
}
const standard = {
  "webhook-id": id,
  "webhook-timestamp": seconds,
  "webhook-signature": standardMac(secret)
}

const verify = (options: Partial<VerifyOptions> = {}): Promise<WebhookEvent> =>
  verifyWebhook({
    body,
    headers: both,
    now: at,
    ...("secrets" in options ? {} : { secret }),
    ...options
  })

const refused = async (code: WebhookErrorCode, options: Partial<VerifyOptions>): Promise<void> => {
  const outcome = await verify(options).then(
    () => "accepted",
    (error: unknown) => (error instanceof WebhookError ? error.code : String(error))
  )
  assert.strictEqual(outcome, code)
}

const flipped = (text: string, index: number): string =>
  `${text.slice(0, index)}${String.fromCharCode(text.charCodeAt(index) ^ 1)}${text.slice(index + 1)}`

const noOpenssl = spawnSync("openssl", ["version"]).status !== 0
const noPython = spawnSync("python3", ["--version"]).status !== 0
const withOpenssl = it.skipIf(noOpenssl) // needs the openssl command
const withPython = it.skipIf(noPython) // needs the python3 command

const vectors = [
  [secret, body],
  [secret, `{"event":"x","eventId":"y","timestamp":"z","subAccount":"loja","data":{"n":"São 😀"}}`],
  [former, body.replace("10.5", "10.50")]
] as const

const openssl = (key: Uint8Array, text: string): Buffer =>
  execFileSync(
    "openssl",
    [
      "dgst",
      "-sha256",
      "-mac",
      "HMAC",
      "-macopt",
      `hexkey:${Buffer.from(key).toString("hex")}`,
      "-binary"
    ],
    { input: text }
  )

const pythonScript = `
import base64, hashlib, hmac, sys
secret, prefix, body = sys.argv[1], sys.argv[2].encode(), sys.stdin.buffer.read()
key = base64.b64decode(secret[len("whsec_"):])
print("sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest())
print("v1," + base64.b64encode(hmac.new(key, prefix + body, hashlib.sha256).digest()).decode())
`

describe("verifyWebhook", () => {
  it("answers the event, from a text and from bytes", async () => {
    const event = await verify()
    assert.deepStrictEqual(event, JSON.parse(body))
    // Told apart by its kind: this does not compile where the union does not narrow.
    if (event.event === "payment_expired") assert.strictEqual(event.data.amount, 10.5)
    assert.deepStrictEqual(await verify({ body: Buffer.from(body) }), event)
    assert.deepStrictEqual(await verify({ body: new TextEncoder().encode(body) }), event)
  })

  it("takes either scheme alone", async () => {
    for (const headers of [plain, standard]) {
      assert.strictEqual((await verify({ headers })).event, "payment_expired")
    }
  })

  withOpenssl("takes what openssl signs", async () => {
    for (const [key, text] of vectors) {
      const hex = openssl(Buffer.from(key), text).toString("hex")
      const base64 = openssl(standardKey(key), `${id}.${seconds}.${text}`).toString("base64")
      for (const headers of [
        { "x-service-signature": `sha256=${hex}` },
        { ...standard, "webhook-signature": `v1,${base64}` }
      ]) {
        const event = await verify({ body: text, headers, secrets: [key] })
        assert.deepStrictEqual(event, JSON.parse(text))
      }
    }
  })

  withPython("takes what Python signs", async () => {
    for (const [key, text] of vectors) {
      const [mine = "", theirs = ""] = execFileSync(
        "python3",
        ["-c", pythonScript, key, `${id}.${seconds}.`],
        { input: text }
      )
        .toString()
        .trim()
        .split("\n")
      for (const headers of [
        { "x-service-signature": mine },
        { ...standard, "webhook-signature": theirs }
      ]) {
        const event = await verify({ body: text, headers, secrets: [key] })
        assert.deepStrictEqual(event, JSON.parse(text))
      }
    }
  })

  it("takes the example of the Standard Webhooks specification, which is no event of ours", () =>
    refused("BODY_MALFORMED", {
      body: '{"test": 2432232314}',
      headers: {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
      },
      secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      now: 1_614_265_330_000
    }))

  it("refuses every change of one byte of the body", async () => {
    const bytes = Buffer.from(body)
    for (const headers of [plain, standard]) {
      for (let index = 0; index < bytes.length; index++) {
        const changed = Buffer.from(bytes)
        changed[index] = (changed[index] ?? 0) ^ 1
        await refused("SIGNATURE_MISMATCH", { body: changed, headers })
      }
      await refused("SIGNATURE_MISMATCH", { body: `${body} `, headers })
      await refused("SIGNATURE_MISMATCH", { body: body.slice(0, -1), headers })
      await refused("SIGNATURE_MISMATCH", { body: "", headers })
    }
  })

  it("refuses every change of one character of what is signed or signs", async () => {
    for (const name of [
      "X-Service-Signature",
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature"
    ] as const) {
      const value = both[name]
      for (let index = 0; index < value.length; index++) {
        const outcome = await verify({ headers: { ...both, [name]: flipped(value, index) } }).then(
          () => "accepted",
          ({ code }: WebhookError) => code
        )
        assert.include(["SIGNATURE_MISMATCH", "HEADER_MALFORMED"], outcome, `${name} at ${index}`)
      }
    }
  })

  it("refuses another secret, and one scheme that holds beside one that does not", async () => {
    for (const headers of [plain, standard, both]) {
      await refused("SIGNATURE_MISMATCH", { headers, secrets: [former] })
      await refused("SIGNATURE_MISMATCH", { headers, secrets: [`${secret} `] })
    }
    const wrong = { "X-Service-Signature": bodyMac(former) }
    await refused("SIGNATURE_MISMATCH", { headers: { ...both, ...wrong } })
    const other = { "webhook-signature": standardMac(former) }
    await refused("SIGNATURE_MISMATCH", { headers: { ...both, ...other } })
  })

  it("takes both secrets of a rotation, at the service's side and at the receiver's", async () => {
    const rotating = {
      ...both,
      "X-Service-Signature": bodyMac(secret),
      "X-Service-Signature-Previous": bodyMac(former),
      "webhook-signature": `${standardMac(secret)} ${standardMac(former)}`
    }
    for (const secrets of [[secret], [former], [former, secret], [secret, former]]) {
      await verify({ headers: rotating, secrets })
    }
    await verify({ secrets: [former, secret] })
    await verify({ secret, secrets: [former] })
    // The header of the former secret does not stand in for the one that is missing.
    await refused("SIGNATURE_MISSING", {
      headers: { "X-Service-Signature-Previous": bodyMac(secret) }
    })
  })

  it("takes exactly what the service sends, with one secret and while another replaces it", async () => {
    const hmac: Hmac = (key, text) =>
      Effect.sync(() => createHmac("sha256", Redacted.value(key)).update(text).digest())
    const message = {
      delivery: DeliveryId.make(id),
      event: "payment_expired",
      body,
      epochMillis: at,
      secret: Redacted.make<string>(secret)
    }
    const alone = await Effect.runPromise(signedHeaders(hmac, message))
    const rotating = { ...message, previous: Redacted.make<string>(former) }
    const replacing = await Effect.runPromise(signedHeaders(hmac, rotating))
    const requireSignedTimestamp = true
    await verify({ headers: alone, requireSignedTimestamp })
    await refused("SIGNATURE_MISMATCH", { headers: alone, secrets: [former] })
    for (const key of [secret, former]) {
      await verify({ headers: replacing, secrets: [key], requireSignedTimestamp })
    }
  })

  it("takes a secret that is no base64, by the spec's scheme", async () => {
    const chosen = "chave ção!"
    await verify({ headers: { "X-Service-Signature": bodyMac(chosen) }, secrets: [chosen] })
    await refused("SIGNATURE_MISMATCH", { headers: standard, secrets: [chosen] })
  })

  it("reads headers in any case, from Headers, Node, pairs and a Map", async () => {
    const lower = Object.fromEntries(Object.entries(both).map(([k, v]) => [k.toLowerCase(), v]))
    const upper = Object.fromEntries(Object.entries(both).map(([k, v]) => [k.toUpperCase(), v]))
    const arrays = Object.fromEntries(Object.entries(both).map(([k, v]) => [k, [v]]))
    for (const headers of [
      lower,
      upper,
      arrays,
      { ...lower, cookie: undefined, "set-cookie": ["a", "b"] },
      new Headers(both),
      Object.entries(both),
      new Map(Object.entries(both))
    ]) {
      await verify({ headers })
    }
  })

  it("refuses a header that came twice, however the host shows it", async () => {
    for (const name of Object.keys(standard)) {
      const value = standard[name as keyof typeof standard]
      await refused("HEADER_REPEATED", { headers: { ...both, [name]: [value, value] } })
      await refused("HEADER_REPEATED", { headers: { ...both, [name.toUpperCase()]: value } })
      await refused("HEADER_REPEATED", { headers: [...Object.entries(both), [name, value]] })
      const headers = new Headers(both)
      headers.append(name, value)
      await refused("HEADER_MALFORMED", { headers })
    }
    const signature = bodyMac(secret)
    await refused("HEADER_MALFORMED", {
      headers: { "x-service-signature": `${signature}, ${signature}` }
    })
    await refused("HEADER_REPEATED", {
      headers: { ...plain, "x-service-signature": bodyMac(former) }
    })
  })

  it("refuses what has no signature, or a part of one", async () => {
    await refused("SIGNATURE_MISSING", { headers: {} })
    await refused("SIGNATURE_MISSING", { headers: { "X-Service-Timestamp": String(at) } })
    for (const name of Object.keys(standard)) {
      await refused("SIGNATURE_MISSING", { headers: { ...both, [name]: undefined } })
    }
  })

  it.each([
    ["x-service-signature", ""],
    ["x-service-signature", bodyMac(secret).slice(7)],
    ["x-service-signature", bodyMac(secret).toUpperCase()],
    ["x-service-signature", `${bodyMac(secret)}00`],
    ["x-service-signature", `${bodyMac(secret)}\n`],
    ["webhook-timestamp", `${seconds}.0`],
    ["webhook-timestamp", ` ${seconds}`],
    ["webhook-timestamp", "-1"],
    ["webhook-timestamp", "NaN"],
    ["webhook-timestamp", "99999999999999999999"],
    ["webhook-id", ""],
    ["webhook-id", "a.b"],
    ["webhook-signature", ""],
    ["webhook-signature", "v1"],
    ["webhook-signature", "v1,***"]
  ])("refuses %s: %s", (name, value) =>
    refused("HEADER_MALFORMED", { headers: { ...standard, [name]: value } })
  )

  it("takes no signature of a version that it does not know", async () => {
    const unknown = standardMac(secret).replace("v1,", "v2,")
    await refused("SIGNATURE_MISMATCH", { headers: { ...standard, "webhook-signature": unknown } })
    const beside = `v1a,AAAA ${standardMac(secret)}`
    await verify({ headers: { ...standard, "webhook-signature": beside } })
  })

  it("holds a signed time against the clock, both ways", async () => {
    const signedAt = Number(seconds) * 1000
    for (const now of [signedAt - 300_000, signedAt + 300_000]) await verify({ now })
    for (const now of [signedAt - 300_001, signedAt + 300_001]) {
      await refused("TIMESTAMP_OUT_OF_TOLERANCE", { now })
      await verify({ now, toleranceSeconds: 301 })
    }
    await refused("TIMESTAMP_OUT_OF_TOLERANCE", { toleranceSeconds: Number.NaN })
    await refused("TIMESTAMP_OUT_OF_TOLERANCE", { now: Number.NaN })
    // By the machine's clock unless told.
    const outcome = await verifyWebhook({ body, headers: both, secret }).catch(
      (error) => error.code
    )
    assert.strictEqual(outcome, "TIMESTAMP_OUT_OF_TOLERANCE")
  })

  it("cannot date what signs only the body, and refuses it where the receiver says so", async () => {
    const stale = { ...plain, "X-Service-Timestamp": "1" }
    await verify({ headers: stale })
    await refused("TIMESTAMP_UNSIGNED", { headers: stale, requireSignedTimestamp: true })
    await verify({ requireSignedTimestamp: true })
  })

  it.each([[[]], [[""]], [[secret, ""]]])("refuses to work with the secrets %j", (secrets) =>
    refused("SECRET_MISSING", { secrets })
  )

  it("refuses a body that was parsed before", () =>
    refused("BODY_NOT_RAW", { body: JSON.parse(body) }))

  it.each(["", "null", "[]", "{}", '{"event":1}', "not json", body.replace('"data"', '"date"')])(
    "refuses %j, though it is signed",
    (text) =>
      refused("BODY_MALFORMED", {
        body: text,
        headers: { "x-service-signature": bodyMac(secret, text) }
      })
  )

  it("refuses bytes that are no UTF-8, though they are signed", () => {
    const bytes = Buffer.concat([
      Buffer.from(body.slice(0, -3)),
      Buffer.from([0xff]),
      Buffer.from('"}}')
    ])
    return refused("BODY_MALFORMED", {
      body: bytes,
      headers: { "x-service-signature": bodyMac(secret, bytes) }
    })
  })

  it("says neither the secret nor a signature in its errors", async () => {
    for (const headers of [{ ...both, "X-Service-Signature": bodyMac(former) }, both, {}]) {
      const error = await verify({ headers, toleranceSeconds: -1 }).catch((caught: Error) => caught)
      assert.instanceOf(error, WebhookError)
      for (const word of [secret, former, bodyMac(secret), bodyMac(former)]) {
        assert.notInclude(`${(error as Error).message}${JSON.stringify(error)}`, word)
      }
    }
  })
})

describe("@pagora/core/webhook", () => {
  it("runs without Effect, and without anything but its own files", () => {
    const entry = new URL("./index.ts", import.meta.url)
    const folder = new URL("./", import.meta.url).href
    // Node refuses here to load what is outside the folder.
    const script = `
      import { registerHooks } from "node:module"
      registerHooks({
        resolve: (specifier, context, next) => {
          const found = next(specifier, context)
          if (!found.url.startsWith(${JSON.stringify(folder)})) throw new Error("It loads " + found.url)
          return found
        }
      })
      const { verifyWebhook } = await import(${JSON.stringify(entry.href)})
      const event = await verifyWebhook(${JSON.stringify({ body, headers: both, secret, now: at })})
      process.stdout.write(event.event)
    `
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { encoding: "utf8", cwd: fileURLToPath(folder), env: { ...process.env, NODE_OPTIONS: "" } }
    )
    assert.strictEqual(stdout, "payment_expired", stderr)
    assert.strictEqual(status, 0)
  })
})
