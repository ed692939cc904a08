import {
  bankMethods,
  callFaults,
  canMeet,
  lieReasons,
  moneyFaults,
  noticeFaults
} from "./banks/index.ts"
import { expectedCells } from "./programs/Cells.ts"
import { noReceiverTroubles } from "./Receivers.ts"
import { noTroubles } from "./StorageLink.ts"

/** So many simulations reach everything there is to reach. */
export const wholeFrom = 1_000

const ofBanks = [
  ...bankMethods.flatMap((method) =>
    callFaults
      .filter((fault) => canMeet(method, fault))
      .map((fault) => `fault: bank ${fault} of ${method}`)
  ),
  ...noticeFaults.map((fault) => `fault: bank notice ${fault}`),
  ...moneyFaults.map((fault) => `fault: bank ${fault}`),
  ...Object.keys(lieReasons).map((lie) => `lie: ${lie}`)
]

const ofStorage = Object.keys(noTroubles).flatMap((trouble) => [
  `fault: storage ${trouble} read`,
  `fault: storage ${trouble} write`
])

const ofReceivers = Object.keys(noReceiverTroubles).map((trouble) => `fault: receiver ${trouble}`)

const ofMachines = [
  "client: a method of the program",
  "fault: crash",
  "fault: crash before a call",
  "fault: crash after a call",
  "fault: pause",
  "fault: pause at a write",
  "fault: night",
  "fault: clock ahead",
  "fault: clock back",
  "fault: storage clock ahead",
  "fault: storage clock back",
  "fault: storage restart",
  "fault: storage swallowed",
  "fault: standby away",
  "fault: former primary",
  "fault: read at a former primary",
  "fault: write at a former primary",
  "fault: write overtaken"
]

/**
 * Every kind of fault, every operation with each of its answers, and every step of a state machine (`docs/concepts`): a batch
 * of simulations that misses one of them has a blind spot.
 */
export const everything: ReadonlyArray<string> = [
  ...new Set([...ofBanks, ...ofStorage, ...ofReceivers, ...ofMachines, ...expectedCells.troubled])
]

/** What was not reached. */
export const unreached = (coverage: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  everything.filter((cell) => !coverage.has(cell))
