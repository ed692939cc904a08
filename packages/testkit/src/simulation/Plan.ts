/** What of the world around the processes is left calm. */
export const troubleNames = ["storage", "banks", "receivers", "clocks", "order"] as const
export type TroubleName = (typeof troubleNames)[number]

/**
 * One simulation, as somebody repeats it: its seed, and what of it is left out. What is drawn for one thing does not depend on
 * what is left out elsewhere.
 */
export interface Plan {
  readonly seed: number
  /** Only these operations, by their number; all where it is undefined. */
  readonly operations?: ReadonlyArray<number>
  /** Only these faults. */
  readonly faults?: ReadonlyArray<number>
  readonly calm: ReadonlyArray<TroubleName>
}

/** `3,5-8` and back: numbers, and stretches of them. */
export const numbersText = (numbers: ReadonlyArray<number>): string => {
  const parts: Array<string> = []
  for (let index = 0; index < numbers.length;) {
    const first = numbers[index] as number
    let last = first
    while (numbers[index + 1] === last + 1) {
      last++
      index++
    }
    parts.push(first === last ? String(first) : `${first}-${last}`)
    index++
  }
  return parts.length === 0 ? "none" : parts.join(",")
}

/** Undefined where the text is no such list. */
export const parseNumbers = (text: string): ReadonlyArray<number> | undefined => {
  if (text === "none") return []
  const all: Array<number> = []
  for (const part of text.split(",")) {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
    if (from === undefined) return undefined
    for (let number = Number(from); number <= Number(to ?? from); number++) all.push(number)
  }
  return all
}

/** The command's options that repeat a plan. */
export const optionsOf = ({ calm, faults, operations, seed }: Plan): string =>
  [
    `--seed ${seed}`,
    ...(operations === undefined ? [] : [`--operations ${numbersText(operations)}`]),
    ...(faults === undefined ? [] : [`--faults ${numbersText(faults)}`]),
    ...(calm.length === 0 ? [] : [`--calm ${calm.join(",")}`])
  ].join(" ")
