import type { Scope } from "effect"
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { cpuMillis } from "../Cpu.ts"
import type { Answered } from "./Asked.ts"

/** A server that is measured, seen from outside. */
export interface ServerProcess {
  readonly pid: number
  readonly stdout: Readable
  readonly stderr: Readable
  /** Asks what it answers by `answering` (Asked.ts). */
  readonly ask: (name: string, argument?: unknown) => Effect.Effect<unknown>
  /**
   * Waits until it has ended what it does in the background, so that this counts where it was caused, and answers its
   * CPU time so far.
   */
  readonly rest: Effect.Effect<number>
  /** Lets it run for as long as this takes; otherwise it stands still, so that others are measured without it. */
  readonly awake: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
  /** The same from the moment on in which it wakes, with all that has become due. */
  readonly woken: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
}

const stopMillisMax = 15_000

/** Runs a program until the scope ends. What it says is read by whoever started it. */
export const launch = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Effect.Effect<ServerProcess, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        spawn(command, args, {
          stdio: ["ignore", "pipe", "pipe", "ipc"],
          env: { ...process.env, ...env }
        })
      ),
      (running) => Effect.promise(() => stop(running))
    ),
    (child): ServerProcess => {
      // Where nobody closes the scope any more.
      process.once("exit", () => {
        child.kill("SIGTERM")
        child.kill("SIGCONT")
      })
      const { pid, stderr, stdout } = child
      if (pid === undefined || stderr === null || stdout === null)
        throw new Error(`${command} does not start.`)
      const rested = rest(pid)
      const run = woken(child)
      return {
        pid,
        stdout,
        stderr,
        ask: asking(child),
        rest: rested,
        awake: (effect) =>
          run(Effect.sleep(wakeMillis).pipe(Effect.andThen(rested), Effect.andThen(effect))),
        woken: run
      }
    }
  )

const asking = (child: ChildProcess): ServerProcess["ask"] => {
  const waiting = new Map<number, (answer: Effect.Effect<unknown>) => void>()
  let asked = 0
  child.on("message", ({ id, value }: Answered) => {
    waiting.get(id)?.(Effect.succeed(value))
    waiting.delete(id)
  })
  child.once("exit", () => {
    for (const resume of waiting.values())
      resume(Effect.die(new Error("The server ended before it answered.")))
  })
  return (name, argument) =>
    Effect.callback((resume) => {
      const id = asked++
      waiting.set(id, resume)
      child.send({ id, name, argument })
    })
}

const windowMillis = 300
const busyMillis = 30
const restMillisMax = 120_000

const rest = Effect.fnUntraced(function* (pid: number) {
  for (let waited = 0; waited < restMillisMax; waited += windowMillis) {
    const before = cpuMillis(pid)
    yield* Effect.sleep(windowMillis)
    if (cpuMillis(pid) - before <= busyMillis) return before
  }
  return yield* Effect.die(new Error(`The server did not come to rest in ${restMillisMax} ms.`))
})

/** After it has slept, its clocks ring and its workers look for what is due, once a second. */
const wakeMillis = 1_200

const woken =
  (child: ChildProcess): ServerProcess["woken"] =>
  (effect) =>
    Effect.acquireUseRelease(
      Effect.sync(() => child.kill("SIGCONT")),
      () => Effect.raceFirst(effect, ended(child)),
      () => Effect.sync(() => child.kill("SIGSTOP"))
    )

/** Whoever waits for something else than an answer would wait for ever. */
const ended = (child: ChildProcess): Effect.Effect<never> =>
  Effect.callback((resume) => {
    const tell = () => resume(Effect.die(new Error("The server has ended by itself.")))
    if (child.exitCode !== null || child.signalCode !== null) return tell()
    child.once("exit", tell)
    return Effect.sync(() => child.off("exit", tell))
  })

const stop = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const impatient = setTimeout(() => child.kill("SIGKILL"), stopMillisMax)
    child.once("exit", () => {
      clearTimeout(impatient)
      resolve()
    })
    child.kill("SIGTERM")
    child.kill("SIGCONT")
  })
