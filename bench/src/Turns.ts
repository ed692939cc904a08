import { Console, Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { here } from "./Against.ts"
import type { Figures } from "./PrintedTables.ts"
import { figuresOf } from "./PrintedTables.ts"
import { median, spread, table } from "./Measure.ts"

/** What the benchmark of a checkout prints of one part, in a process of its own and with its own packages. */
const measured = (root: string, part: string): Effect.Effect<Figures> =>
  Effect.callback<Figures>((resume) => {
    const args = [join(root, "scripts/run.mjs"), "bench", "--only", part, "--quick"]
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
    let printed = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text
    })
    child.once("error", (error) => resume(Effect.die(error)))
    child.once("close", (code) =>
      resume(
        code === 0
          ? Effect.succeed(figuresOf(printed))
          : Effect.die(new Error(`The benchmark of ${root} ended with ${code}.`))
      )
    )
    return Effect.sync(() => void child.kill())
  })

/** One part of the benchmark in this checkout and another one, which take turns at going first. */
export const turns = Effect.fnUntraced(function* (part: string, other: string, rounds: number) {
  const before = measured(other, part)
  const now = measured(here, part)
  const pairs: Array<{ readonly before: Figures; readonly now: Figures }> = []
  for (let round = 1; round <= rounds; round++) {
    pairs.push(yield* round % 2 === 0 ? Effect.all({ before, now }) : Effect.all({ now, before }))
    yield* Console.error(`round ${round} of ${rounds} of ${part} done`)
  }
  const known = [...(pairs[0]?.now.keys() ?? [])].filter((name) =>
    // Nothing is so many times as much as nothing.
    pairs.every(({ before, now }) => now.has(name) && (before.get(name) ?? 0) > 0)
  )
  const rows = known.map((name) => {
    const of = (figures: Figures) => figures.get(name) ?? Number.NaN
    return [
      name,
      String(median(pairs.map((pair) => of(pair.before)))),
      String(median(pairs.map((pair) => of(pair.now)))),
      spread(
        pairs.map((pair) => of(pair.now) / of(pair.before)),
        2
      )
    ]
  })
  yield* Console.log(
    `\n${part}\n${table([["", "other", "here", "here / other by round"], ...rows])}`
  )
})
