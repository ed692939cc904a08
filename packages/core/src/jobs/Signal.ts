import { Latch } from "effect"

/** What waits for the next time that something happens: a condition, whose waiters are told all at once. */
export const makeSignal = () => {
  const listeners = new Set<Latch.Latch>()
  return {
    /** Whoever is told acts at once, here and now: everything must be in order before. */
    notifyAll: (): void => {
      const told = [...listeners]
      listeners.clear()
      for (const listener of told) listener.openUnsafe()
    },
    next: (): Latch.Latch => {
      const listener = Latch.makeUnsafe(false)
      listeners.add(listener)
      return listener
    }
  }
}
