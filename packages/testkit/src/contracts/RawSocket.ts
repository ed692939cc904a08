import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

/** What came back on a connection of its own. */
export interface RawOutcome {
  /** Statuses of everything that was answered on it. */
  readonly statuses: ReadonlyArray<number>
  readonly text: string
  readonly isClosed: boolean
}

const quietMillis = 50

/** Sends pieces with pauses between them, and listens until the connection ends or the time is over. */
export const sendRaw = (
  port: number,
  pieces: ReadonlyArray<string | Buffer>,
  options: {
    readonly within?: number
    readonly pause?: number
    readonly isEnding?: boolean
    readonly answers?: number
  } = {}
): Promise<RawOutcome> =>
  new Promise((done) => {
    const { answers = 1, isEnding = false, pause = 0, within = 10_000 } = options
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    let text = ""
    let quiet: NodeJS.Timeout | undefined
    const statuses = () =>
      Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))
    const outcome = (isClosed: boolean) => {
      clearTimeout(limit)
      clearTimeout(quiet)
      socket.destroy()
      done({ text, isClosed, statuses: statuses() })
    }
    const limit = setTimeout(() => outcome(false), within)
    // An answer on a connection that stays open is enough, once nothing more follows it.
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      clearTimeout(quiet)
      const isWaiting = statuses().length < answers || /^connection: close/im.test(text)
      if (!isWaiting) quiet = setTimeout(() => outcome(false), quietMillis)
    })
    socket.on("error", () => undefined)
    socket.on("close", () => outcome(true))
    socket.on("end", () => outcome(true))
    socket.on("connect", async () => {
      for (const piece of pieces) {
        if (!socket.writable) break
        socket.write(piece)
        if (pause > 0) await sleep(pause)
      }
      if (isEnding) socket.end()
    })
  })
