import { Console, Effect } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { median, spread, table } from "./Measure.ts"

/** What a round of a checkout came to, by what was measured. */
export type Figures = ReadonlyMap<string, number>

/** A round of the other checkout, and one of this. */
export interface Sides {
  readonly other: Effect.Effect<Figures>
  readonly here: Effect.Effect<Figures>
}

/** This checkout. */
export const here = fileURLToPath(new URL("../..", import.meta.url))

interface Pair {
  readonly other: Figures
  readonly here: Figures
}

/**
 * Measures both so often, one thing after the other; they take turns at going first: what one has left behind is still
 * going on while the next one runs.
 */
export const inTurns = Effect.fnUntraced(function* (
  part: string,
  things: ReadonlyArray<Sides>,
  rounds: number
) {
  const pairs: Array<Pair> = []
  for (let round = 1; round <= rounds; round++) {
    const measured: Array<Pair> = []
    for (const { here, other } of things)
      measured.push(
        yield* round % 2 === 0 ? Effect.all({ other, here }) : Effect.all({ here, other })
      )
    const all = (side: keyof Pair): Figures => new Map(measured.flatMap((pair) => [...pair[side]]))
    pairs.push({ other: all("other"), here: all("here") })
    yield* Console.error(`round ${round} of ${rounds} of ${part} done`)
  }
  const known = [...(pairs[0]?.here.keys() ?? [])].filter((name) =>
    // Nothing is so many times as much as nothing.
    pairs.every(({ here, other }) => here.has(name) && (other.get(name) ?? 0) > 0)
  )
  const rows = known.map((name) => {
    const of = (figures: Figures) => figures.get(name) ?? Number.NaN
    const medianOf = (side: keyof Pair) =>
      String(Number(median(pairs.map((pair) => of(pair[side]))).toPrecision(4)))
    const ratios = pairs.map((pair) => of(pair.here) / of(pair.other))
    return [name, medianOf("other"), medianOf("here"), spread(ratios, 2)]
  })
  yield* Console.log(
    `\n${part}\n${table([["", "other", "here", "here / other by round"], ...rows])}`
  )
})

/** A process of a checkout, which does a round each time it is asked; the first one has warmed it up. */
export const childOf = Effect.fnUntraced(function* (
  script: URL,
  root: string,
  ...args: ReadonlyArray<string>
) {
  const path = fileURLToPath(script)
  const running = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [`--conditions=${sourceOf(root)}`, path, root, ...args], {
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    ({ stdin }) => Effect.sync(() => stdin.end())
  )
  const lines = createInterface({ input: running.stdout })[Symbol.asyncIterator]()
  const round = Effect.promise(async (): Promise<Figures> => {
    running.stdin.write("go\n")
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`The process of ${root} ended.`)
    return new Map(Object.entries(JSON.parse(value) as Record<string, number>))
  })
  yield* round
  return round
})

/** The condition under which its packages are their sources: it has had another name. */
export const sourceOf = (root: string): string => {
  const { exports } = JSON.parse(
    readFileSync(join(root, "packages/core/package.json"), "utf8")
  ) as { readonly exports: { readonly ".": Record<string, string> } }
  const [source] = Object.entries(exports["."]).find(([, path]) => path.endsWith(".ts")) ?? []
  if (source === undefined) throw new Error(`No condition leads to the sources of ${root}.`)
  return source
}
