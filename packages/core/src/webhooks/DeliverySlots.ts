import type { Uuid } from "../kernel/Ids.ts"
import type { Claim } from "../ports/StorageDriver.ts"
import type { SendOutcome } from "../ports/WebhookTransport.ts"
import type { Pace } from "./Paces.ts"
import { isSlow, paceAfter, paces } from "./Paces.ts"

/** How many sends of one line are on their way at once, in this process. */
export interface SlotLimits {
  readonly all: number
  /** Those of all endpoints of one account; over all processes. */
  readonly ofAccount: number
  /** Those of all endpoints that are known to be slow. */
  readonly ofSlow: number
  /** Those of all endpoints of one account that are known to be slow. */
  readonly ofSlowInAccount: number
}

interface Known extends Pace {
  readonly account: Uuid
}

type Bounds = NonNullable<Claim["bounds"]>

const add = (counts: Map<Uuid, number>, id: Uuid, by: number) => {
  const count = (counts.get(id) ?? 0) + by
  if (count > 0) counts.set(id, count)
  else counts.delete(id)
}

/** The slow ones that get no slot now, because others of them have all that there are. */
const slowToShut = (
  limits: SlotLimits,
  known: ReadonlyMap<Uuid, Known>,
  takenOf: ReadonlyMap<Uuid, number>
): ReadonlySet<Uuid> => {
  const slow = [...known].filter(([, pace]) => isSlow(pace))
  const inAccount = new Map<Uuid, number>()
  let slots = limits.ofSlow
  for (const [endpoint, { account }] of slow) {
    const count = takenOf.get(endpoint) ?? 0
    slots -= count
    add(inAccount, account, count)
  }
  return new Set(
    slow.flatMap(([endpoint, { account }]) => {
      if (takenOf.has(endpoint)) return []
      if (slots <= 0 || (inAccount.get(account) ?? 0) >= limits.ofSlowInAccount) return [endpoint]
      slots--
      add(inAccount, account, 1)
      return []
    })
  )
}

/** Who is in the slots, and how many each endpoint may have. */
export const makeSlots = (limits: SlotLimits) => {
  const takenOf = new Map<Uuid, number>()
  const takenOfAccount = new Map<Uuid, number>()
  const accountOf = new Map<Uuid, Uuid>()
  // In the order in which they were last done, so that slow ones take turns.
  const known = new Map<Uuid, Known>()
  let taken = 0
  let shut: ReadonlySet<Uuid> = new Set()

  const slotsOf = (endpoint: Uuid): number => Math.floor(known.get(endpoint)?.slots ?? paces.first)

  const forget = (nowMillis: number) => {
    for (const [endpoint, { lastMillis }] of known) {
      if (takenOf.has(endpoint)) continue
      if (nowMillis - lastMillis < paces.keptMillis && known.size <= paces.known) return
      known.delete(endpoint)
    }
  }

  return {
    /** How many sends may begin. */
    free: () => limits.all - taken,
    isIdle: () => taken === 0,
    /** How a claim is bound. */
    bounds: (nowMillis: number): Bounds => {
      forget(nowMillis)
      shut = slowToShut(limits, known, takenOf)
      return [...known.keys()].flatMap((group) => {
        const max = shut.has(group) ? 0 : slotsOf(group)
        return max === paces.first ? [] : [{ group, max }]
      })
    },
    enter: (endpoint: Uuid, account: Uuid) => {
      taken++
      accountOf.set(endpoint, account)
      add(takenOf, endpoint, 1)
      add(takenOfAccount, account, 1)
    },
    leave: (endpoint: Uuid, account: Uuid, outcome: SendOutcome | undefined, nowMillis: number) => {
      taken--
      add(takenOf, endpoint, -1)
      if (!takenOf.has(endpoint)) accountOf.delete(endpoint)
      add(takenOfAccount, account, -1)
      if (outcome === undefined) return
      const pace = known.get(endpoint) ?? { slots: paces.first, lastMillis: nowMillis }
      known.delete(endpoint)
      known.set(endpoint, { ...paceAfter(pace, outcome, nowMillis), account })
    },
    /** The endpoints whose sends make room by their end, as it is now: more may be waiting for it. */
    full: (): ReadonlySet<Uuid> =>
      new Set(
        [...takenOf].flatMap(([endpoint, count]) => {
          const pace = known.get(endpoint)
          const isFull =
            count >= slotsOf(endpoint) ||
            (takenOfAccount.get(accountOf.get(endpoint) ?? endpoint) ?? 0) >= limits.ofAccount ||
            (shut.size > 0 && pace !== undefined && isSlow(pace))
          return isFull ? [endpoint] : []
        })
      )
  }
}
