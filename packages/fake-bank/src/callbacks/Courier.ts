import { setTimeout as sleep } from "node:timers/promises"
import type { FaultDice, FaultKind } from "../door/Faults.ts"
import type { BankClock } from "../world/BankClock.ts"
import type { Posted, PostOptions } from "./Post.ts"
import { post } from "./Post.ts"

/** What a bank tells a customer. */
export interface NewCallback {
  /** `pix`, or another of the bank's own kinds. */
  readonly kind: string
  readonly url: string
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The same, telling one centavo more: for the fault `lie`. */
  readonly misquoted?: unknown
}

/** A callback and what became of it. */
export interface Callback extends NewCallback {
  readonly id: string
  readonly createdAt: Date
  readonly tries: Array<CallbackTry>
  /** `waiting`: it is sent again later. `given_up`: it is not. */
  state: "sending" | "waiting" | "accepted" | "given_up"
}

export type CallbackTry = Posted & { readonly at: Date }

/** How a bank sends its callbacks, as data. */
export interface CallbackPolicy {
  /** Seconds from each try that was not accepted to the next one. */
  readonly retryAfterSeconds: ReadonlyArray<number>
  readonly timeoutMillis: number
}

export interface Courier {
  readonly send: (callback: NewCallback) => void
  /** All that there were, in their order. */
  readonly all: ReadonlyArray<Callback>
  /** When nothing is on its way any more. What waits for its next try is not on its way. */
  readonly idle: () => Promise<void>
}

export interface CourierOptions {
  readonly clock: BankClock
  readonly faults: FaultDice
  readonly nextId: () => string
  readonly policy: CallbackPolicy
  /** What proves the sender, of the very bytes of a body; nothing, unless told. */
  readonly sign?: (body: string) => Readonly<Record<string, string>>
  /** With which certificate, and whom it trusts. */
  readonly connection: () => Pick<PostOptions, "certificate" | "trust">
}

const holdMillisUnlessTold = 5000

export const makeCourier = (options: CourierOptions): Courier => {
  const { clock, faults, nextId, policy } = options
  const all: Array<Callback> = []
  const underway = new Set<Promise<void>>()
  let held: ReadonlyArray<Callback> = []

  const attempt = async (callback: Callback): Promise<void> => {
    callback.state = "sending"
    const { fate, posted } = await tryOnce(options, callback)
    callback.tries.push({ ...posted, at: clock.now() })
    const wait = policy.retryAfterSeconds[callback.tries.length - 1]
    if (fate === "accepted") callback.state = "accepted"
    else if (fate === "forgotten" || wait === undefined) callback.state = "given_up"
    else {
      callback.state = "waiting"
      clock.later(wait * 1000, () => attempt(callback))
    }
  }

  const background = (work: Promise<void>) => {
    underway.add(work)
    void work.finally(() => underway.delete(work))
  }

  const release = async () => {
    const waiting = held
    held = []
    for (const each of waiting) await attempt(each)
  }

  /** Those that were held back go once a later one has. */
  const inOrder = async (callback: Callback) => {
    await attempt(callback)
    await release()
  }

  const hold = (callback: Callback, millis = holdMillisUnlessTold) => {
    held = [...held, callback]
    setTimeout(() => background(release()), millis).unref()
  }

  return {
    all,
    send: (told) => {
      const createdAt = clock.now()
      const callback: Callback = { ...told, id: nextId(), createdAt, tries: [], state: "sending" }
      all.push(callback)
      const holding = faults.holds(JSON.stringify(told.body))
      if (holding === undefined) background(inOrder(callback))
      else hold(callback, holding.millis)
    },
    idle: async () => {
      while (underway.size > 0) await Promise.all(underway)
    }
  }
}

interface Tried {
  readonly posted: Posted
  readonly fate: "accepted" | "not_accepted" | "forgotten"
}

const undelivered: Posted = { failure: "A fault kept it from arriving." }

/** Sends it once, as far as the faults let it. */
const tryOnce = async (options: CourierOptions, callback: Callback): Promise<Tried> => {
  const { connection, faults, policy, sign } = options
  const striking = faults.strike("callback", JSON.stringify(callback.body))
  const has = (kind: FaultKind) => striking.some((fault) => fault.kind === kind)
  if (has("forget")) return { posted: undelivered, fate: "forgotten" }
  if (has("drop")) return { posted: undelivered, fate: "not_accepted" }
  const slow = striking.find(({ kind }) => kind === "slow")
  if (slow !== undefined) await sleep(slow.millis ?? 1000)
  const { body, headers, misquoted = body, url } = callback
  const text = JSON.stringify(has("lie") ? misquoted : body)
  const request = {
    ...connection(),
    url,
    body: text,
    timeoutMillis: policy.timeoutMillis,
    headers: { ...headers, ...sign?.(text) }
  }
  const twin = has("duplicate") ? post(request) : undefined
  const posted = await post(request)
  await twin
  const isTaken = "status" in posted && posted.status >= 200 && posted.status < 300
  return { posted, fate: isTaken && !has("loseAnswer") ? "accepted" : "not_accepted" }
}
