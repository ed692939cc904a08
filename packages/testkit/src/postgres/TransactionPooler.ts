import type { AddressInfo, Socket } from "node:net"
import { connect, createServer } from "node:net"
import { message, messagesOf, passwordOf, startupOf, text } from "./Wire.ts"

export interface PoolerOptions {
  /** Sessions with the server that all clients share. Default 2. */
  readonly sessions?: number
  /**
   * What becomes of settings that a client sends when it connects. `refuse`, the default: an error, as PgBouncer has it
   * by default. `drop`: they are gone, as with its `ignore_startup_parameters`.
   */
  readonly settings?: "refuse" | "drop"
}

/** A pooler between clients and a PostgreSQL, as PgBouncer with `pool_mode = transaction`. */
export interface TransactionPooler {
  readonly url: string
  /** How many statements clients have prepared under a name, which the next session may not know. */
  readonly namedStatements: () => number
  /** Ends the sessions with the server; the next transactions have new ones. */
  readonly reconnect: () => void
  readonly close: () => Promise<void>
}

/** What a client may say when it connects without it being a setting of its session. */
const taken = new Set(["user", "database", "application_name", "client_encoding"])

const [parseType, queryType, syncType, terminateType] = [0x50, 0x51, 0x53, 0x58]

/** A message that prepares a statement begins with its name. */
const isNaming = (asked: Buffer): boolean => asked[0] === parseType && asked[5] !== 0

const parametersIn = (body: Buffer): ReadonlyArray<readonly [string, string]> => {
  const parts = body.toString("utf8").split("\0")
  const pairs: Array<readonly [string, string]> = []
  for (let index = 0; index + 1 < parts.length && parts[index] !== ""; index += 2)
    pairs.push([parts[index] ?? "", parts[index + 1] ?? ""])
  return pairs
}

const errorOf = (code: string, words: string): Buffer =>
  message(
    "E",
    Buffer.concat([text("SFATAL"), text(`C${code}`), text(`M${words}`), Buffer.from([0])])
  )

/** A session with the server, lent to one client for one transaction. */
class ServerSession {
  readonly socket: Socket
  readonly greeting: Array<Buffer> = []
  readonly ready: Promise<void>
  client: PooledClient | undefined

  constructor(target: URL, release: (session: ServerSession) => void) {
    this.socket = connect(Number(target.port), target.hostname)
    this.socket.on("error", () => this.socket.destroy())
    let isReady = false
    this.ready = new Promise((done, fail) => {
      this.socket.once("close", () => fail(new Error("the server ended the session")))
      const take = messagesOf((received) => {
        const type = String.fromCharCode(received[0] ?? 0)
        if (!isReady) {
          if (type === "R" && received.readInt32BE(5) === 3) this.socket.write(passwordOf(target))
          else if (type === "R" && received.readInt32BE(5) !== 0)
            fail(new Error("the pooler of the tests knows no way to authenticate but a password"))
          else if (type === "E") fail(new Error(received.toString("utf8", 5)))
          else if (type === "S") this.greeting.push(Buffer.from(received))
          if (type === "Z") {
            isReady = true
            done()
          }
          return
        }
        this.client?.answer(received)
        if (type !== "Z" || this.client === undefined) return
        this.client.unanswered--
        // Only between transactions, and when nothing that was asked is left.
        if (received[5] === 0x49 && this.client.unanswered === 0) release(this)
      })
      this.socket.on("data", take)
    })
    // Whoever waits for it hears of it.
    this.ready.catch(() => undefined)
    this.socket.write(startupOf(target))
  }
}

class PooledClient {
  session: ServerSession | undefined
  unanswered = 0
  private readonly waiting: Array<Buffer> = []
  private readonly socket: Socket
  private readonly borrow: (client: PooledClient) => void

  constructor(socket: Socket, borrow: (client: PooledClient) => void) {
    this.socket = socket
    this.borrow = borrow
  }

  answer(received: Buffer): void {
    if (this.socket.writable) this.socket.write(received)
  }

  ask(asked: Buffer): void {
    if (asked[0] === terminateType) return void this.socket.end()
    if (asked[0] === syncType || asked[0] === queryType) this.unanswered++
    if (this.session !== undefined) return void this.session.socket.write(asked)
    this.waiting.push(Buffer.from(asked))
    if (this.waiting.length === 1) this.borrow(this)
  }

  lend(session: ServerSession): void {
    this.session = session
    session.client = this
    for (const asked of this.waiting.splice(0)) session.socket.write(asked)
  }
}

/** The sessions that all clients share, at most so many. */
const makeSessions = (target: URL, most: number) => {
  const all = new Set<ServerSession>()
  const idle: Array<ServerSession> = []
  const line: Array<PooledClient> = []

  const release = (session: ServerSession): void => {
    if (session.client !== undefined) session.client.session = undefined
    session.client = undefined
    const next = line.shift()
    if (next === undefined) idle.push(session)
    else next.lend(session)
  }
  const drop = (session: ServerSession): void => {
    all.delete(session)
    if (idle.includes(session)) idle.splice(idle.indexOf(session), 1)
    session.socket.destroy()
  }
  const open = async (): Promise<ServerSession> => {
    const session = new ServerSession(target, release)
    all.add(session)
    session.socket.once("close", () => drop(session))
    await session.ready
    return session
  }
  return {
    drop,
    borrow: (client: PooledClient): void => {
      const free = idle.shift()
      if (free !== undefined) return client.lend(free)
      line.push(client)
      if (all.size < most) void open().then(release, () => undefined)
    },
    leave: (client: PooledClient): void => {
      if (line.includes(client)) line.splice(line.indexOf(client), 1)
      // A transaction whose client is gone is rolled back by ending its session.
      if (client.session !== undefined) drop(client.session)
    },
    /** What the server says of itself comes from one of its sessions. */
    greeting: async (): Promise<ReadonlyArray<Buffer>> => {
      const known = [...all].find(({ greeting }) => greeting.length > 0)
      if (known !== undefined) return known.greeting
      const opened = await open()
      release(opened)
      return opened.greeting
    },
    end: (): void => {
      for (const session of all) drop(session)
    }
  }
}

/** Starts one. It discards nothing between transactions: what one client sets, the next one finds. */
export const startTransactionPooler = async (
  url: string,
  { sessions: most = 2, settings = "refuse" }: PoolerOptions = {}
): Promise<TransactionPooler> => {
  const sessions = makeSessions(new URL(url), most)
  const clients = new Set<Socket>()
  let named = 0

  const greet = async (socket: Socket, body: Buffer): Promise<void> => {
    const unknown = parametersIn(body).find(([name]) => !taken.has(name))
    if (settings === "refuse" && unknown !== undefined)
      return void socket.end(errorOf("08P01", `unsupported startup parameter: ${unknown[0]}`))
    socket.write(
      Buffer.concat([
        message("R", Buffer.from([0, 0, 0, 0])),
        ...(await sessions.greeting()),
        message("K", Buffer.alloc(8)),
        message("Z", Buffer.from("I"))
      ])
    )
  }

  const server = createServer((socket) => {
    let isStarted = false
    const client = new PooledClient(socket, sessions.borrow)
    clients.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      clients.delete(socket)
      sessions.leave(client)
    })
    const take = messagesOf(
      (received) => {
        if (isStarted) {
          if (isNaming(received)) named++
          return client.ask(received)
        }
        const version = received.readInt32BE(4)
        if (version === 80_877_103) return void socket.write("N")
        if (version === 80_877_102) return void socket.destroy()
        isStarted = true
        void greet(socket, received.subarray(8)).catch(() => socket.destroy())
      },
      () => isStarted
    )
    socket.on("data", take)
  })
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    namedStatements: () => named,
    reconnect: sessions.end,
    close: async () => {
      for (const socket of clients) socket.destroy()
      sessions.end()
      await new Promise<void>((done) => void server.close(() => done()))
    }
  }
}
