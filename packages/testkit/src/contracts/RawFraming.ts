/** What a hostile client needs to know: who it is, and a name that its charge would have. */
export interface Raw {
  readonly token: string
  readonly ref: string
  /** Where the service is mounted, without a slash at the end. */
  readonly mount: string
}

export interface RawCase {
  readonly name: string
  /** The bytes on the wire. */
  readonly bytes: (raw: Raw) => string | Buffer
  /** The status where only one is right; otherwise any 4xx, or a closed connection. */
  readonly status?: number
  readonly code?: string
  /** Told from what only Node's own request shows; a host that makes a `Request` of it has lost that. */
  readonly isLostInFetch?: boolean
  /** A parser of the host answers it in its own way, or waits for what never comes; it is not told to us. */
  readonly isParsersOwn?: boolean
}

export const charge = (ref: string) => JSON.stringify({ amount: 1, externalReference: ref })

/** A good `POST /pix`, with headers put in or left out. */
export const post = (
  { mount, ref, token }: Raw,
  options: {
    /** The request line; `{mount}` in it is where the service is mounted. */
    readonly line?: string
    readonly headers?: ReadonlyArray<string>
    readonly without?: ReadonlyArray<string>
    readonly body?: string
  } = {}
): string => {
  const {
    body = charge(ref),
    headers = [],
    line = "POST {mount}/pix HTTP/1.1",
    without = []
  } = options
  const all = [
    "Host: 127.0.0.1",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`
  ].filter((header) => !without.some((name) => header.startsWith(`${name}:`)))
  return `${[line.replace("{mount}", mount), ...all, ...headers].join("\r\n")}\r\n\r\n${body}`
}

export const with_ =
  (...headers: ReadonlyArray<string>) =>
  (raw: Raw) =>
    post(raw, { headers })

export const instead =
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
).map((one) => ({ ...one, status: 400, code: "DUPLICATE_HEADER", isLostInFetch: true }))

const smuggled = (raw: Raw) => post({ ...raw, ref: `${raw.ref}-smuggled` })

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
    code: "PAYLOAD_TOO_LARGE",
    isParsersOwn: true
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
