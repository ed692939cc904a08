import { execFile, spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import type { Fault } from "./Block.ts"
import type { Ran, Session } from "./Session.ts"
import { provisions, root } from "./Session.ts"
import type { ProgramStep } from "./Step.ts"

const programMillis = 60_000
const pollMillis = 25

/** A program of a document as a file; each line of it stands where it stands in the document. */
export interface Program {
  readonly step: ProgramStep
  readonly file: string
}

const fixtures = join(root, "tools/docs/fixtures")
const isProvision = (name: string) => (provisions as ReadonlyArray<string>).includes(name)

/** What a program asks for that neither the session nor `fixtures/` has. */
export const unknownNames = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => !isProvision(name) && !existsSync(join(fixtures, `${name}.ts`)))

export const writeProgram = async (step: ProgramStep, session: Session): Promise<Program> => {
  const { block, blocks } = step
  const file = join(session.folder, `line-${block.line}.${block.language}`)
  const lines: Array<string> = []
  for (const each of blocks) {
    const code = await session.adapted(each.code)
    for (const [index, line] of code.split("\n").entries()) lines[each.line + index] = line
  }
  const beside = step.with
    .filter((name) => !isProvision(name))
    .map((name) => {
      const from = relative(dirname(file), join(fixtures, `${name}.ts`))
      return `import { ${name} } from "${from}"; `
    })
  // The first line of a document is its title, so what stands beside the code takes its place.
  lines[0] = `${beside.join("")}export {}`
  // What stands beside the code may keep the process alive, so the code ends it.
  if (beside.length > 0 && step.until === undefined) lines.push("process.exit()")
  writeFileSync(file, `${Array.from(lines, (line) => line ?? "").join("\n")}\n`)
  return { step, file }
}

/** Checks the types of all programs at once. */
export const typeFaults = async (
  folder: string,
  programs: ReadonlyArray<Program>
): Promise<ReadonlyArray<Fault>> => {
  const files = programs.map(({ file }) => file).filter((file) => file.endsWith(".ts"))
  if (files.length === 0) return []
  const settings = join(folder, "tsconfig.json")
  const compilerOptions = {
    composite: false,
    incremental: false,
    tsBuildInfoFile: null,
    rootDir: root,
    noEmit: true,
    declaration: false,
    declarationMap: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    types: ["node"],
    typeRoots: [join(root, "tools/docs/node_modules/@types")]
  }
  mkdirSync(folder, { recursive: true })
  const extended = join(root, "tsconfig.json")
  writeFileSync(settings, JSON.stringify({ extends: extended, files, compilerOptions }))
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const said = await promisify(execFile)(
    process.execPath,
    [compiler, "--pretty", "false", "-p", settings],
    { cwd: root, maxBuffer: 16 * 1024 * 1024 }
  ).then(
    () => "",
    (error: { readonly stdout?: string }) => error.stdout ?? String(error)
  )
  rmSync(settings)
  return said
    .split("\n")
    .filter((line) => /error TS/.test(line))
    .map((line) => faultIn(line, programs))
}

const faultIn = (text: string, programs: ReadonlyArray<Program>): Fault => {
  const [, file = "", line = "1", message = text] = /^(.*?)\((\d+),\d+\): (.*)$/.exec(text) ?? []
  const program = programs.find((each) => each.file === join(root, file))
  return { path: program?.step.block.path ?? file, line: Number(line), message }
}

/** Runs a program to its end, or until what it waits for has come, and then to its end by SIGTERM. */
export const runProgram = async (program: Program, session: Session): Promise<Ran> => {
  const { step, file } = program
  const until = step.until === undefined ? undefined : await session.adapted(step.until)
  const child = spawn(process.execPath, [file], {
    cwd: session.folder,
    env: await session.environment(),
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  let complaint = ""
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString("utf8")))
  child.stderr.on("data", (bytes: Buffer) => (complaint += bytes.toString("utf8")))
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  let isReached = until === undefined
  const began = Date.now()
  while (!hasEnded() && Date.now() - began < programMillis) {
    if (!isReached && (await isThere(until ?? "", output))) {
      isReached = true
      child.kill("SIGTERM")
    }
    await sleep(pollMillis)
  }
  if (!hasEnded()) {
    child.kill("SIGKILL")
    complaint += isReached ? "It does not end." : `It never came to: ${until}`
    isReached = false
  } else if (!isReached) complaint += `It ended before: ${until}`
  await closed
  const isEndedByUs = until !== undefined && child.signalCode === "SIGTERM"
  return { isFine: isReached && (child.exitCode === 0 || isEndedByUs), output, complaint }
}

/** `GET url` waits for a 2xx, `GET url 404` for that status; anything else is text to be printed. */
const isThere = async (until: string, output: string): Promise<boolean> => {
  const [, url, status] = /^GET (\S+)(?: (\d+))?$/.exec(until) ?? []
  if (url === undefined) return output.includes(until)
  const answer = await fetch(url).catch(() => undefined)
  return status === undefined ? answer?.ok === true : answer?.status === Number(status)
}

/** The packages that a program imports and that the document's `npm install` does not bring. */
export const notInstalled = (program: Program, session: Session): ReadonlyArray<string> => {
  const list = join(session.folder, "installed")
  if (!existsSync(list)) return []
  const installed = readFileSync(list, "utf8").split("\n")
  const code = program.step.blocks.map((block) => block.code).join("\n")
  const imported = [...code.matchAll(/from "((?:@[\w-]+\/)?[\w-]+)[^"]*"/g)]
    .filter(([whole]) => !whole.includes('"node:'))
    .map(([, name = ""]) => name)
  return [...new Set(imported)].filter((name) => !installed.includes(name))
}
