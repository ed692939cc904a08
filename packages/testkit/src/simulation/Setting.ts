import { Duration } from "effect"
import type { Chance } from "../fuzz/Chance.ts"
import type { BankFaults } from "./banks/BankOptions.ts"
import { callFaults, moneyFaults, noticeFaults } from "./banks/BankOptions.ts"
import type { ClockSetting } from "./MachineClock.ts"
import type { Manners } from "./MachineProcess.ts"
import type { TroubleName } from "./Plan.ts"
import type { ReceiverTroubles } from "./Receivers.ts"
import { noReceiverTroubles } from "./Receivers.ts"
import type { StorageTroubles } from "./StorageLink.ts"
import { noTroubles } from "./StorageLink.ts"

/** How the parts of one simulation are, before anything happens. */
export interface Setting {
  readonly machines: ReadonlyArray<{
    readonly clock: ClockSetting
    readonly manners: Manners
    readonly troubles: StorageTroubles
    readonly writesAtOnce: number
  }>
  readonly receivers: ReceiverTroubles
  readonly banks: BankFaults
  /** What each bank promises, and whether it is the usual one of accounts. */
  readonly promises: ReadonlyArray<{
    readonly idempotentByReference: boolean
    readonly notFoundIsFinalAfter: Duration.Duration
  }>
  readonly usualBank: number
  /** Whether the banks tell what is not so. */
  readonly isLyingWorld: boolean
}

/** A share of 1 that is 0 in some simulations, small in most and large in a few. */
const share = (chance: Chance, max: number): number =>
  chance.pick([0, 0.05, 0.2, 0.6, 1]) * max * (chance.below(1_000) / 1_000)

const drawClock = (chance: Chance): ClockSetting => ({
  offset: chance.pick([0, 0, 1, -1]) * chance.below(chance.pick([50, 2_000, 4_500, 120_000])),
  drift: chance.pick([0, 0, 1, -1]) * chance.pick([0.00001, 0.0001, 0.001])
})

const drawTroubles = (chance: Chance): StorageTroubles => {
  if (chance.happens(0.15)) return noTroubles
  return {
    dropped: share(chance, 0.02),
    unanswered: share(chance, 0.03),
    late: share(chance, 0.02),
    doubled: share(chance, 0.03),
    slow: share(chance, chance.pick([0.1, 0.1, 0.5])),
    refused: share(chance, 0.02)
  }
}

/** At least two processes, four at most. */
export const drawSetting = (chance: Chance): Setting => {
  const isLyingWorld = chance.happens(0.4)
  return { isLyingWorld, ...drawParts(chance, isLyingWorld) }
}

const drawParts = (chance: Chance, isLying: boolean): Omit<Setting, "isLyingWorld"> => ({
  machines: Array.from({ length: chance.pick([2, 2, 2, 3, 4]) }, () => ({
    clock: drawClock(chance),
    manners: {
      stepsAtOnce: chance.pick([32, 128, 512, 2_048]),
      unfairness: chance.pick([0, 0.05, 0.3, 1])
    },
    troubles: drawTroubles(chance),
    writesAtOnce: chance.pick([1, 2])
  })),
  receivers: {
    away: share(chance, 0.3),
    silent: share(chance, 0.1),
    unread: share(chance, 0.2),
    broken: share(chance, 0.3)
  },
  banks: drawBankFaults(chance, isLying),
  promises: [drawPromises(chance), drawPromises(chance)],
  usualBank: chance.below(2)
})

const drawPromises = (chance: Chance): Setting["promises"][number] => ({
  idempotentByReference: chance.happens(0.5),
  notFoundIsFinalAfter: Duration.minutes(chance.pick([1, 10]))
})

/** All kinds of what can go wrong, each more or less. */
const drawShares = <Name extends string>(
  chance: Chance,
  names: ReadonlyArray<Name>,
  max: number
): Readonly<Partial<Record<Name, number>>> =>
  Object.fromEntries(names.map((name) => [name, share(chance, max)])) as Partial<
    Record<Name, number>
  >

/**
 * What goes wrong together, each often enough that all of it meets the same money. Where each goes wrong now and then, that
 * hardly ever happens.
 */
const meetings: ReadonlyArray<BankFaults> = [
  // Requests stand in line for long, so that they are taken for lost, and told again.
  { calls: { late: 0.3 } },
  // Payments are long on their way, and nobody is told of them; nor of payouts that come back.
  {
    notices: { dropped: 0.7 },
    money: { "in flight": 0.6, reversed: 0.3, "reversed silently": 0.3 }
  },
  // What is done is neither told nor found for long.
  { calls: { untold: 0.2, broken: 0.1 }, money: { hidden: 0.6 } },
  // Whoever asks is told of another, which may have ended otherwise.
  { calls: { another: 0.15 }, money: { rejected: 0.3 } }
]

/** In some worlds one thing goes wrong again and again, in some two or three of them, in the rest none. */
const drawHabit = (chance: Chance): BankFaults => {
  if (chance.happens(0.3))
    return { calls: { [chance.pick(callFaults)]: 0.1 + chance.below(300) / 1_000 } }
  return chance.happens(0.7) ? chance.pick(meetings) : {}
}

/** Lies are told about each thing once, so that what follows from one is seen. */
const drawLies = (chance: Chance): BankFaults["calls"] =>
  chance.happens(0.5) ? { lie: 0.05 + chance.below(200) / 1_000 } : {}

const drawBankFaults = (chance: Chance, isLying: boolean): BankFaults => {
  const { calls, money, notices } = drawHabit(chance)
  return {
    calls: {
      ...drawShares(chance, callFaults, 0.15),
      ...calls,
      ...(isLying ? drawLies(chance) : {})
    },
    notices: { ...drawShares(chance, noticeFaults, 0.4), ...notices },
    money: { ...drawShares(chance, moneyFaults, 0.4), ...money }
  }
}

/** The same with some of the troubles left out. */
export const calmed = (setting: Setting, calm: ReadonlyArray<TroubleName>): Setting => ({
  machines: setting.machines.map((machine) => ({
    ...machine,
    ...(calm.includes("storage") ? { troubles: noTroubles } : {}),
    ...(calm.includes("clocks") ? { clock: { offset: 0, drift: 0 } } : {}),
    ...(calm.includes("order") ? { manners: { stepsAtOnce: 2_048, unfairness: 0 } } : {})
  })),
  receivers: calm.includes("receivers") ? noReceiverTroubles : setting.receivers,
  promises: setting.promises,
  usualBank: setting.usualBank,
  banks: calm.includes("banks") ? {} : setting.banks,
  isLyingWorld: setting.isLyingWorld && !calm.includes("banks")
})
