import type { AddressInfo, Socket } from "node:net"
import { connect, createServer } from "node:net"
import type { CutDialogue, CutPoint, Snip } from "./Scissors.ts"
import { Scissors } from "./Scissors.ts"

/** After so long a server's kernel has asked a silent client often enough, and ends its session: 5 s and 5 times 2 s. */
const serverKeepAliveMillis = 15_000

/**
 * What becomes of bytes in a black hole. `lost`: they are gone, and connections of that time stay silent for ever, as
 * after a fail-over whose old server never says goodbye; the server ends its side of them by its keep-alive. `late`: they
 * are delivered when it ends, also those of somebody who hung up meanwhile, as a network does that repeats what was not
 * acknowledged.
 */
export type BlackHole = "lost" | "late"

/** Where the next message is lost, together with its connection. */
export type Cut = "question" | "answer"

/** A wire to a PostgreSQL that can be cut, and that can swallow everything while it looks open. */
export interface FaultyProxy {
  readonly url: string
  /** From now on nothing gets through, and nobody is told. */
  readonly blackHole: (kind: BlackHole) => void
  /** New connections get through again. */
  readonly heal: () => void
  /** Loses the next question before the server has it, or the next answer after the server has given it. */
  readonly cutNext: (cut: Cut) => void
  /** Cuts one dialogue at a byte of it. Answers what became of that, as soon as it is cut or over. */
  readonly cutAt: (point: CutPoint) => Promise<CutDialogue>
  /** How many connections were cut by `cutNext`. */
  readonly cuts: () => number
  /** Ends all connections, and while it is away refuses new ones. */
  readonly setAway: (isAway: boolean) => void
  /** New connections get through to another server from now on; those that there are stay. */
  readonly pointTo: (url: string) => void
  /** How many connections were made. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** Opens one, on a port of its own. */
export const startFaultyProxy = async (url: string): Promise<FaultyProxy> => {
  let target = new URL(url)
  const dial = (): Socket => connect(Number(target.port), target.hostname)
  const pairs: Array<Pair> = []
  let hole: BlackHole | undefined
  let isAway = false
  let next: Cut | undefined
  let cuts = 0
  let scissors: Scissors<Pair> | undefined
  const snip: Snipping = (pair, from, chunk) => {
    if (chunk === undefined) scissors?.lose(pair)
    else if (scissors !== undefined) return scissors.snip(pair, from, chunk)
    if (chunk === undefined || next !== (from === "client" ? "question" : "answer"))
      return { _tag: "Through" }
    next = undefined
    cuts++
    return { _tag: "Cut", bytes: 0 }
  }

  const server = createServer((client) => {
    const pair = new Pair(client, dial, snip)
    pairs.push(pair)
    if (isAway) pair.end()
    else if (hole === undefined) pair.open()
    else pair.swallow(hole)
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)

  return {
    url: through.href,
    blackHole: (kind) => {
      hole = kind
      for (const pair of pairs) pair.swallow(kind)
    },
    heal: () => {
      hole = undefined
      for (const pair of pairs) pair.deliver()
    },
    cutNext: (cut) => {
      next = cut
    },
    cutAt: (point) =>
      new Promise((done) => {
        scissors = new Scissors(point, (dialogue) => {
          scissors = undefined
          done(dialogue)
        })
      }),
    cuts: () => cuts,
    setAway: (away) => {
      isAway = away
      if (away) for (const pair of pairs) pair.end()
    },
    pointTo: (url) => {
      target = new URL(url)
    },
    connections: () => pairs.length,
    close: async () => {
      for (const pair of pairs) pair.end()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    }
  }
}

/** What is to become of a chunk of one side, undefined where that side hung up. */
type Snipping = (pair: Pair, from: "client" | "backend", chunk: Buffer | undefined) => Snip

/** A connection of a client, and the one to the server that stands behind it. */
class Pair {
  private readonly client: Socket
  private readonly dial: () => Socket
  private readonly snip: Snipping
  private backend: Socket | undefined
  private hole: BlackHole | undefined
  private readonly late: Array<readonly [from: "client" | "backend", chunk: Buffer | undefined]> =
    []

  constructor(client: Socket, dial: () => Socket, snip: Snipping) {
    this.client = client
    this.dial = dial
    this.snip = snip
    client.on("error", () => client.destroy())
    client.on("data", (chunk: Buffer) => this.pass("client", chunk))
    client.on("close", () => this.pass("client", undefined))
  }

  open(): Socket {
    const backend = this.dial()
    backend.on("error", () => backend.destroy())
    backend.on("data", (chunk: Buffer) => this.pass("backend", chunk))
    backend.on("close", () => this.pass("backend", undefined))
    this.backend = backend
    return backend
  }

  /** What was lost once is lost for this connection. */
  swallow(kind: BlackHole): void {
    if (this.hole === "lost") return
    this.hole = kind
    if (kind === "lost") setTimeout(() => this.backend?.destroy(), serverKeepAliveMillis).unref()
  }

  /** Brings what is late to where it was sent; what was lost stays lost. */
  deliver(): void {
    if (this.hole !== "late") return
    this.hole = undefined
    for (const [from, chunk] of this.late.splice(0)) this.pass(from, chunk)
  }

  end(): void {
    this.client.destroy()
    this.backend?.destroy()
  }

  private pass(from: "client" | "backend", chunk: Buffer | undefined): void {
    if (this.hole === "late") return void this.late.push([from, chunk])
    if (this.hole === "lost") return
    const snipped = this.snip(this, from, chunk)
    const to = from === "client" ? this.backend : this.client
    if (chunk !== undefined && snipped._tag === "Cut")
      return this.cut(from, to, chunk.subarray(0, snipped.bytes))
    // Who hangs up without a word, as one that is refused does, never comes to the server.
    if (chunk === undefined) return void to?.end()
    const open = to ?? this.open()
    if (open.writable) open.write(chunk)
  }

  /** The last bytes still arrive; the connection is gone for both after them. */
  private cut(from: "client" | "backend", to: Socket | undefined, last: Buffer): void {
    if (from === "client") this.client.destroy()
    else this.backend?.destroy()
    if (last.length === 0) return this.end()
    const open = to ?? this.open()
    if (open.writable) open.end(last)
  }
}
