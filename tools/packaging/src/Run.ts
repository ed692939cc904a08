import { spawn } from "node:child_process"
import { delimiter, dirname } from "node:path"

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly folder: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs a command to its end. Programs that look for `node` find the one that runs this. */
export const run = (
  file: string,
  args: ReadonlyArray<string>,
  { environment, folder }: RunOptions
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`
    const running = spawn(file, args, {
      cwd: folder,
      env: { ...process.env, ...quietNpm, PATH: path, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32"
    })
    const stdout: Array<Buffer> = []
    const stderr: Array<Buffer> = []
    running.stdout.on("data", (bytes: Buffer) => stdout.push(bytes))
    running.stderr.on("data", (bytes: Buffer) => stderr.push(bytes))
    running.once("error", reject)
    running.once("close", (code) =>
      resolve({ code, stdout: textOf(stdout), stderr: textOf(stderr) })
    )
  })

const textOf = (chunks: ReadonlyArray<Buffer>): string => Buffer.concat(chunks).toString("utf8")

/** Runs a command that has to succeed, and answers what it wrote. */
export const succeed = async (
  file: string,
  args: ReadonlyArray<string>,
  options: RunOptions
): Promise<string> => {
  const { code, stderr, stdout } = await run(file, args, options)
  if (code === 0) return stdout
  throw new Error(`${file} ${args.join(" ")} ended with ${code}:\n${stdout}\n${stderr}`)
}

const quietNpm = {
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
  npm_config_loglevel: "error"
}
