import type { Usage } from "./Usage.ts"
import { mebibyte } from "./Usage.ts"

/** Fewer measurements tell nothing of how it goes on. */
export const measurementsMin = 12

/** What is held may be so much more at the end than once it is warm. */
const memoryMore = { times: 1.3, bytes: 32 * mebibyte }
const socketsMore = { times: 1.3, count: 8 }
/** One thing that is acknowledged may take so much more disk at the end. What is small is told by pages, not by rows. */
const diskTimes = 1.5
const diskLeast = 4 * mebibyte

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** The part of a list from one share of it to another. */
const part = <A>(all: ReadonlyArray<A>, from: number, to: number): ReadonlyArray<A> =>
  all.slice(Math.floor(all.length * from), Math.floor(all.length * to))

/**
 * What grows without an end, a sentence each. Memory, sockets and connections: their median in the last quarter against that
 * of the second, when a process is warm. Tables: what they grow by for each thing that was acknowledged, in the last third
 * against the second.
 */
export const growthOf = (usages: ReadonlyArray<Usage>): ReadonlyArray<string> => {
  if (usages.length < measurementsMin) return []
  const warm = part(usages, 0.25, 0.5)
  const late = part(usages, 0.75, 1)
  const grown = (what: string, of: (usage: Usage) => number, most: (warm: number) => number) => {
    const [before, after] = [median(warm.map(of)), median(late.map(of))]
    return after > most(before) ? [`${what} grew from ${before} to ${after}`] : []
  }
  const processes = usages[0]?.processes ?? []
  return [
    ...processes.flatMap((_, index) => [
      ...grown(
        `the memory of process ${index + 1}`,
        ({ processes }) => processes[index]?.memory ?? 0,
        (bytes) => bytes * memoryMore.times + memoryMore.bytes
      ),
      ...grown(
        `the sockets of process ${index + 1}`,
        ({ processes }) => processes[index]?.sockets ?? 0,
        (count) => count * socketsMore.times + socketsMore.count
      )
    ]),
    ...grown(
      "the connections of the database",
      ({ connections }) => connections,
      (count) => count * socketsMore.times + socketsMore.count
    ),
    ...tablesGrown(usages)
  ]
}

const tablesGrown = (usages: ReadonlyArray<Usage>): ReadonlyArray<string> => {
  const [first, second, last] = [1 / 3, 2 / 3, 1].map(
    (share) => usages[Math.ceil(usages.length * share) - 1]
  )
  if (first === undefined || second === undefined || last === undefined) return []
  const perThing = (name: string, from: Usage, to: Usage): number =>
    ((to.tables[name] ?? 0) - (from.tables[name] ?? 0)) /
    Math.max(1, to.acknowledged - from.acknowledged)
  return Object.entries(last.tables).flatMap(([name, bytes]) => {
    const [before, after] = [perThing(name, first, second), perThing(name, second, last)]
    const most = Math.max(before * diskTimes, diskLeast / Math.max(1, last.acknowledged))
    return bytes > diskLeast && after > most
      ? [
          `table ${name} grew by ${after.toFixed(0)} bytes for each thing acknowledged, and by ${before.toFixed(0)} before`
        ]
      : []
  })
}

const inMebibytes = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`

/** What was measured, for a person: at the beginning, warm, and in the end. */
export const usageLines = (usages: ReadonlyArray<Usage>): ReadonlyArray<string> => {
  const moments = [usages[0], usages[Math.floor(usages.length / 2)], usages.at(-1)]
  const line = (what: string, of: (usage: Usage) => string) =>
    `${what.padEnd(32)} ${moments.map((usage) => (usage === undefined ? "" : of(usage)).padStart(12)).join("")}`
  const [first] = usages
  return [
    line("acknowledged", ({ acknowledged }) => String(acknowledged)),
    ...(first?.processes ?? []).flatMap((_, index) => [
      line(`memory of process ${index + 1}`, ({ processes }) =>
        inMebibytes(processes[index]?.memory ?? 0)
      ),
      line(`sockets of process ${index + 1}`, ({ processes }) =>
        String(processes[index]?.sockets ?? "-")
      )
    ]),
    line("connections of the database", ({ connections }) => String(connections)),
    ...Object.keys(first?.tables ?? {})
      .toSorted()
      .map((name) => line(`table ${name}`, ({ tables }) => inMebibytes(tables[name] ?? 0)))
  ]
}
