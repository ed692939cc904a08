import { expect, it } from "vitest"
import { makeBankClock } from "./BankClock.ts"

const start = new Date("2026-01-01T00:00:00Z")

it("does what falls due on the way, at its time and in its order", async () => {
  const clock = makeBankClock({ start, stands: true })
  const done: Array<string> = []
  const note = (name: string) => () =>
    void done.push(`${name} ${clock.now().toISOString().slice(17, 19)}`)
  clock.later(20_000, note("second"))
  clock.later(10_000, () => {
    note("first")()
    clock.later(5000, note("between"))
  })
  clock.later(31_000, note("never"))
  await clock.advance(30_000)
  expect(done).toEqual(["first 10", "between 15", "second 20"])
  expect(clock.now().toISOString()).toBe("2026-01-01T00:00:30.000Z")
  clock.stop()
  await clock.advance(60_000)
  expect(done).toHaveLength(3)
})

it("goes on by itself unless it is told to stand", async () => {
  const clock = makeBankClock()
  await new Promise<void>((resolve) => clock.later(5, resolve))
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(1000)
  await clock.advance(3_600_000)
  expect(clock.now().getTime() - Date.now()).toBeGreaterThan(3_500_000)
  clock.stop()
})
