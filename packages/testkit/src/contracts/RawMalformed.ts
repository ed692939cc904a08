import { instead, post, with_ } from "./RawFraming.ts"
import type { RawCase } from "./RawFraming.ts"

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
    bytes: (raw) => post(raw, { line: `POST {mount}/${"x".repeat(20_000)} HTTP/1.1` }),
    status: 431
  },
  {
    name: "a method that is none",
    bytes: (raw) => post(raw, { line: "PIX {mount}/pix HTTP/1.1" }),
    status: 400
  },
  {
    name: "a method in small letters",
    bytes: (raw) => post(raw, { line: "post {mount}/pix HTTP/1.1" }),
    status: 400
  },
  {
    name: "no version",
    bytes: (raw) => post(raw, { line: "POST {mount}/pix" }),
    status: 400,
    isLostInFetch: true
  },
  {
    name: "version 2.0",
    bytes: (raw) => post(raw, { line: "POST {mount}/pix HTTP/2.0" }),
    status: 400,
    isLostInFetch: true
  },
  {
    name: "version 9.9",
    bytes: (raw) => post(raw, { line: "POST {mount}/pix HTTP/9.9" }),
    status: 400,
    isLostInFetch: true
  },
  {
    name: "a version in words",
    bytes: (raw) => post(raw, { line: "POST {mount}/pix HTTP/one" }),
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
    ),
    isLostInFetch: true
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
    bytes: (raw) => post(raw, { line: "POST {mount}/pix\0 HTTP/1.1" }),
    status: 400
  },
  {
    name: "a path with an encoded NUL",
    bytes: (raw) => post(raw, { line: "GET {mount}/transactions/%00 HTTP/1.1" })
  },
  {
    name: "a path with half a percent sign",
    bytes: (raw) => post(raw, { line: "GET {mount}/transactions/%E0%A4%A HTTP/1.1" })
  },
  {
    name: "a path with bytes that are no UTF-8",
    bytes: (raw) => post(raw, { line: "GET {mount}/transactions/%FF%FE HTTP/1.1" })
  },
  {
    name: "a path up to the operator's",
    bytes: (raw) => post(raw, { line: "GET {mount}/../operator/v1/audit HTTP/1.1" })
  },
  {
    name: "a path up to the operator's, encoded",
    bytes: (raw) => post(raw, { line: "GET {mount}/%2e%2e/operator/v1/audit HTTP/1.1" })
  },
  {
    name: "a prefix that only begins alike",
    bytes: (raw) => post(raw, { line: "POST {mount}2/pix HTTP/1.1" }),
    status: 404
  },
  {
    name: "two slashes",
    bytes: (raw) => post(raw, { line: "POST /{mount}/pix HTTP/1.1" }),
    status: 404
  },
  {
    name: "a backslash",
    bytes: (raw) => post(raw, { line: "POST {mount}\\pix HTTP/1.1" }),
    status: 404,
    isLostInFetch: true
  },
  {
    name: "another method in a header",
    bytes: (raw) =>
      post(raw, { line: "GET {mount}/pix HTTP/1.1", headers: ["X-HTTP-Method-Override: POST"] }),
    status: 405
  },
  {
    name: "a TRACE",
    bytes: (raw) => post(raw, { line: "TRACE {mount}/pix HTTP/1.1" }),
    status: 405,
    isLostInFetch: true
  },
  { name: "a HEAD", bytes: (raw) => post(raw, { line: "HEAD {mount}/pix HTTP/1.1" }), status: 405 },
  {
    name: "a compressed body",
    bytes: (raw) => post(raw, { headers: ["Content-Encoding: gzip"], body: "\x1f\x8b\b" }),
    status: 400,
    isParsersOwn: true
  }
]
