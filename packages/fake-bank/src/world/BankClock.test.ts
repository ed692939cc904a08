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

it("tells a failure to whoever advanced it, and goes on", async () => {
  const clock = makeBankClock({ start, stands: true })
  clock.later(1000, () => {
    throw new Error("of the task")
  })
  const done: Array<string> = []
  clock.later(2000, () => void done.push("second"))
  await expect(clock.advance(5000)).rejects.toThrow("of the task")
  await clock.advance(5000)
  expect(done).toEqual(["second"])
})

it("keeps nobody waiting for what takes long, unless somebody waits for all", async () => {
  const clock = makeBankClock()
  let end: (() => void) | undefined
  clock.later(1, () => new Promise<void>((resolve) => (end = resolve)))
  await new Promise<void>((resolve) => clock.later(5, resolve))
  end?.()
  clock.stop()
})
