import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { figuresOf } from "./PrintedTables.ts"
import type { Figures } from "./Sides.ts"
import { here, inTurns } from "./Sides.ts"

/** What the benchmark of a checkout prints of one part, in a process of its own and with its own packages. */
const measured = (root: string, asked: ReadonlyArray<string>): Effect.Effect<Figures> =>
  Effect.callback<Figures>((resume) => {
    const args = [join(root, "scripts/run.mjs"), "bench", "--quick", ...asked]
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

/** One part of the benchmark in both checkouts; `asked` are the flags that say what of it. */
export const partAgainst = (
  part: string,
  other: string,
  { asked, rounds }: { readonly asked: ReadonlyArray<string>; readonly rounds: number }
): Effect.Effect<void> => {
  const flags = ["--only", part, ...asked]
  return inTurns(part, [{ other: measured(other, flags), here: measured(here, flags) }], rounds)
}
