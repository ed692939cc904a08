import { connect } from "node:net"
import { message, messagesOf, passwordOf, startupOf, text } from "./Wire.ts"

/** A session with a PostgreSQL that asks for no more than a password, held until it is closed. */
export interface Session {
  /** What a statement answers, as texts; of several, all in one. */
  readonly rows: (
    statement: string
  ) => Promise<ReadonlyArray<Readonly<Record<string, string | null>>>>
  readonly close: () => void
}

type Row = Readonly<Record<string, string | null>>

const namesIn = (body: Buffer): ReadonlyArray<string> => {
  const names: Array<string> = []
  let at = 2
  for (let count = body.readInt16BE(0); count > 0; count--) {
    const end = body.indexOf(0, at)
    names.push(body.toString("utf8", at, end))
    // Table, place, type, length, modifier and format.
    at = end + 1 + 18
  }
  return names
}

const rowOf = (names: ReadonlyArray<string>, body: Buffer): Row => {
  const row: Record<string, string | null> = {}
  let at = 2
  for (const name of names) {
    const length = body.readInt32BE(at)
    at += 4
    row[name] = length < 0 ? null : body.toString("utf8", at, at + length)
    at += Math.max(0, length)
  }
  return row
}

/** The words of an error: its severity, code and message. */
const wordsOf = (body: Buffer): string =>
  body
    .toString("utf8")
    .split("\0")
    .filter((part) => /^[VCM]/.test(part))
    .map((part) => part.slice(1))
    .join(" ")

const newAnswer = () => {
  const answer = Promise.withResolvers<ReadonlyArray<Row>>()
  // A session may end while nobody waits for it.
  answer.promise.catch(() => undefined)
  return answer
}

/** Opens one. It rejects with what the server says where it refuses. */
export const openSession = async (url: string): Promise<Session> => {
  const target = new URL(url)
  const socket = connect(Number(target.port), target.hostname)
  let names: ReadonlyArray<string> = []
  let rows: Array<Row> = []
  let refused: Error | undefined
  let asking = newAnswer()
  const ended = (error: Error) => {
    refused ??= error
    asking.reject(refused)
  }
  socket.on("error", ended)
  socket.on("close", () => ended(new Error("The session has ended.")))
  socket.on(
    "data",
    messagesOf((received) => {
      const body = received.subarray(5)
      switch (String.fromCharCode(received[0] ?? 0)) {
        case "R":
          if (body.readInt32BE(0) === 3) socket.write(passwordOf(target))
          else if (body.readInt32BE(0) !== 0) socket.destroy(new Error("It asks for a password."))
          return
        case "T":
          names = namesIn(body)
          return
        case "D":
          rows.push(rowOf(names, body))
          return
        case "E":
          refused = new Error(wordsOf(body))
          return
        case "Z":
          if (refused === undefined) asking.resolve(rows)
          else asking.reject(refused)
      }
    })
  )
  socket.write(startupOf(target))
  await asking.promise
  return {
    rows: (statement) => {
      if (socket.destroyed) return Promise.reject(refused ?? new Error("The session has ended."))
      rows = []
      refused = undefined
      asking = newAnswer()
      socket.write(message("Q", text(statement)))
      return asking.promise
    },
    close: () => socket.destroy()
  }
}
