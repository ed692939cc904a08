/** What is done over and over, each time with something else of its sample. */
export interface Probe {
  readonly name: string
  readonly count: number
  readonly call: (index: number) => Promise<unknown>
  /** What is only read is asked for once before, so that the processor is measured and not the disk. */
  readonly isRead: boolean
}

/** Milliseconds. */
interface Times {
  readonly p50: number
  readonly p99: number
}

/** The same in a small database and in a large one. */
export interface Figures {
  readonly small: Times
  readonly large: Times
}

/**
 * One call after the other, in the small database and the large one by turns: whatever else the machine does meets both
 * alike.
 */
export const measure = async (small: Probe, large: Probe): Promise<Figures> => {
  const { count, isRead, name } = small
  if (name !== large.name) throw new Error(`${name} is not ${large.name}.`)
  const sides = [
    { probe: small, took: [] as Array<number> },
    { probe: large, took: [] as Array<number> }
  ] as const
  if (isRead)
    for (const { probe } of sides)
      for (let index = 0; index < count; index++) await probe.call(index)
  for (let index = 0; index < count; index++) {
    for (const { probe, took } of index % 2 === 0 ? sides : sides.toReversed()) {
      const begun = performance.now()
      await probe.call(index)
      took.push(performance.now() - begun)
    }
  }
  const [ofSmall, ofLarge] = sides.map(({ took }) => timesOf(took))
  return { small: ofSmall ?? timesOf([]), large: ofLarge ?? timesOf([]) }
}

const timesOf = (took: ReadonlyArray<number>): Times => {
  const sorted = took.toSorted((one, other) => one - other)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
