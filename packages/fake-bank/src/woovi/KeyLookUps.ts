import type { BankClock } from "../world/BankClock.ts"

/** For look-ups of keys: one that is not found costs 20, and below 20 none is made (docs/payment/pix-key-token-bucket). */
export interface KeyLookUps {
  /** Whether one may be made. */
  readonly isOpen: () => boolean
  readonly take: (isFound: boolean) => void
  /** So many tokens are left from now on. */
  readonly leave: (tokens: number) => void
}

const tokensMax = 500
const costOfNothing = 20
/** So long an empty bucket takes until it is full. */
const refillMillis = 7_200_000

export const makeKeyLookUps = (clock: BankClock): KeyLookUps => {
  let left = tokensMax
  let at = clock.now().getTime()
  const refilled = () => {
    const now = clock.now().getTime()
    left = Math.min(tokensMax, left + ((now - at) * tokensMax) / refillMillis)
    at = now
    return left
  }
  return {
    isOpen: () => refilled() >= costOfNothing,
    take: (isFound) => void (left = refilled() - (isFound ? 1 : costOfNothing)),
    leave: (tokens) => {
      refilled()
      left = tokens
    }
  }
}
