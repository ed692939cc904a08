import type { PspCapabilities } from "@pagora/core"
import { Duration } from "effect"
import type { Chance } from "../../fuzz/Chance.ts"
import type { World } from "../World.ts"
import type { BankAgenda } from "./BankAgenda.ts"
import { aWhile, makeAgenda } from "./BankAgenda.ts"
import type { BankRecords } from "./BankBook.ts"
import { makeRecords } from "./BankBook.ts"
import type { BankNames } from "./BankNames.ts"
import { makeNames } from "./BankNames.ts"
import type { BankNotices } from "./BankNotices.ts"
import { makeNotices } from "./BankNotices.ts"
import type { BankOptions, MoneyFault } from "./BankOptions.ts"
import type { NoticeFate } from "./BankPost.ts"

/** What the parts of a bank that keep money have in common. */
export interface BankVault {
  readonly world: World
  readonly agenda: BankAgenda
  readonly records: BankRecords
  readonly names: BankNames
  readonly notices: BankNotices
  readonly bank: BankOptions
  readonly capabilities: PspCapabilities
  readonly chance: Chance
  /** Whether this happens now to some money. */
  readonly meets: (fault: MoneyFault) => boolean
  /** Whether anything can go wrong. */
  readonly isFaulty: () => boolean
  /** Whether all faults are over, and nothing stays hidden. */
  readonly isCalm: () => boolean
}

export const makeVault = (
  world: World,
  bank: BankOptions,
  key: string,
  payable: () => ReadonlyArray<string>
): { readonly vault: BankVault; readonly becomeCalm: () => void } => {
  const chance = world.chance(`${bank.name}: money`)
  const agenda = makeAgenda(world, world.chance(`${bank.name}: agenda`))
  const records = makeRecords(world, bank.name)
  const names = makeNames(bank.name)
  let isCalm = false
  const isFaulty = (): boolean => !isCalm && world.isFaulty()
  const anyReference = (): string => {
    const references = payable()
    return references.length === 0 ? names.nobody() : chance.pick(references)
  }
  const notices = makeNotices({ world, agenda, records, key, bank, anyReference })
  const vault: BankVault = {
    world,
    agenda,
    records,
    names,
    notices,
    bank,
    chance,
    isFaulty,
    isCalm: () => isCalm,
    capabilities: {
      idempotentByReference: true,
      knowsPayer: true,
      notFoundIsFinalAfter: Duration.minutes(10),
      settlementLag: Duration.minutes(2),
      ...bank.capabilities
    },
    meets: (fault) => {
      const isMet = isFaulty() && chance.happens(bank.faults?.money?.[fault] ?? 0)
      if (isMet) world.reached(`fault: bank ${fault}`)
      return isMet
    }
  }
  return {
    vault,
    becomeCalm: () => {
      isCalm = true
    }
  }
}

/** From when on something that is made now can be found. */
export interface Visibility {
  /** Not before that, whatever the bank promises. */
  readonly from?: number
  /** At the latest, by what the bank promises. */
  readonly by: number
}

/** When what is made now is first found. */
export const shownAt = ({ chance, meets, world }: BankVault, { by, from }: Visibility): number => {
  const now = world.now()
  if (from !== undefined) return Math.max(now, from)
  return by > now && meets("hidden") ? now + aWhile(chance, 100, by - now) : now
}

/** Whether somebody who asks finds it. */
export const isShown = ({ isCalm, world }: BankVault, entry: { readonly shownAt: number }) =>
  isCalm() || world.now() >= entry.shownAt

/** Those that somebody who asks does not find yet. */
export const stillHidden = (
  vault: BankVault,
  what: string,
  entries: Iterable<{ readonly reference: string; readonly shownAt: number }>
): ReadonlyArray<string> =>
  [...entries]
    .filter((entry) => !isShown(vault, entry))
    .map(({ reference }) => `${what} ${reference} is found`)

/** Whether the bank will not have it. */
export const referenceRefusal = (reference: string) =>
  /^[A-Za-z0-9]{26,35}$/.test(reference)
    ? undefined
    : rejected("invalid_reference", "The reference must have 26 to 35 letters and digits.")

export const amountRefusal = (amount: bigint) =>
  amount >= 1n && amount <= 999_999_999_999n
    ? undefined
    : rejected("invalid_amount", "The amount must be 0.01 to 9999999999.99.")

export const rejected = (code: string, message: string) =>
  ({ _tag: "Rejected", code, message }) as const

/** How a payout or return that is under way comes to its end. */
export interface Settling {
  readonly what: string
  /** Whether its end has come, by hands perhaps. */
  readonly hasEnded: () => boolean
  readonly end: (isDone: boolean) => void
  /** Tells of the end in this way. */
  readonly tell: (fate: NoticeFate) => void
}

/** Ends it now, or, where its notice is early, soon after that. */
export const settleNow = (vault: BankVault, settling: Settling, isDone: boolean): void => {
  const { agenda, chance, notices } = vault
  const fate = notices.fate()
  const end = (): void => {
    if (!settling.hasEnded()) settling.end(isDone)
  }
  if (fate !== "early") {
    end()
    return settling.tell(fate)
  }
  settling.tell(fate)
  agenda.later(aWhile(chance, 500, 60_000), `${settling.what} ends`, end)
}

const hour = 3_600_000

/** Sees to it that it ends by itself: soon, or after hours, well or not. */
export const settleLater = (vault: BankVault, settling: Settling): void => {
  const { agenda, chance, meets, world } = vault
  const isSlow = meets("slow")
  const isDone = !meets("rejected")
  const delay = isSlow ? aWhile(chance, hour / 6, 30 * hour) : aWhile(chance, 200, 20_000)
  agenda.later(delay, `${settling.what} settles`, () => {
    // Hands may have been faster. What was decided while there were faults stands.
    if (!settling.hasEnded()) settleNow(vault, settling, isDone)
  })
  if (isSlow) world.note(`bank ${vault.bank.name}: ${settling.what} is slow`)
}

/** How long a request may be under way while the service still waits for its answer. */
const underWay = 10_000

/** By when what is asked for now must be found. */
export const foundBy = ({ capabilities, world }: Pick<BankVault, "capabilities" | "world">) =>
  world.now() + underWay + Duration.toMillis(capabilities.notFoundIsFinalAfter)
