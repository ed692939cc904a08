import type { Socket } from "node:net"
import { AnswerReader } from "./HttpAnswer.ts"

/** What came of a request over a connection. */
export type Exchanged =
  | { readonly _tag: "Answered"; readonly status: number; readonly keptMillis: number }
  | { readonly _tag: "Failed"; readonly reason: "connection" | "tls" | "protocol" }
  /** The other side has closed it, or is about to; nothing of an answer has come. */
  | { readonly _tag: "Stale" }

/** What is being asked over a connection. */
interface Asking {
  readonly reader: AnswerReader
  readonly end: (exchanged: Exchanged) => void
}

/**
 * A connection that takes one request at a time. It listens once, for as long as it lasts: what comes between two requests
 * was not asked for, and ends it.
 */
export class PostConnection {
  readonly socket: Socket
  private asking: Asking | undefined
  private isShakingHands = false
  private isUsed = false

  /** `ready` is told when it is there: of TLS, when the other side has proved who it is. */
  constructor(socket: Socket, options: { readonly isTls: boolean; readonly ready: () => void }) {
    this.socket = socket
    socket.once("connect", () => {
      if (options.isTls) this.isShakingHands = true
      else options.ready()
    })
    if (options.isTls) {
      socket.once("secureConnect", () => {
        this.isShakingHands = false
        options.ready()
      })
    }
    socket.on("data", (chunk: Buffer) => this.receive(chunk))
    socket.on("end", () => this.lose())
    socket.on("error", () => this.lose())
    socket.on("close", () => this.lose())
  }

  /** Whether it can take a request. */
  get isOpen(): boolean {
    return this.asking === undefined && this.socket.writable && !this.socket.readableEnded
  }

  /** Waits for an answer from now on; `end` is told once. */
  expect(end: (exchanged: Exchanged) => void): void {
    this.asking = { reader: new AnswerReader(), end }
  }

  /** Sends a request, whose text ends where it says that it does. */
  write(text: string): void {
    this.socket.write(text, "utf8")
  }

  /** Ends it, and tells nobody. What was answered so far is the answer's status. */
  abandon(): number | undefined {
    const status = this.asking?.reader.status
    this.asking = undefined
    this.socket.destroy()
    return status
  }

  private receive(chunk: Buffer): void {
    const { asking } = this
    const reading = asking?.reader.read(chunk)
    if (asking === undefined) this.socket.destroy()
    else if (reading === "refused") this.settle(asking, { _tag: "Failed", reason: "protocol" })
    else if (reading === "over") this.settle(asking, answered(asking.reader))
  }

  /** It has broken, or the other side has said its last word. An answer that breaks off is one all the same. */
  private lose(): void {
    const { asking } = this
    if (asking === undefined) {
      this.socket.destroy()
      return
    }
    const { reader } = asking
    if (reader.status !== undefined) this.settle(asking, { ...answered(reader), keptMillis: 0 })
    else if (this.isShakingHands) this.settle(asking, { _tag: "Failed", reason: "tls" })
    else if (this.isUsed && reader.isUntouched) this.settle(asking, { _tag: "Stale" })
    else this.settle(asking, { _tag: "Failed", reason: "connection" })
  }

  private settle({ end }: Asking, exchanged: Exchanged): void {
    this.asking = undefined
    this.isUsed = true
    if (exchanged._tag !== "Answered" || exchanged.keptMillis === 0) this.socket.destroy()
    end(exchanged)
  }
}

const answered = ({ keptMillis, status = 0 }: AnswerReader) =>
  ({ _tag: "Answered", status, keptMillis }) as const
