import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { rawRequests, sendRaw as send } from "@pagora/testkit"
import type { RawCase, RawOutcome, RunningPagora } from "@pagora/testkit"
import { startOnPostgreSQL } from "./OnPostgreSQL.test-data.ts"

let end: () => Promise<void>
let pagora: RunningPagora
let token: string

beforeAll(async () => {
  ;({ end, pagora } = await startOnPostgreSQL())
  const { clientId, clientSecret } = pagora.facts
  const body = { client_id: clientId, client_secret: clientSecret }
  token = (await pagora.api("POST", "/auth", { body })).json.access_token
})

afterAll(() => end())

const sendRaw = (
  pieces: ReadonlyArray<string | Buffer>,
  options: Parameters<typeof send>[2] = {}
) => send(pagora.port, pieces, options)

const isThere = async (ref: string): Promise<boolean> => {
  const headers = { authorization: `Bearer ${token}` }
  return (await pagora.api("GET", `/transactions/${ref}`, { headers })).status !== 404
}

const assertRefused = ({ isClosed, statuses, text }: RawOutcome, name: string) => {
  for (const status of statuses) {
    assert.isAtLeast(status, 400, `${name}: ${text.slice(0, 300)}`)
    assert.isBelow(status, 500, `${name}: ${text.slice(0, 300)}`)
  }
  assert.isTrue(statuses.length > 0 || isClosed, `${name}: it hangs`)
  assert.isAtMost(statuses.length, 1, `${name}: one request, ${statuses.length} answers`)
}

const notTheirs = (line: string): RawCase => ({
  name: `${line} with a tenant's token`,
  bytes: ({ token }) => `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  status: 401
})

const groups: ReadonlyArray<readonly [name: string, cases: ReadonlyArray<RawCase>]> = [
  ["a header that must be single", rawRequests.repeated],
  ["a body of unclear length", rawRequests.framing],
  ["what is not HTTP", rawRequests.malformed],
  ["what is not there", rawRequests.elsewhere],
  [
    "what is not theirs",
    ["GET /operator/v1/audit", "POST /sandbox/v1/clock/advance"].map(notTheirs)
  ]
]

describe.each(groups)("%s", (_, cases) => {
  it.each(cases)("$name is refused, and nothing is made of it", async (one) => {
    const ref = `raw-${one.name.replaceAll(/\W/g, "-")}`
    const outcome = await sendRaw([one.bytes({ token, ref, mount: "/v2" })])
    assertRefused(outcome, one.name)
    if (one.status !== undefined)
      assert.deepStrictEqual(outcome.statuses, [one.status], outcome.text)
    if (one.code !== undefined) assert.include(outcome.text, `"code":"${one.code}"`)
    assert.isFalse(await isThere(ref))
    assert.isFalse(await isThere(`${ref}-smuggled`))
  })
})

const good = (ref: string) => {
  const body = JSON.stringify({ amount: 1, externalReference: ref })
  return (
    `POST /v2/pix HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  )
}

describe("POST /auth", () => {
  it("tells of a header that came twice in its own two fields", async () => {
    const { statuses, text } = await sendRaw([
      "POST /v2/auth HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
        "content-type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    ])
    assert.deepStrictEqual(statuses, [400])
    assert.deepStrictEqual(JSON.parse(text.slice(text.indexOf("{"))), {
      error: "Bad Request",
      message: "The header content-type must be sent once."
    })
  })
})

describe("a good request", () => {
  it("is taken byte by byte, in chunks, and one after the other on one connection", async () => {
    const bytes = await sendRaw([...good("byte-by-byte")])
    assert.deepStrictEqual(bytes.statuses, [201])
    const body = JSON.stringify({ amount: 1, externalReference: "in-chunks" })
    const chunks = [...body].map((char) => `1;ext=1\r\n${char}\r\n`).join("")
    const chunked = good("x").replace(
      /Content-Length[^]*/,
      `Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`
    )
    assert.deepStrictEqual((await sendRaw([chunked])).statuses, [201])
    const last = good("third").replace("Host: x", "Host: x\r\nConnection: close")
    const three = await sendRaw([good("first") + good("second") + last], { answers: 3 })
    assert.deepStrictEqual(three.statuses, [201, 201, 201])
    for (const ref of ["byte-by-byte", "in-chunks", "first", "second", "third"]) {
      assert.isTrue(await isThere(ref), ref)
    }
  })

  it("before a malformed one does not keep the connection from being ended", async () => {
    const outcome = await sendRaw([`${good("before")}nonsense\r\n\r\n${good("behind")}`])
    assert.isTrue(outcome.isClosed)
    assert.isAtMost(outcome.statuses.length, 2)
    for (const status of outcome.statuses) assert.include([201, 400], status)
    assert.isFalse(await isThere("behind"))
  })
})

describe("a body that stalls", () => {
  it("is answered 408 in the form of its endpoint, and its connection ends", async () => {
    const head = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
    const length = "Content-Length: 100\r\n\r\n"
    const [auth, sized, chunked] = await Promise.all(
      [
        `${head("/v2/auth")}${length}{"client_id`,
        `${head("/v2/webhook-endpoints")}${length}{"url":"htt`,
        `${head("/v2/webhook-endpoints")}Transfer-Encoding: chunked\r\n\r\nb\r\n{"url":"htt`
      ].map((sent) => sendRaw([sent], { within: 20_000 }))
    )
    for (const outcome of [auth, sized, chunked]) {
      assert.deepStrictEqual(outcome?.statuses, [408], outcome?.text)
      assert.match(outcome?.text ?? "", /^connection: close\r$/im)
      assert.notMatch(outcome?.text ?? "", /^retry-after/im)
      assert.isTrue(outcome?.isClosed)
    }
    assert.include(auth?.text, '"error":"Request Timeout"')
    for (const outcome of [sized, chunked]) {
      assert.include(outcome?.text, '"error":"RequestTimeout"')
      assert.include(outcome?.text, '"code":"REQUEST_TIMEOUT"')
    }
  }, 30_000)
})

describe("a client that takes its time, or goes away", () => {
  const half = (ref: string) => {
    const whole = good(ref)
    return whole.slice(0, whole.length - 5)
  }

  it("is cut off within its bounds, while others are served", async () => {
    const slow = Promise.all([
      // Headers that never end, a body that never ends, a body byte by byte, and nothing at all.
      sendRaw(["POST /v2/pix HTTP/1.1\r\nHost: x\r\n"], { within: 25_000 }),
      sendRaw([half("slow-body")], { within: 25_000 }),
      sendRaw([good("drip").replace(/Length: \d+/, "Length: 1000"), ..."x".repeat(30)], {
        within: 25_000,
        pause: 800
      }),
      sendRaw(
        [
          good("slow-chunk").replace(
            /Content-Length[^]*/,
            "Transfer-Encoding: chunked\r\n\r\n5\r\n{"
          )
        ],
        { within: 25_000 }
      )
    ])
    const [headers, body, drip, chunk] = await slow
    for (const [name, outcome] of Object.entries({ headers, body, drip, chunk })) {
      assert.isTrue(outcome?.isClosed, `${name} hangs`)
      assert.deepStrictEqual(outcome?.statuses, [408], name)
    }
    for (const ref of ["slow-body", "drip", "slow-chunk"]) assert.isFalse(await isThere(ref), ref)
  }, 40_000)

  it("in the middle of a body leaves nothing behind", async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const outcome = await sendRaw([half(`gone-${index}`)], { within: 20 + index })
        assert.deepStrictEqual(outcome.statuses, [])
      })
    )
    const ended = await sendRaw([half("half-closed")], { isEnding: true })
    for (const status of ended.statuses) assert.isBelow(status, 500)
    for (const ref of ["gone-0", "gone-19", "half-closed"]) assert.isFalse(await isThere(ref), ref)
    assert.strictEqual((await pagora.shop("GET", "/account")).status, 200)
  })

  it("has said nothing that was logged as a fault of ours", async () => {
    const { stderr } = pagora.output()
    assert.notMatch(stderr, /"level":"(ERROR|FATAL)"/i, stderr.slice(0, 2_000))
    const proof = await pagora.operator("GET", "/audit")
    assert.strictEqual(proof.json.ok, true)
    assert.strictEqual(proof.json.entries, 0)
  })
})
