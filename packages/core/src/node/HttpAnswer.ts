/** So much of an answer is read: of its head, and of its body. */
export const answerBytesMax = 16_384

/** Whether there is more to read, all was read, or it is no answer of HTTP/1. */
export type Reading = "more" | "over" | "refused"

/** What more of a body comes to; what does not end as it said it would is `broken`. */
type Body = (bytes: Buffer) => "more" | "whole" | "broken"

interface Head {
  readonly status: number
  readonly keptMillis: number
  /** Undefined where nothing follows the head. */
  readonly body: Body | undefined
}

/**
 * Reads one answer of HTTP/1.1 (RFC 9112) to its end, for its status and for whether its connection can take another
 * request. What stands in the body is thrown away. It is as strict as Node's own parser where a head can be read in two
 * ways; a body that breaks off or goes on for too long only costs the connection.
 */
export class AnswerReader {
  status: number | undefined
  /** For how long the connection may be kept for another request; 0: not at all. */
  keptMillis = 0
  private head: Buffer | undefined
  private headBytes = 0
  private body: Body | undefined
  private bodyBytes = 0

  /** Whether nothing of an answer has come yet. */
  get isUntouched(): boolean {
    return this.head === undefined && this.status === undefined
  }

  read(chunk: Buffer): Reading {
    if (this.body !== undefined) return this.readBody(this.body, chunk)
    const known = this.head?.length ?? 0
    const bytes = this.head === undefined ? chunk : Buffer.concat([this.head, chunk])
    this.head = bytes
    if (!beginsWell(bytes)) return "refused"
    const end = bytes.indexOf(headEnd, Math.max(0, known - headEnd.length + 1))
    const isTooLong = this.headBytes + (end < 0 ? bytes.length : end) > answerBytesMax
    if (isTooLong) return "refused"
    if (end < 0) return "more"
    const head = readHead(bytes.toString("latin1", 0, end))
    if (head === undefined) return "refused"
    const rest = bytes.subarray(end + headEnd.length)
    if (isInterim(head.status)) {
      this.headBytes += end + headEnd.length
      this.head = undefined
      return rest.length === 0 ? "more" : this.read(rest)
    }
    this.status = head.status
    if (head.body === undefined) {
      this.keptMillis = rest.length === 0 ? head.keptMillis : 0
      return "over"
    }
    this.keptMillis = head.keptMillis
    this.body = head.body
    return this.readBody(head.body, rest)
  }

  private readBody(body: Body, chunk: Buffer): Reading {
    this.bodyBytes += chunk.length
    const step = body(chunk)
    if (step === "whole") return "over"
    if (step === "more" && this.bodyBytes <= answerBytesMax) return "more"
    this.keptMillis = 0
    return "over"
  }
}

const headEnd = "\r\n\r\n"
const beginning = Buffer.from("HTTP/1.", "latin1")

const beginsWell = (bytes: Buffer): boolean => {
  const length = Math.min(bytes.length, beginning.length)
  return bytes.compare(beginning, 0, length, 0, length) === 0
}

/** An answer before the answer; only after 101 something else is spoken. */
const isInterim = (status: number): boolean => status < 200 && status !== 101

const statusForm = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const fieldForm = /^([!#$%&'*+\-.^_`|~\w]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/

/** The head of an answer; undefined where it can be read in two ways, or in none. */
const readHead = (text: string): Head | undefined => {
  const [first = "", ...lines] = text.split("\r\n")
  const [, minor, digits] = statusForm.exec(first) ?? []
  if (digits === undefined) return undefined
  const status = Number(digits)
  const fields = framingOf(lines)
  if (fields === undefined) return undefined
  const { coding, connection, hint, length } = fields
  if (length !== undefined && (coding !== undefined || !lengthForm.test(length))) return undefined
  const isKept = minor === "1" && status !== 101 && !/(?:^|,)\s*close\s*(?:,|$)/i.test(connection)
  const keptMillis = isKept ? keptFor(hint) : 0
  if (status === 204 || status === 304 || status === 101)
    return { status, keptMillis, body: undefined }
  if (coding !== undefined) {
    return /(?:^|,)\s*chunked\s*$/i.test(coding)
      ? { status, keptMillis, body: chunks() }
      : { status, keptMillis: 0, body: endless }
  }
  if (length === undefined) return { status, keptMillis: 0, body: endless }
  return { status, keptMillis, body: Number(length) === 0 ? ofNothing : ofLength(Number(length)) }
}

const lengthForm = /^\d{1,15}$/

interface Framing {
  length: string | undefined
  coding: string | undefined
  connection: string
  hint: string
}

/** The fields that say how long an answer is, and what becomes of its connection. */
const framingOf = (lines: ReadonlyArray<string>): Framing | undefined => {
  const framing: Framing = { length: undefined, coding: undefined, connection: "", hint: "" }
  for (const line of lines) {
    const [, name, value] = fieldForm.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    switch (name.toLowerCase()) {
      case "content-length":
        if (framing.length !== undefined) return undefined
        framing.length = value.trimEnd()
        break
      case "transfer-encoding":
        framing.coding = framing.coding === undefined ? value : `${framing.coding},${value}`
        break
      case "connection":
        framing.connection += `,${value}`
        break
      case "keep-alive":
        framing.hint = value
    }
  }
  return framing
}

/** Shorter than servers keep them open: Node.js itself closes after 5 seconds. */
const keptMillisMax = 4_000
/** What a server says of its patience is measured from when it sent it. */
const hintMarginMillis = 1_000

const keptFor = (hint: string): number => {
  const [, seconds] = /(?:^|[,;\s])timeout=(\d{1,9})/i.exec(hint) ?? []
  return seconds === undefined
    ? keptMillisMax
    : Math.max(0, Math.min(keptMillisMax, Number(seconds) * 1_000 - hintMarginMillis))
}

const ofNothing: Body = (bytes) => (bytes.length === 0 ? "whole" : "broken")

const ofLength = (length: number): Body => {
  let left = length
  return (bytes) => {
    left -= bytes.length
    return left > 0 ? "more" : left === 0 ? "whole" : "broken"
  }
}

/** It ends with the connection. */
const endless: Body = () => "more"

const sizeForm = /^([0-9a-f]{1,8})[\t ]*(?:;.*)?$/i
const lineMax = 256
const carriageReturn = 13
const lineFeed = 10

/** A body in chunks (RFC 9112, 7.1). */
const chunks = (): Body => {
  let line = ""
  let left = 0
  let place: "size" | "data" | "end of data" | "trailer" | "over" = "size"

  /** Takes a line that has ended; false where it is none. */
  const takeLine = (): boolean => {
    const taken = line.slice(0, -1)
    const isEnded = line.endsWith("\r")
    line = ""
    if (!isEnded) return false
    if (place === "trailer") {
      if (taken === "") place = "over"
      return true
    }
    if (place === "end of data") {
      place = "size"
      return taken === ""
    }
    const [, size] = sizeForm.exec(taken) ?? []
    if (size === undefined) return false
    left = Number.parseInt(size, 16)
    place = left === 0 ? "trailer" : "data"
    return true
  }

  return (bytes) => {
    for (let at = 0; at < bytes.length;) {
      if (place === "over") return "broken"
      if (place === "data") {
        const taken = Math.min(left, bytes.length - at)
        at += taken
        left -= taken
        if (left === 0) place = "end of data"
        continue
      }
      const byte = bytes[at++] ?? 0
      if (byte === lineFeed) {
        if (!takeLine()) return "broken"
      } else if (line.length >= lineMax || line.endsWith("\r")) return "broken"
      else line += byte === carriageReturn ? "\r" : String.fromCharCode(byte)
    }
    return place === "over" ? "whole" : "more"
  }
}
