import { assert, describe, it } from "@effect/vitest"
import type { Usage } from "./Usage.ts"
import { mebibyte } from "./Usage.ts"
import { growthOf, measurementsMin, usageLines } from "./UsageJudge.ts"

/** An hour of a service, a measurement each minute: the `index`-th as it is told. */
const hour = (more: (index: number) => Partial<Usage> = () => ({})): ReadonlyArray<Usage> =>
  Array.from({ length: 60 }, (_, index) => ({
    acknowledged: index * 1_000,
    processes: [process(index), process(index)],
    connections: 16,
    tables: { operation: index * mebibyte, wallet: 8 * mebibyte },
    ...more(index)
  }))

/** It is warm after ten minutes, and then goes up and down. */
const process = (index: number) => ({
  memory: Math.min(10 + index, 20) * 10 * mebibyte + (index % 3) * 20 * mebibyte,
  sockets: 20 + (index % 7)
})

const growing = (more: (index: number) => object) => (index: number) => ({
  processes: [process(index), { ...process(index), ...more(index) }]
})

describe("what a soak takes", () => {
  it("may go up and down, and tables grow by what is done", () =>
    assert.deepStrictEqual(growthOf(hour()), []))

  it.each([
    [
      "memory that is never given back",
      hour(growing((index) => ({ memory: (150 + 4 * index) * mebibyte }))),
      /^the memory of process 2 grew from /
    ],
    [
      "sockets that are never closed",
      hour(growing((index) => ({ sockets: 20 + index }))),
      /^the sockets of process 2 grew from /
    ],
    [
      "connections that stay",
      hour((index) => ({ connections: 16 + index })),
      /^the connections of the database grew from /
    ],
    [
      "a table that takes ever more for the same",
      hour((index) => ({ tables: { job: (index ** 3 / 1_000) * mebibyte } })),
      /^table job grew by \d+ bytes for each thing acknowledged, and by \d+ before$/
    ]
  ])("is not %s", (_, usages, sentence) => {
    const [found, ...more] = growthOf(usages)
    assert.match(found ?? "", sentence)
    assert.isEmpty(more)
  })

  it("is not judged by a few measurements", () => {
    const few = hour((index) => ({ connections: 2 ** index })).slice(0, measurementsMin - 1)
    assert.deepStrictEqual(growthOf(few), [])
  })

  it("is told at the beginning, in the middle and in the end", () => {
    const lines = usageLines(hour())
    assert.include(
      lines,
      `${"acknowledged".padEnd(32)} ${["0", "30000", "59000"].map((n) => n.padStart(12)).join("")}`
    )
    assert.include(lines.join("\n"), "table operation")
  })
})
