/** What a hostile client needs to know: who it is, and a name that its charge would have. */
export interface Raw {
  readonly token: string
  readonly ref: string
}

export interface RawCase {
  readonly name: string
  /** The bytes on the wire. */
  readonly bytes: (raw: Raw) => string | Buffer
  /** The status where only one is right; otherwise any 4xx, or a closed connection. */
  readonly status?: number
  readonly code?: string
}

const charge = (ref: string) => JSON.stringify({ amount: 1, externalReference: ref })

/** A good `POST /pix`, with headers put in or left out. */
const post = (
  { ref, token }: Raw,
  options: {
    readonly line?: string
    readonly headers?: ReadonlyArray<string>
    readonly without?: ReadonlyArray<string>
    readonly body?: string
  } = {}
): string => {
  const { body = charge(ref), headers = [], line = "POST /v2/pix HTTP/1.1", without = [] } = options
  const all = [
    "Host: 127.0.0.1",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`
  ].filter((header) => !without.some((name) => header.startsWith(`${name}:`)))
  return `${[line, ...all, ...headers].join("\r\n")}\r\n\r\n${body}`
}

const with_ =
  (...headers: ReadonlyArray<string>) =>
  (raw: Raw) =>
    post(raw, { headers })

const instead =
  (name: string, ...headers: ReadonlyArray<string>) =>
  (raw: Raw) =>
    post(raw, { headers, without: [name] })

const chunked = (raw: Raw, body: string, ...headers: ReadonlyArray<string>) =>
  post(raw, {
    body,
    without: ["Content-Length"],
    headers: ["Transfer-Encoding: chunked", ...headers]
  })

const oneChunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`

/** Headers that must come once: two readers may disagree which of two counts. */
export const repeated: ReadonlyArray<RawCase> = (
  [
    {
      name: "Authorization twice",
      bytes: (raw) => post(raw, { headers: [`Authorization: Bearer ${raw.token}`] })
    },
    { name: "Authorization twice, one of them false", bytes: with_("Authorization: Bearer x") },
    { name: "Authorization twice, in two cases", bytes: with_("AUTHORIZATION: Bearer x") },
    {
      name: "X-Sub-Account twice",
      bytes: with_("X-Sub-Account: principal", "X-Sub-Account: loja-1")
    },
    {
      name: "X-Sub-Account twice, the same",
      bytes: with_("X-Sub-Account: principal", "x-sub-account: principal")
    },
    { name: "Content-Type twice", bytes: with_("Content-Type: text/plain") },
    {
      name: "Idempotency-Key twice",
      bytes: with_("Idempotency-Key: 12345678", "Idempotency-Key: 87654321")
    },
    { name: "Host twice", bytes: with_("Host: evil.example.com") }
  ] satisfies ReadonlyArray<RawCase>
).map((one) => ({ ...one, status: 400, code: "DUPLICATE_HEADER" }))

const smuggled = ({ ref, token }: Raw) => post({ ref: `${ref}-smuggled`, token })

/** Requests that two parsers could cut at different places. */
export const framing: ReadonlyArray<RawCase> = [
  {
    name: "Content-Length twice, the same",
    bytes: (raw) => post(raw, { headers: [`Content-Length: ${charge(raw.ref).length}`] }),
    status: 400
  },
  { name: "Content-Length twice, different", bytes: with_("Content-Length: 5"), status: 400 },
  {
    name: "Content-Length as a list",
    bytes: instead("Content-Length", "Content-Length: 5, 5"),
    status: 400
  },
  {
    name: "Content-Length below zero",
    bytes: instead("Content-Length", "Content-Length: -1"),
    status: 400
  },
  {
    name: "Content-Length with a plus",
    bytes: instead("Content-Length", "Content-Length: +5"),
    status: 400
  },
  {
    name: "Content-Length in hexadecimal",
    bytes: instead("Content-Length", "Content-Length: 0x10"),
    status: 400
  },
  {
    name: "Content-Length with a fraction",
    bytes: instead("Content-Length", "Content-Length: 5.0"),
    status: 400
  },
  {
    name: "Content-Length empty",
    bytes: instead("Content-Length", "Content-Length:"),
    status: 400
  },
  {
    name: "Content-Length beyond 64 bits",
    bytes: instead("Content-Length", "Content-Length: 99999999999999999999"),
    status: 400
  },
  {
    name: "Content-Length of a gigabyte",
    bytes: instead("Content-Length", "Content-Length: 1073741824"),
    status: 413,
    code: "PAYLOAD_TOO_LARGE"
  },
  {
    name: "Content-Length and Transfer-Encoding",
    bytes: (raw) =>
      post(raw, { headers: ["Transfer-Encoding: chunked"], body: `0\r\n\r\n${smuggled(raw)}` }),
    status: 400
  },
  {
    name: "Transfer-Encoding and Content-Length",
    bytes: (raw) =>
      post(raw, {
        without: ["Content-Length"],
        headers: ["Transfer-Encoding: chunked", "Content-Length: 4"],
        body: `5c\r\n${smuggled(raw)}\r\n0\r\n\r\n`
      }),
    status: 400
  },
  {
    name: "Transfer-Encoding twice",
    bytes: (raw) => chunked(raw, oneChunk(charge(raw.ref)), "Transfer-Encoding: chunked")
  },
  {
    name: "Transfer-Encoding identity",
    bytes: instead("Content-Length", "Transfer-Encoding: identity")
  },
  {
    name: "Transfer-Encoding xchunked",
    bytes: instead("Content-Length", "Transfer-Encoding: xchunked")
  },
  {
    name: "Transfer-Encoding chunked, identity",
    bytes: instead("Content-Length", "Transfer-Encoding: chunked, identity")
  },
  {
    name: "Transfer-Encoding with a space before the colon",
    bytes: with_("Transfer-Encoding : chunked"),
    status: 400
  },
  {
    name: "a chunk without a size",
    bytes: (raw) => chunked(raw, "\r\nx\r\n0\r\n\r\n"),
    status: 400
  },
  {
    name: "a chunk of a size below zero",
    bytes: (raw) => chunked(raw, "-1\r\nx\r\n0\r\n\r\n"),
    status: 400
  },
  {
    name: "a chunk of a size in words",
    bytes: (raw) => chunked(raw, "ten\r\nx\r\n0\r\n\r\n"),
    status: 400
  },
  {
    name: "a chunk beyond 64 bits",
    bytes: (raw) => chunked(raw, "fffffffffffffffff\r\nx\r\n0\r\n\r\n"),
    status: 400
  },
  {
    name: "a chunk that is longer than it says",
    bytes: (raw) => chunked(raw, `3\r\n${charge(raw.ref)}\r\n0\r\n\r\n`),
    status: 400
  },
  {
    name: "a chunk with an endless extension",
    bytes: (raw) => chunked(raw, `1;${"x".repeat(70_000)}\r\n{\r\n0\r\n\r\n`)
  },
  {
    name: "chunks of more than 64 KiB in all",
    bytes: (raw) =>
      chunked(raw, `${"1000\r\n".concat("x".repeat(4_096), "\r\n").repeat(20)}0\r\n\r\n`),
    status: 413
  },
  {
    name: "a chunk that ends in a bare line feed",
    bytes: (raw) => chunked(raw, `1\n{\n0\n\n`),
    status: 400
  },
  {
    name: "trailers that name who is asking",
    bytes: (raw) =>
      chunked({ ...raw, token: "x" }, `2\r\n{}\r\n0\r\nAuthorization: Bearer ${raw.token}\r\n\r\n`),
    status: 401
  }
]

/** Headers and request lines that are not what HTTP allows. */
export const malformed: ReadonlyArray<RawCase> = [
  { name: "a folded header", bytes: with_("X-Folded: one", " two") },
  {
    name: "a folded Authorization",
    bytes: (raw) =>
      post(raw, { without: ["Authorization"], headers: ["Authorization: Bearer", ` ${raw.token}`] })
  },
  {
    name: "a folded line before the first header",
    bytes: (raw) => post(raw).replace("\r\n", "\r\n folded\r\n")
  },
  {
    name: "a bare carriage return in a header",
    bytes: with_("X-Bare: one\rX-Sub-Account: principal"),
    status: 400
  },
  { name: "a NUL in a header", bytes: with_("X-Nul: a\0b"), status: 400 },
  { name: "a space before a colon", bytes: with_("X-Space : a"), status: 400 },
  { name: "a header without a name", bytes: with_(": value"), status: 400 },
  { name: "a header without a colon", bytes: with_("nonsense"), status: 400 },
  { name: "a name with a bracket", bytes: with_("X-(Name): a"), status: 400 },
  { name: "a name outside ASCII", bytes: with_("X-Ação: a"), status: 400 },
  {
    name: "an Authorization outside ASCII",
    bytes: instead("Authorization", "Authorization: Bearer çãé"),
    status: 401
  },
  { name: "bare line feeds only", bytes: (raw) => post(raw).replaceAll("\r\n", "\n") },
  { name: "no Host", bytes: (raw) => post(raw, { without: ["Host"] }), status: 400 },
  { name: "headers of 20 KB", bytes: with_(`X-Long: ${"x".repeat(20_000)}`), status: 431 },
  {
    name: "2,000 headers of 20 KB",
    bytes: with_(...Array.from({ length: 2_000 }, (_, n) => `X-${n}: ${n}`)),
    status: 431
  },
  {
    name: "a token of 12 KB",
    bytes: instead("Authorization", `Authorization: Bearer ${"a".repeat(12_000)}`),
    status: 401
  },
  {
    name: "a URL of 20 KB",
    bytes: (raw) => post(raw, { line: `POST /v2/${"x".repeat(20_000)} HTTP/1.1` }),
    status: 431
  },
  {
    name: "a method that is none",
    bytes: (raw) => post(raw, { line: "PIX /v2/pix HTTP/1.1" }),
    status: 400
  },
  {
    name: "a method in small letters",
    bytes: (raw) => post(raw, { line: "post /v2/pix HTTP/1.1" }),
    status: 400
  },
  { name: "no version", bytes: (raw) => post(raw, { line: "POST /v2/pix" }), status: 400 },
  {
    name: "version 2.0",
    bytes: (raw) => post(raw, { line: "POST /v2/pix HTTP/2.0" }),
    status: 400
  },
  {
    name: "version 9.9",
    bytes: (raw) => post(raw, { line: "POST /v2/pix HTTP/9.9" }),
    status: 400
  },
  {
    name: "a version in words",
    bytes: (raw) => post(raw, { line: "POST /v2/pix HTTP/one" }),
    status: 400
  },
  { name: "the preface of HTTP/2", bytes: () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" },
  { name: "a TLS hello", bytes: () => Buffer.from("16030100a5010000a10303", "hex") },
  {
    name: "bytes of every value",
    bytes: () => Buffer.from(Array.from({ length: 256 }, (_, n) => n))
  },
  { name: "another protocol", bytes: () => "SSH-2.0-OpenSSH_9.6\r\n" },
  { name: "a CONNECT", bytes: () => "CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: x\r\n\r\n" },
  {
    name: "an Upgrade to a websocket",
    bytes: with_(
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Key: eA==",
      "Sec-WebSocket-Version: 13",
      "Content-Type: text/plain"
    )
  },
  { name: "an expectation that nobody meets", bytes: with_("Expect: money"), status: 417 }
]

/** Well-formed requests for what is not there, or not theirs. */
export const elsewhere: ReadonlyArray<RawCase> = [
  {
    name: "OPTIONS of everything",
    bytes: (raw) => post(raw, { line: "OPTIONS * HTTP/1.1" }),
    status: 404
  },
  {
    name: "a path with a NUL",
    bytes: (raw) => post(raw, { line: "POST /v2/pix\0 HTTP/1.1" }),
    status: 400
  },
  {
    name: "a path with an encoded NUL",
    bytes: (raw) => post(raw, { line: "GET /v2/transactions/%00 HTTP/1.1" })
  },
  {
    name: "a path with half a percent sign",
    bytes: (raw) => post(raw, { line: "GET /v2/transactions/%E0%A4%A HTTP/1.1" })
  },
  {
    name: "a path with bytes that are no UTF-8",
    bytes: (raw) => post(raw, { line: "GET /v2/transactions/%FF%FE HTTP/1.1" })
  },
  {
    name: "a path up to the operator's",
    bytes: (raw) => post(raw, { line: "GET /v2/../operator/v1/audit HTTP/1.1" })
  },
  {
    name: "a path up to the operator's, encoded",
    bytes: (raw) => post(raw, { line: "GET /v2/%2e%2e/operator/v1/audit HTTP/1.1" })
  },
  {
    name: "the operator's path with a tenant's token",
    bytes: (raw) => post(raw, { line: "GET /operator/v1/audit HTTP/1.1", body: "" }),
    status: 401
  },
  {
    name: "the sandbox's path with a tenant's token",
    bytes: (raw) => post(raw, { line: "POST /sandbox/v1/clock/advance HTTP/1.1" }),
    status: 401
  },
  {
    name: "a prefix that only begins alike",
    bytes: (raw) => post(raw, { line: "POST /v22/pix HTTP/1.1" }),
    status: 404
  },
  {
    name: "two slashes",
    bytes: (raw) => post(raw, { line: "POST //v2/pix HTTP/1.1" }),
    status: 404
  },
  {
    name: "a backslash",
    bytes: (raw) => post(raw, { line: "POST /v2\\pix HTTP/1.1" }),
    status: 404
  },
  {
    name: "another method in a header",
    bytes: (raw) =>
      post(raw, { line: "GET /v2/pix HTTP/1.1", headers: ["X-HTTP-Method-Override: POST"] }),
    status: 405
  },
  { name: "a TRACE", bytes: (raw) => post(raw, { line: "TRACE /v2/pix HTTP/1.1" }), status: 405 },
  { name: "a HEAD", bytes: (raw) => post(raw, { line: "HEAD /v2/pix HTTP/1.1" }), status: 405 },
  {
    name: "a compressed body",
    bytes: (raw) => post(raw, { headers: ["Content-Encoding: gzip"], body: "\x1f\x8b\b" }),
    status: 400
  }
]
