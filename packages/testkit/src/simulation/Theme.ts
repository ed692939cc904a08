import type { Chance } from "../fuzz/Chance.ts"
import type { BankFaults } from "./banks/BankOptions.ts"
import type { ThemeScene } from "./programs/DrawTheme.ts"
import type { Setting } from "./Setting.ts"
import { noTroubles } from "./StorageLink.ts"

/**
 * What a world is about. Where everything goes wrong a little, some things hardly ever meet: what is lost on its way meets nothing
 * more. So in some worlds one thing is done again and again, and what goes wrong is what may go wrong with it, and processes.
 */
export interface Theme {
  readonly scene: ThemeScene
  /** In the place of what goes wrong at banks otherwise. */
  readonly faults?: Pick<BankFaults, "only" | "money">
  /** Whether sending a thing again under its reference does it once. */
  readonly isIdempotent?: boolean
  readonly isLying?: boolean
  /** Answers of the storage that take seconds, of 1; of writes they may be ten times as many. */
  readonly slow?: number
}

const themes: ReadonlyArray<Theme> = [
  // Parts go back that are not found for a while, at banks that would give them back twice.
  {
    scene: "parts",
    isIdempotent: false,
    faults: { only: { refund: { late: 0.3, untold: 0.2 } }, money: { hidden: 0.6 } }
  },
  // Who is told again says no, and does the first all the same.
  { scene: "refunds", isIdempotent: true, faults: { only: { refund: { late: 0.5 } } } },
  // What is said of returns is not so.
  {
    scene: "refunds",
    isIdempotent: true,
    isLying: true,
    faults: { only: { refund: { lie: 0.4 }, findRefund: { lie: 0.4 } } }
  },
  // Whoever asks about a return is told of another, which ends otherwise.
  {
    scene: "refunds",
    faults: {
      only: { refund: { another: 0.2 }, findRefund: { another: 0.4 } },
      money: { rejected: 0.4 }
    }
  },
  // Other amounts are paid out than were asked for.
  { scene: "payouts", isLying: true, faults: { only: { sendPayout: { lie: 0.7 } } } },
  // Orders come late, whoever asks is told of another, and a person decides meanwhile.
  {
    scene: "judged",
    faults: { only: { sendPayout: { late: 0.5 }, findPayout: { another: 0.4 } } }
  },
  // Somebody watches a wallet through answers that are long on their way.
  { scene: "watched", slow: 0.06 },
  // Withdrawals that are too much together come at once, as often as the day allows.
  { scene: "floods" },
  // Sub-accounts are closed while they are paid.
  { scene: "closings" }
]

/** How many worlds have one, of 1. */
const share = 0.2

export const drawTheme = (chance: Chance): Theme | undefined =>
  chance.happens(share) ? chance.pick(themes) : undefined

/** The same world with its theme. */
export const themed = (setting: Setting, theme: Theme | undefined): Setting => {
  if (theme === undefined) return setting
  const { faults, isIdempotent, isLying, slow = 0 } = theme
  return {
    ...setting,
    isLyingWorld: isLying ?? setting.isLyingWorld,
    banks: { ...(setting.banks.calls && { calls: setting.banks.calls }), only: {}, ...faults },
    promises: setting.promises.map((promise) => ({
      ...promise,
      idempotentByReference: isIdempotent ?? promise.idempotentByReference
    })),
    machines: setting.machines.map((machine) => ({
      ...machine,
      troubles: { ...noTroubles, slow }
    }))
  }
}
