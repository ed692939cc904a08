import type { PGlite } from "@electric-sql/pglite"
import { Duplex } from "node:stream"

const cancelRequest = 80_877_102
const terminate = 0x58

/**
 * A connection to a PGlite of this process: takes what a client would send over a socket, and gives what the
 * server would answer. All of them speak to one and the same session, so there may be only one at a time.
 */
export const wireStream = (database: PGlite): Duplex => {
  let received: Buffer = Buffer.alloc(0)
  let isStarted = false

  const answer = async (): Promise<void> => {
    for (let end = whole(); end !== undefined && end > 0; end = whole()) {
      const messages = received.subarray(0, end)
      received = received.subarray(end)
      // Not `execProtocolRaw`, which keeps all that was ever answered. What comes is a view of memory that is used again.
      await database.execProtocolRawStream(messages, {
        onRawData: (answers) => void stream.push(Buffer.from(answers))
      })
    }
  }

  /** The length of the messages that are here as a whole; undefined when the client has left. */
  const whole = (): number | undefined => {
    if (!isStarted) return startup()
    let end = 0
    while (received.length - end >= 5) {
      const length = received.readInt32BE(end + 1) + 1
      if (received.length - end < length) break
      if (received[end] === terminate) return leave()
      end += length
    }
    return end
  }

  /** The first message of a connection is the only one without a type. */
  const startup = (): number | undefined => {
    if (received.length < 8 || received.length < received.readInt32BE(0)) return 0
    if (received.readInt32BE(4) === cancelRequest) return leave()
    isStarted = true
    return received.readInt32BE(0)
  }

  const leave = (): undefined => {
    received = Buffer.alloc(0)
    stream.destroy()
    return undefined
  }

  const stream = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      answer().then(() => done(), done)
    },
    final: (done) => {
      stream.push(null)
      done()
    }
  })
  return stream
}
