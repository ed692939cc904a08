import type { RawNotification } from "@pagora/core"
import type { Chance } from "../../fuzz/Chance.ts"
import type { World } from "../World.ts"
import type { BankAgenda } from "./BankAgenda.ts"
import { aWhile } from "./BankAgenda.ts"
import type { BankRecords } from "./BankBook.ts"
import type { Letter } from "./BankForger.ts"
import { makeForger } from "./BankForger.ts"
import type { BankOptions, NoticeFault } from "./BankOptions.ts"
import { noticeFaults } from "./BankOptions.ts"

/** How a notice fares; `sent` where nothing goes wrong. */
export type NoticeFate = NoticeFault | "sent"

/** How what a bank writes comes to the service, whatever it is written in. */
export interface BankPost {
  /** How the next letter fares. */
  readonly fate: (canBeEarly?: boolean) => NoticeFate
  readonly send: (letter: Letter, fate: NoticeFate) => void
  /** What was held back goes out. */
  readonly calm: () => void
  readonly pending: () => ReadonlyArray<string>
}

/** So long the service has to answer. */
const answerMillis = 10_000
/** So often one is sent that is not taken, while there are faults. After them it is sent until it is taken. */
const triesMax = 5

const minute = 60_000

/** The same notice again and again, with growing gaps, until it is taken. */
const makeCourier = (options: {
  readonly world: World
  readonly agenda: BankAgenda
  readonly chance: Chance
  readonly notify: BankOptions["notify"]
}) => {
  const { agenda, chance, notify, world } = options
  /** Those that were tried often enough for now. */
  const given = new Map<RawNotification, string>()

  const attempt = (notification: RawNotification, about: string, tries: number): void => {
    let isOpen = true
    const answered = (isTaken: boolean): void => {
      if (!isOpen) return
      isOpen = false
      if (isTaken) return
      if (world.isFaulty() && tries >= triesMax) given.set(notification, about)
      else {
        const gap = Math.min(5_000 * 3 ** (tries - 1), 60 * minute)
        agenda.later(gap, `notice of ${about}`, () => attempt(notification, about, tries + 1))
      }
    }
    world.after(answerMillis, () => answered(false))
    notify(notification, answered)
  }

  return {
    deliver: (notification: RawNotification, about: string): void =>
      world.after(1 + chance.below(200), () => attempt(notification, about, 1)),
    again: (): void => {
      const all = [...given]
      given.clear()
      for (const [notification, about] of all) attempt(notification, about, 1)
    },
    pending: () => [...given.values()].map((about) => `notice of ${about}`)
  }
}

export const makePost = (options: {
  readonly world: World
  readonly agenda: BankAgenda
  readonly records: BankRecords
  readonly bank: BankOptions
}): BankPost => {
  const { agenda, bank, records, world } = options
  const chance = world.chance(`${bank.name}: notices`)
  const rates = bank.faults?.notices ?? {}
  const courier = makeCourier({ world, agenda, chance, notify: bank.notify })
  const forger = makeForger({ records, chance, notify: bank.notify })
  /** Those that come after the next one. */
  let behind: Array<() => void> = []

  const goBehind = (): void => {
    const all = behind
    behind = []
    for (const go of all) go()
  }

  const fate = (canBeEarly = true): NoticeFate => {
    if (!world.isFaulty()) return "sent"
    for (const fault of noticeFaults) {
      if (!chance.happens(rates[fault] ?? 0) || (fault === "early" && !canBeEarly)) continue
      world.reached(`fault: bank notice ${fault}`)
      return fault
    }
    return "sent"
  }

  const send = (letter: Letter, fate: NoticeFate): void => {
    const { about, notification } = letter
    records.note(`notice of ${about} ${fate}`)
    const go = (): void => courier.deliver(notification, about)
    switch (fate) {
      case "dropped":
        return
      case "delayed":
        return agenda.later(aWhile(chance, minute, 360 * minute), `notice of ${about}`, go)
      case "reordered": {
        const once = onlyOnce(go)
        behind.push(once)
        return agenda.later(5 * minute, `notice of ${about}`, once)
      }
      case "doubled":
        agenda.later(aWhile(chance, 10, minute), `notice of ${about}`, go)
        break
      case "forged":
        forger(letter)
        break
      case "early":
      case "sent":
        break
    }
    go()
    goBehind()
  }

  return {
    fate,
    send,
    calm: () => {
      goBehind()
      courier.again()
    },
    pending: courier.pending
  }
}

const onlyOnce = (go: () => void): (() => void) => {
  let isGone = false
  return () => {
    if (isGone) return
    isGone = true
    go()
  }
}
