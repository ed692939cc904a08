import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { BagItem } from "../kernel/Bag.ts"
import { Bag } from "../kernel/Bag.ts"
import type { Listener } from "./Listener.ts"

/** How many requests may wait on a connection while one is answered: the last of them ends it (decision 0081). */
const waitingMax = 64
/** How long an answer may lie there without its client taking it, until the connection is cut: once to twice this. */
const answerMillisDefault = 15_000

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Turns extends BagItem {
  /** The newest that was begun. */
  running: Exchange
  isOver: boolean
  /** Too many waited: the last of them ends the connection. */
  isFull: boolean
  /** The answer that had begun when one was last looked for that is not taken. */
  seen: ServerResponse | undefined
  readonly waiting: Array<Exchange & { readonly listener: Listener }>
}

const turnsOf = new WeakMap<Socket, Turns>()

/** What was begun last on a connection, where `inTurn` watches over it. It may be over. */
export const latestOn = (socket: Socket): Exchange | undefined => turnsOf.get(socket)?.running

/**
 * Answers the requests of a connection one after the other. Node gives a listener everything that was sent at once (one
 * read of the socket is thousands of small requests) and keeps all the answers until their client reads them. Here the
 * next request begins when the answer before it was taken, and nothing more is read meanwhile. An answer that is not
 * taken in time ends its connection.
 */
export const inTurn = (listener: Listener, answerMillis = answerMillisDefault): Listener => {
  const watch = watchOver(answerMillis)
  return (request, response) => {
    const turns = turnsOf.get(request.socket)
    if (turns?.running.response === response) return listener(request, response)
    // Behind an answer that ends the connection.
    if (turns !== undefined && !request.socket.writable) return
    if (turns?.isOver === false) return wait(turns, { listener, request, response })
    takeTurn(
      turns ?? turnsOn(request.socket, { request, response }, watch),
      { request, response },
      watch
    )
    listener(request, response)
  }
}

const turnsOn = (socket: Socket, running: Exchange, watch: Watch): Turns => {
  const turns: Turns = {
    running,
    isOver: false,
    isFull: false,
    seen: undefined,
    waiting: [],
    index: -1
  }
  turnsOf.set(socket, turns)
  watch.connection(turns, socket)
  return turns
}

const wait = (turns: Turns, next: Turns["waiting"][number]): void => {
  const { waiting } = turns
  next.request.socket.pause()
  if (turns.isFull) return
  waiting.push(next)
  if (waiting.length < waitingMax) return
  turns.isFull = true
  next.response.setHeader("connection", "close")
}

const takeTurn = (turns: Turns, exchange: Exchange, watch: Watch): void => {
  const { request, response } = exchange
  const { socket } = request
  watch.begin()
  turns.running = exchange
  turns.isOver = false
  response.once("close", () => {
    const next = turns.waiting.shift()
    if (next === undefined || !socket.writable) {
      turns.isOver = true
      return
    }
    takeTurn(turns, next, watch)
    // The last one's body may be on its way still.
    if (turns.waiting.length === 0) socket.resume()
    try {
      next.listener(next.request, next.response)
    } catch {
      // Nobody is left who could be told.
      socket.destroy()
    }
  })
}

/**
 * Watches over all answers of a listener with one timer, which rests when there are none. An answer that has begun and is
 * not taken ends its connection. How long it is being made is not asked here, nor how long it waits behind an answer of the
 * host's own: until then it has no socket.
 */
const watchOver = (answerMillis: number) => {
  const watched = new Bag<Turns>()
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    let isAnyBegun = false
    for (const turns of watched) {
      const { request, response } = turns.running
      if (turns.isOver) {
        turns.seen = undefined
        continue
      }
      isAnyBegun = true
      if (turns.seen === response) request.socket.destroy()
      turns.seen = response.headersSent && response.socket !== null ? response : undefined
    }
    if (isAnyBegun) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    connection: (turns: Turns, socket: Socket): void => {
      watched.add(turns)
      socket.once("close", () => watched.remove(turns))
    },
    begin: (): void => {
      timer ??= setInterval(look, answerMillis).unref()
    }
  }
}
type Watch = ReturnType<typeof watchOver>
