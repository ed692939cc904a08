import { Latch } from "effect"

/** Tells those who wait for the next end of something. */
export const makeEnds = () => {
  const listeners = new Set<Latch.Latch>()
  return {
    /** Whoever is told acts at once, here and now: everything must be in order before. */
    tell: (): void => {
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
