import { assert, describe, it } from "@effect/vitest"
import { AnswerReader, answerBytesMax } from "./HttpAnswer.ts"
import type { Reading } from "./HttpAnswer.ts"

const ok = "HTTP/1.1 200 OK\r\n"

interface Read {
  readonly reading: Reading
  readonly status: number | undefined
  readonly keptMillis: number
}

/** What an answer comes to, in pieces of so many bytes. */
const read = (text: string, piece = text.length): Read => {
  const reader = new AnswerReader()
  const bytes = Buffer.from(text, "latin1")
  let reading: Reading = "more"
  for (let at = 0; at < bytes.length && reading === "more"; at += piece) {
    reading = reader.read(bytes.subarray(at, at + piece))
  }
  return { reading, status: reader.status, keptMillis: reader.keptMillis }
}

const over = (status: number, keptMillis: number): Read => ({ reading: "over", status, keptMillis })
const kept = 4_000

const whole: ReadonlyArray<readonly [name: string, text: string, read: Read]> = [
  ["of a length", `${ok}Content-Length: 5\r\n\r\nhello`, over(200, kept)],
  ["of nothing", `${ok}Content-Length: 0\r\n\r\n`, over(200, kept)],
  ["without a reason", "HTTP/1.1 202\r\ncontent-length:0\r\n\r\n", over(202, kept)],
  ["without a body", "HTTP/1.1 204 No Content\r\nDate: today\r\n\r\n", over(204, kept)],
  ["not modified", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", over(304, kept)],
  [
    "in chunks",
    `${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1A; a=b\r\n${"x".repeat(26)}\r\n0\r\n\r\n`,
    over(200, kept)
  ],
  [
    "in chunks with a trailer",
    `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n`,
    over(200, kept)
  ],
  [
    "after interim ones",
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}Content-Length: 0\r\n\r\n`,
    over(200, kept)
  ],
  [
    "of a server that wants to close",
    `${ok}Connection: Keep-Alive, Close\r\nContent-Length: 0\r\n\r\n`,
    over(200, 0)
  ],
  ["of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", over(200, 0)],
  [
    "of a server with little patience",
    `${ok}Keep-Alive: timeout=3, max=9\r\nContent-Length: 0\r\n\r\n`,
    over(200, 2_000)
  ],
  [
    "of a server with none",
    `${ok}Keep-Alive: timeout=1\r\nContent-Length: 0\r\n\r\n`,
    over(200, 0)
  ],
  ["of one that speaks something else now", "HTTP/1.1 101 Up\r\nUpgrade: x\r\n\r\n", over(101, 0)]
]

const refused: ReadonlyArray<readonly [name: string, text: string]> = [
  ["another protocol", "220 smtp ready\r\n"],
  ["HTTP/2", "HTTP/2 200\r\n\r\n"],
  ["no status", "HTTP/1.1 OK\r\n\r\n"],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
  ["two lengths", `${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
  ["the same length twice", `${ok}Content-Length: 1\r\ncontent-length: 1\r\n\r\na`],
  ["a length that is none", `${ok}Content-Length: 1, 1\r\n\r\na`],
  ["a negative length", `${ok}Content-Length: -1\r\n\r\n`],
  ["a length and chunks", `${ok}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ["a field without a colon", `${ok}Content-Length\r\n\r\n`],
  ["a space before the colon", `${ok}Content-Length : 0\r\n\r\n`],
  ["a folded field", `${ok}X-A: 1\r\n Content-Length: 3\r\n\r\n`],
  ["a bare line feed", `${ok}X-A: 1\nContent-Length: 3\r\n\r\n`],
  ["a NUL", `${ok}X-A: \0\r\n\r\n`],
  ["a head that is too long", `${ok}X-Long: ${"a".repeat(answerBytesMax)}\r\n\r\n`],
  ["a head that does not end", `${ok}${"X-Long: a\r\n".repeat(answerBytesMax / 10)}`],
  ["interim answers without end", "HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000)]
]

/** Its status counts, and its connection takes no other request. */
const spoilt: ReadonlyArray<readonly [name: string, text: string]> = [
  ["more than its length", `${ok}Content-Length: 2\r\n\r\nok!`],
  ["more than nothing", `${ok}Content-Length: 0\r\n\r\n!`],
  ["a body where none can be", `HTTP/1.1 204 No Content\r\n\r\n!`],
  ["more after the last chunk", `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n!`],
  ["a chunk whose size is none", `${ok}Transfer-Encoding: chunked\r\n\r\nx\r\n`],
  ["a chunk longer than its size", `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n`],
  ["a chunk with a bare line feed", `${ok}Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n`],
  ["a body too long", `${ok}Content-Length: 99999\r\n\r\n${"x".repeat(answerBytesMax + 1)}`],
  ["a body without an end", `${ok}\r\n${"x".repeat(answerBytesMax + 1)}`],
  [
    "a coding that is not ours",
    `${ok}Transfer-Encoding: gzip\r\n\r\n${"x".repeat(answerBytesMax + 1)}`
  ]
]

describe("an answer", () => {
  for (const [name, text, expected] of whole) {
    it(`${name} is read to its end, however it comes`, () => {
      for (const piece of [text.length, 1, 2, 7])
        assert.deepStrictEqual(read(text, piece), expected)
    })
  }

  for (const [name, text] of whole) {
    it(`${name} is not over before its last byte`, () => {
      assert.strictEqual(read(text.slice(0, -1)).reading, "more")
    })
  }

  for (const [name, text] of refused) {
    it(`with ${name} is none`, () => {
      for (const piece of [text.length, 1, 7]) {
        assert.strictEqual(read(text, piece).reading, "refused")
        assert.isUndefined(read(text, piece).status)
      }
    })
  }

  for (const [name, text] of spoilt) {
    it(`with ${name} costs the connection`, () => {
      assert.deepStrictEqual(read(text), over(Number(text.slice(9, 12)), 0))
    })
  }

  it("that says nothing is untouched", () => {
    const reader = new AnswerReader()
    assert.isTrue(reader.isUntouched)
    assert.strictEqual(reader.read(Buffer.from("H")), "more")
    assert.isFalse(reader.isUntouched)
  })
})
