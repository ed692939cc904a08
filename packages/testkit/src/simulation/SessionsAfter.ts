import type { Chance } from "../fuzz/Chance.ts"
import { FormerPrimary } from "./FormerPrimary.ts"

/** How many a process has with the storage. */
const sessionsMax = 5

/**
 * The sessions of a process when another server has taken the place of its primary. Each is with one of the two, and all with
 * the former one end once any has met the other (`StorageDriver.epoch`).
 */
export class SessionsAfter {
  private readonly former: FormerPrimary
  private readonly chance: Chance
  /** The epoch of the primary that it has met last. */
  private met: number
  /** How many it has with the former primary of that epoch yet. */
  private left = { with: 0, of: 0 }

  constructor(former: FormerPrimary, chance: Chance) {
    this.former = former
    this.chance = chance
    this.met = former.epoch
  }

  get epoch(): number {
    return this.met
  }

  /** A call came to be with the primary of now. */
  meet(): void {
    this.met = this.former.epoch
  }

  /** Whether a call comes to be with the former primary. */
  drawFormer(name: string, isWritten: boolean): boolean {
    const { chance, former, met } = this
    if (!former.isThere || met === former.epoch) return false
    if (!isWritten && !FormerPrimary.isAnswered(name)) return false
    if (this.left.of !== former.epoch) this.left = { with: sessionsMax, of: former.epoch }
    return chance.happens(this.left.with / sessionsMax)
  }

  /** One with the former primary is given up, and opened anew where it is needed. */
  giveUp(): void {
    this.left.with--
  }
}
