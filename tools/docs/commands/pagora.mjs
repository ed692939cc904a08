// What `pagora …` does in a document: the command from the sources. One that serves goes on in the background
// until the document ends, as it would in the reader's first terminal.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, openSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const { DOCUMENT_FOLDER: folder, DOCUMENT_ROOT: root } = process.env
const serving = ["dev", "serve"]
const readyMillis = 60_000

export const pagora = async (args) => {
  const program = join(root, "packages/server/bin/pagora.mjs")
  if (!serving.includes(args[0] ?? "") || args.includes("--help")) {
    const operated = `http://127.0.0.1:${process.env.DOCUMENT_PORT}/operator/v1`
    const env = { PAGORA_OPERATOR_URL: operated, ...process.env }
    const { status } = spawnSync(process.execPath, [program, ...args], { env, stdio: "inherit" })
    process.exit(status ?? 1)
  }
  // `dev` has a flag, `serve` reads its environment.
  const isGiven = args.includes("--port") || args[0] === "serve"
  const port = isGiven ? [] : ["--port", process.env.DOCUMENT_PORT]
  await stopOthers()
  await serve([program, ...args, ...port])
}

/** What served before ends, as by Ctrl-C in the reader's first terminal. */
const stopOthers = async () => {
  const others = readdirSync(folder).filter((name) => name.endsWith(".service.pid"))
  for (const name of others.map((other) => join(folder, other))) {
    if (existsSync(name.replace(/pid$/, "code"))) continue
    process.kill(Number(readFileSync(name, "utf8")), "SIGTERM")
    while (!existsSync(name.replace(/pid$/, "code"))) await sleep(50)
  }
}

/** Starts a program, and prints what it printed once it serves or has ended. */
export const serve = async (args, options = {}) => {
  const count = readdirSync(folder).filter((name) => name.endsWith(".service.log")).length
  const name = join(folder, `${count + 1}.service`)
  const output = openSync(`${name}.log`, "w")
  const stdio = ["ignore", output, output]
  // A shell stays beside it, to write down with which code it ends: under another name first, since a file that
  // is there and empty would be read as an end without a code.
  const script =
    '"$@" & echo $! > "$0.new"; mv "$0.new" "$0.pid"; wait $!; echo $? > "$0.new"; mv "$0.new" "$0.code"'
  const command = ["-c", script, name, process.execPath, ...args]
  const child = spawn("bash", command, { ...options, stdio, detached: true })
  const printed = () => readFileSync(`${name}.log`, "utf8")
  for (let waited = 0; waited < readyMillis; waited += 50) {
    if (/https?:\/\/[\w.[\]]+:\d+[^]*\n|clientSecret: .*\n/.test(printed())) break
    if (child.exitCode !== null) break
    await sleep(50)
  }
  // One that ends soon was no service, but a program that prints something.
  for (let waited = 0; waited < 500 && child.exitCode === null; waited += 50) await sleep(50)
  process.stdout.write(printed())
  process.exit(child.exitCode ?? 0)
}
