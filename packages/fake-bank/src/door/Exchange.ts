import type { BankAccount } from "../world/BankAccount.ts"

/** A request as it came in. */
export interface Received {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Of a name that is given more than once, the first. */
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** The body, where it is JSON; undefined where it is not. */
  readonly json: unknown
}

/** A request whose sender is known. */
export interface Asked extends Received {
  /** What the path has in the places of its route's `:names`, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly account: BankAccount
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in the place of JSON. */
  readonly text?: string
}

/** Why a request is refused, before a bank's own words for it. */
export interface Problem {
  readonly status: number
  /** By the names of the Central Bank's file where it has one: `CobOperacaoInvalida`. */
  readonly type: string
  readonly detail: string
  readonly violations?: ReadonlyArray<{ readonly razao: string; readonly propriedade: string }>
  /** The bank's own word, where the answer has one and it cannot be told from `type`. */
  readonly code?: string
}

/** The ways in which banks tell a problem. */
export type ErrorShape = "problem" | "efi" | "inter" | "inter_banking" | "bb"

/** What one method of one path does. */
export interface Route {
  /** The name by which faults, findings and the log know it. */
  readonly operation: string
  readonly method: string
  /** `/v2/cob/:txid`. */
  readonly path: string
  /** It is for requests alone that have a parameter of this name. */
  readonly query?: string
  /** What a token must allow; absent where none is asked for. */
  readonly scope?: string
  /** How its problems are told, where a bank has several ways. */
  readonly errors?: ErrorShape
  /** What its body has to be, where the Central Bank's file does not say (JSON Schema). */
  readonly body?: Readonly<Record<string, unknown>>
  readonly handle: (asked: Asked) => Answer | Promise<Answer>
  /** A false answer in the place of the true one, for the fault `lie`. */
  readonly lie?: (truth: Answer, asked: Asked) => Answer
  /** The answer about something else, for the fault `answerAnother`. */
  readonly another?: (asked: Asked) => Answer
}

/** Ends a request with a problem, from wherever it is found. */
export class Refused extends Error {
  override readonly name = "Refused"
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The member of a body, undefined where it is no object. */
export const member = (body: unknown, ...names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), body)

/** The text at a place of a body, undefined where there is none. */
export const textAt = (body: unknown, ...names: ReadonlyArray<string>): string | undefined => {
  const value = member(body, ...names)
  return typeof value === "string" ? value : undefined
}
