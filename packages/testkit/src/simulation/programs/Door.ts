import type { ApiCaller } from "../SimulatedRequest.ts"

/** A request of a client, without a socket. */
export interface DoorRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** What a process answered. */
export interface DoorAnswer {
  readonly status: number
  readonly headers: (name: string) => string | undefined
  readonly text: string
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown
}

/** `lost`: the process died, or its answer did. The request may be done or not. */
export type Answered = DoorAnswer | "lost"

/** Where clients call the processes of a service. */
export interface Door {
  /** Answers once; not in this turn, or in it. */
  readonly call: (
    process: number,
    caller: ApiCaller,
    request: DoorRequest,
    answered: (answer: Answered) => void
  ) => void
}

/** How somebody pays a charge. What is absent is right. */
export interface Paying {
  /** Centavos. */
  readonly amount?: number
  readonly times?: number
  /** A CNPJ, where it is a company. */
  readonly document?: string
}

/**
 * The hands of payers, and of whoever works at the banks. Things are named by their reference at the PSP: our id without its
 * hyphens. What is not there is passed over.
 */
export interface Payers {
  readonly pay: (reference: string, paying: Paying) => void
  readonly settlePayout: (reference: string, outcome: "completed" | "rejected" | "reversed") => void
  readonly settleRefund: (reference: string, outcome: "confirmed" | "rejected") => void
  /** What somebody finds who looks a payout or a return up; undefined while it is not decided. */
  readonly found: (reference: string) => "completed" | "failed" | undefined
}
