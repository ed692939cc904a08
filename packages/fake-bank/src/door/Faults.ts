/**
 * What the bank can do wrong with a request:
 *
 * - `cut`: the connection ends before anything is done;
 * - `loseAnswer`: all is done, and the connection ends in the place of an answer;
 * - `status`, `html`, `xml`: an answer with `status` (500 unless told) and a body of that kind; nothing is done, unless `after`;
 * - `refuse`: refused for good, in the bank's words (400); nothing is done, unless `after`: then what was refused happens later;
 * - `tooMany`: 429 with `Retry-After`; nothing is done;
 * - `expiredToken`: all tokens end, and the answer is 401;
 * - `slow`: the answer comes `millis` late (1000 unless told) on the machine's clock; nothing is done until then, unless `after`;
 * - `lie`: a false answer where one is known: another amount, nobody paid, nothing found;
 * - `answerAnother`: the answer about the oldest other payout.
 *
 * And with a callback, whose operation is `callback`:
 *
 * - `drop`: it does not arrive, and is sent again as what was not accepted; `forget`: it is not even sent again;
 * - `loseAnswer`: it arrives, and counts as not accepted;
 * - `duplicate`: it is sent twice at once;
 * - `hold`: it waits until a later one has gone, `millis` at most;
 * - `slow`: it goes `millis` later; `lie`: it tells one centavo more.
 */
export const faultKinds = [
  "cut",
  "loseAnswer",
  "status",
  "html",
  "xml",
  "refuse",
  "tooMany",
  "expiredToken",
  "slow",
  "lie",
  "answerAnother",
  "drop",
  "forget",
  "duplicate",
  "hold"
] as const
export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  readonly kind: FaultKind
  /**
   * `token`, `createCharge`, `createChargeUnnamed`, `findCharge`, `changeCharge`, `listCharges`, `findPayment`, `listPayments`,
   * `createReturn`, `findReturn`, `setWebhook`, `findWebhook`, `removeWebhook`, `listWebhooks`, of Efí and Inter `sendPayout`,
   * `findPayout` and others that `requests` tells, or `callback`; absent: every one where the kind means something.
   */
  readonly operation?: string
  /** Strikes only what has this in its path (a callback: in its body). */
  readonly about?: string
  /** How often it still strikes; absent: for ever. */
  readonly times?: number
  /** So many are let through before the first. */
  readonly skip?: number
  /** Of each strike, drawn from the bank's seed; absent: always. */
  readonly probability?: number
  /** `status`, `html`, `xml`, `refuse`, `slow`: once all is done. */
  readonly after?: boolean
  readonly status?: number
  /** `status`: sent as JSON. */
  readonly body?: unknown
  /** `status`: sent as it is, in the place of JSON. */
  readonly text?: string
  /** `status` */
  readonly headers?: Readonly<Record<string, string>>
  /** `slow`; `hold`: it waits no longer than this (5000 unless told). */
  readonly millis?: number
  /** `tooMany`: 60 unless told. */
  readonly retryAfterSeconds?: number
}

export interface FaultBook {
  /** In the place of those before. */
  readonly set: (faults: ReadonlyArray<Fault>) => void
  readonly add: (fault: Fault) => void
  readonly clear: () => void
  /** Those that can still strike, with what is left of them. */
  readonly list: () => ReadonlyArray<Fault>
  /** How often faults of this kind have struck. */
  readonly struck: (kind: FaultKind) => number
}

export interface FaultDice extends FaultBook {
  /** What strikes now, but for `hold`. Asking counts. */
  readonly strike: (operation: string, subject: string) => ReadonlyArray<Fault>
  /** What holds a callback back now. Asking counts. */
  readonly holds: (subject: string) => Fault | undefined
}

const forCallbacks = new Set<FaultKind>([
  "drop",
  "forget",
  "loseAnswer",
  "duplicate",
  "hold",
  "slow",
  "lie"
])
const forCallbacksAlone = new Set<FaultKind>(["drop", "forget", "duplicate", "hold"])

const means = ({ about = "", kind, operation }: Fault, asked: string, subject: string): boolean =>
  (operation === undefined || operation === asked) &&
  subject.includes(about) &&
  (asked === "callback" ? forCallbacks.has(kind) : !forCallbacksAlone.has(kind))

export const makeFaults = (chance: () => number): FaultDice => {
  let faults: ReadonlyArray<Fault> = []
  const strikes = new Map<FaultKind, number>()

  const tryOne = (fault: Fault): { readonly left: Fault; readonly strikes: boolean } => {
    const { probability = 1, skip = 0, times } = fault
    if (skip > 0) return { left: { ...fault, skip: skip - 1 }, strikes: false }
    if (probability < 1 && chance() >= probability) return { left: fault, strikes: false }
    return { left: times === undefined ? fault : { ...fault, times: times - 1 }, strikes: true }
  }

  const striking = (isMeant: (fault: Fault) => boolean): ReadonlyArray<Fault> => {
    const found: Array<Fault> = []
    faults = faults.flatMap((fault) => {
      if (!isMeant(fault)) return [fault]
      const tried = tryOne(fault)
      if (tried.strikes) {
        found.push(fault)
        strikes.set(fault.kind, (strikes.get(fault.kind) ?? 0) + 1)
      }
      return tried.left.times === 0 ? [] : [tried.left]
    })
    return found
  }

  return {
    set: (all) => void (faults = all),
    add: (fault) => void (faults = [...faults, fault]),
    clear: () => void (faults = []),
    list: () => faults,
    struck: (kind) => strikes.get(kind) ?? 0,
    strike: (operation, subject) =>
      striking((fault) => fault.kind !== "hold" && means(fault, operation, subject)),
    holds: (subject) =>
      striking((fault) => fault.kind === "hold" && means(fault, "callback", subject))[0]
  }
}
