// What `pagora …` does in a document: the command from the sources. One that serves goes on in the background
// until the document ends, as it would in the reader's first terminal.
import { spawn, spawnSync } from "node:child_process"
import { openSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const { DOCUMENT_FOLDER: folder, DOCUMENT_ROOT: root } = process.env
const serving = ["dev", "serve"]
const readyMillis = 60_000

export const pagora = async (args) => {
  const program = join(root, "packages/server/bin/pagora.mjs")
  if (!serving.includes(args[0] ?? "") || args.includes("--help")) {
    const { status } = spawnSync(process.execPath, [program, ...args], { stdio: "inherit" })
    process.exit(status ?? 1)
  }
  // `dev` has a flag, `serve` reads its environment.
  const isGiven = args.includes("--port") || args[0] === "serve"
  const port = isGiven ? [] : ["--port", process.env.DOCUMENT_PORT]
  await serve([program, ...args, ...port])
}

/** Starts a program, and prints what it printed once it serves or has ended. */
export const serve = async (args, options = {}) => {
  const count = readdirSync(folder).filter((name) => name.endsWith(".service.log")).length
  const name = join(folder, `${count + 1}.service`)
  const output = openSync(`${name}.log`, "w")
  const stdio = ["ignore", output, output]
  const child = spawn(process.execPath, args, { ...options, stdio, detached: true })
  writeFileSync(`${name}.pid`, String(child.pid))
  const printed = () => readFileSync(`${name}.log`, "utf8")
  for (let waited = 0; waited < readyMillis; waited += 50) {
    if (/https?:\/\/[\w.[\]]+:\d+[^]*\n/.test(printed())) break
    if (child.exitCode !== null) break
    await sleep(50)
  }
  // One that ends soon was no service, but a program that prints something.
  for (let waited = 0; waited < 500 && child.exitCode === null; waited += 50) await sleep(50)
  process.stdout.write(printed())
  process.exit(child.exitCode ?? 0)
}
