import type { Answered, DoorAnswer } from "./Door.ts"
import type { Fields } from "./Json.ts"

/** A pair of names that tokens are asked for with, and the token at hand. */
export interface KnownCredential {
  readonly id: string
  readonly secret: string
  /** It may do everything, and act on sub-accounts. */
  readonly isFull: boolean
  /** Somebody asked for its end: it is not used any more. */
  isRevoked: boolean
  /** And that was acknowledged: nothing may be answered to it any more. */
  isGone?: boolean
  token?: { readonly text: string; readonly since: number }
}

/** Something to be asked of the service, until there is an answer. */
export interface Ask {
  /** What coverage calls it: the kind of the operation, mostly. */
  readonly name: string
  /** The operation that it belongs to; -1 before the first. */
  readonly operation: number
  /** The place of the shop; -1 of the operator's own requests. */
  readonly shop: number
  readonly wallet: string
  readonly as: "tenant" | "operator"
  /** The process that is asked first. */
  readonly process: number
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly body?: Fields
  /** Sent as it is, instead of a body. */
  readonly raw?: string
  readonly key?: string
  /** When the key was first sent, where another request did so. */
  readonly keySince?: number
  /** What nothing else bears: what is found under it was made by this. */
  readonly reference?: string
  /** What it is about: the id of the charge, block and so on. */
  readonly subject?: string
  /** Centavos that it asks for, or moves. */
  readonly amount?: number
  readonly credential?: KnownCredential
  /** The account for which the program itself asks, by a method of `Pagora.start`: without a token. */
  readonly inProcess?: string
  /** Instead of that of the credential, whatever is answered. */
  readonly authorization?: string
  /** It is asked until it is answered, faults or not. */
  readonly isSetup?: boolean
}

/** One try, and what was answered. The numbers are places in the order of all that happened to clients. */
export interface Told {
  readonly from: number
  readonly to: number
  /** True time. */
  readonly fromAt: number
  readonly at: number
  readonly process: number
  readonly answer: Answered
}

/**
 * - `open`: nothing definite was answered yet;
 * - `done`: acknowledged;
 * - `refused`: every try was definitely refused, so that nothing was done and never will be;
 * - `unknown`: nobody will ask again, and it may be done or not.
 */
export type Outcome = "open" | "done" | "refused" | "unknown"

/** What was asked, and everything that was answered. */
export interface Asked extends Ask {
  readonly began: number
  readonly beganAt: number
  readonly told: Array<Told>
  outcome: Outcome
  ended: number
}

/** Whether an answer says that it was done. */
export const isDone = (answer: Answered): answer is DoorAnswer =>
  answer !== "lost" && answer.status >= 200 && answer.status < 300

/** Whether an answer is what an earlier request with the same key was told. */
export const isReplay = (answer: DoorAnswer): boolean =>
  answer.headers("idempotent-replayed") === "true"

/** The answer that acknowledged it. */
export const acknowledgement = ({ told }: Asked): DoorAnswer | undefined =>
  told.map(({ answer }) => answer).find(isDone)

/** What was answered last; undefined where that was nothing. */
export const lastAnswer = ({ told }: Asked): DoorAnswer | undefined => {
  const last = told.at(-1)?.answer
  return last === undefined || last === "lost" ? undefined : last
}
