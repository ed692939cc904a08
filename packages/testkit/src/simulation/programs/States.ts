/**
 * The state machines as whoever calls the API sees them: where each state leads in one step. A charge that has expired
 * reads `cancelled`, and completes yet where it was paid in time; one that somebody else paid comes as a deposit of its own.
 */
const machines = {
  // And a deposit that was not credited, which is failed from the first.
  charge: {
    pending: ["completed", "cancelled", "failed"],
    cancelled: ["completed", "failed"],
    completed: [],
    failed: []
  },
  withdrawal: {
    pending: ["processing", "completed", "failed"],
    processing: ["completed", "failed"],
    completed: ["reversed"],
    failed: [],
    reversed: []
  },
  // As a transaction, where a reversal is another transaction.
  payout: { pending: ["completed", "failed"], completed: [], failed: [] },
  refund: { pending: ["completed", "failed"], completed: [], failed: [] },
  transfer: { completed: [] },
  booking: { completed: [] },
  // Of money that was not credited. What was refused is tried anew by a person, or found to be paid.
  givenBack: { pending: ["confirmed", "failed"], failed: ["pending", "confirmed"], confirmed: [] },
  block: {
    awaiting_response: ["defended", "approved", "rejected"],
    defended: ["approved", "rejected"],
    approved: [],
    rejected: []
  },
  subAccount: { approved: ["suspended", "closed"], suspended: ["approved", "closed"], closed: [] },
  account: { approved: ["suspended", "closed"], suspended: ["approved", "closed"], closed: [] },
  credential: { active: ["revoked"], revoked: [] },
  discrepancy: { open: ["resolved"], resolved: [] }
} as const satisfies Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>>

export type Machine = keyof typeof machines

/** Every state that can come after one, itself included. */
const reachable = (states: Readonly<Record<string, ReadonlyArray<string>>>, from: string) => {
  const found = new Set([from])
  for (const state of found) for (const next of states[state] ?? []) found.add(next)
  return found
}

const followers: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(machines).flatMap(([machine, states]) =>
    Object.keys(states).map((state) => [`${machine} ${state}`, reachable(states, state)] as const)
  )
)

/** Whether a thing that was in one state can be in another later. A state that is not known follows nothing. */
export const follows = (machine: Machine, from: string, to: string): boolean =>
  followers.get(`${machine} ${from}`)?.has(to) === true

/** The machine of a transaction of a type. */
export const machineOf = (type: string): Machine => {
  if (type === "payment") return "charge"
  if (type === "withdrawal") return "payout"
  if (type === "refund") return "refund"
  return type === "internal_transfer" ? "transfer" : "booking"
}
