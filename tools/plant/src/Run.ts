import { spawn } from "node:child_process"

/** So much of what it prints is looked at: it says at the end what it found. */
const keptMax = 64 * 1024

export interface Running {
  readonly folder: string
  readonly withinMillis: number
  readonly signal: AbortSignal
  readonly env?: NodeJS.ProcessEnv
}

/** What a program came to, and the last of what it said. */
export interface Ended {
  /** Null where a signal has ended it, or it did not begin. */
  readonly code: number | null
  readonly said: string
  /** It was ended, as it had not ended in time. */
  readonly isLate: boolean
}

/** Runs a program of Node.js until it ends, is late or is stopped; what it has started ends with it. */
export const run = (args: ReadonlyArray<string>, running: Running): Promise<Ended> =>
  new Promise((resolve) => {
    const { env = process.env, folder, signal, withinMillis } = running
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, as what it has started may let nobody end it.
      detached: true
    })
    let said = ""
    const listen = (bytes: Buffer) => {
      said = `${said}${bytes.toString("utf8")}`.slice(-keptMax)
    }
    child.stdout.on("data", listen)
    child.stderr.on("data", listen)
    const stop = () => endAll(child.pid)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      stop()
    }, withinMillis)
    signal.addEventListener("abort", stop)
    if (signal.aborted) stop()
    const end = (code: number | null, last = said) => {
      clearTimeout(timer)
      signal.removeEventListener("abort", stop)
      resolve({ code, said: last, isLate })
    }
    child.once("error", ({ message }) => end(null, message))
    child.once("close", (code) => end(code))
  })

/** Ends a process and its group, unless they have ended. */
const endAll = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
