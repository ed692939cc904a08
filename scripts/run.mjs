// Runs the workspace's commands, those of `commands` below: `node scripts/run.mjs test [args…]`.
// It installs what is missing and chooses a Node.js that is new enough, so that a fresh clone needs one
// command only (decision 0013). Plain JavaScript without dependencies, because it runs first, on whatever Node is there.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const stamp = join(modules, ".pagora-stamp")
const lock = join(modules, ".pagora-lock")
const pnpm = join(root, "scripts/pnpm")
const lockWaitSeconds = 600

// Every process that is started from the sources, also by a test or a document, finds what another one has compiled.
process.env.NODE_COMPILE_CACHE ??= join(modules, ".cache/node-compile")

/** Every step of a command: its name, the script that the chosen Node runs, the script's arguments. */
const tool = (name, path, ...args) => ({ name, args: [join(modules, path), ...args] })
const source = (name, path, ...args) => ({
  name,
  args: ["--conditions=@pagora/source", path, ...args]
})
const commands = {
  // `npm run example standalone` runs what its package.json calls `start`; another script may be named after it.
  example: ([name = "", script = "start", ...args]) => {
    const folder = join(root, "examples", name)
    const { scripts = {} } = JSON.parse(readOr(join(folder, "package.json"), "{}"))
    const [, path] = /^node (\S+)$/.exec(scripts[script] ?? "") ?? []
    if (path === undefined) fail(`There is no program ${script} of an example "${name}".`, 2)
    return [{ ...source(name, path, ...args), cwd: folder }]
  },
  start: (args) => [source("start", "packages/server/bin/pagora.mjs", "dev", ...args)],
  pagora: (args) => [source("pagora", "packages/server/bin/pagora.mjs", ...args)],
  test: (args) => [tool("tests", "vitest/vitest.mjs", "run", ...args)],
  races: (args) => {
    process.env.PAGORA_RACE_REPEATS ??= "20"
    return [
      tool("races", "vitest/vitest.mjs", "run", "packages/postgres/test/races.test.ts", ...args)
    ]
  },
  bench: (args) => [source("bench", "bench/src/main.ts", ...args)],
  docs: (args) => [source("docs", "tools/docs/src/main.ts", ...args)],
  fuzz: (args) => [source("fuzz", "packages/testkit/src/fuzz/main.ts", ...args)],
  crash: (args) => [source("crash", "packages/testkit/src/crash/main.ts", ...args)],
  soak: (args) => [source("soak", "packages/testkit/src/soak/main.ts", ...args)],
  simulate: (args) => {
    const { args: plain, name } = source("simulate", "tools/simulate/src/main.ts", ...args)
    // Nearly all that a seed makes dies young: with room for that, it costs a sixth less of a processor.
    return [{ name, args: ["--max-semi-space-size=64", ...plain] }]
  },
  plant: (args) => [source("plant", "tools/plant/src/main.ts", ...args)],
  names: () => [source("public names", "tools/packaging/src/names.ts", "--write")],
  pack: () => [source("pack", "tools/packaging/src/pack.ts")],
  "pack:check": (args) => [source("install", "tools/packaging/src/install.ts", ...args)],
  fix: () => [
    tool("lint --fix", "oxlint/bin/oxlint", "--fix"),
    tool("format", "oxfmt/bin/oxfmt", "--write")
  ],
  check: () => [
    tool("lint", "oxlint/bin/oxlint", "--deny-warnings"),
    tool("format", "oxfmt/bin/oxfmt", "--check"),
    tool("types", "typescript/bin/tsc", "-p", "tsconfig.check.json"),
    source("build", "scripts/build.mjs"),
    tool("dead code", "knip/bin/knip.js"),
    source("public names", "tools/packaging/src/names.ts"),
    source("packages", "tools/packaging/src/pack.ts", "--check"),
    source("documents", "tools/docs/src/main.ts")
  ]
}

const say = (sentence) => process.stderr.write(`${sentence}\n`)

const fail = (sentence, code = 1) => {
  say(`pagora: ${sentence}`)
  process.exit(code)
}

// A signal goes on to the child, and we end when it has ended. Ctrl-C in a terminal already reached the
// child, which would otherwise take a second SIGINT for impatience.
let child
let interrupted = false
const stop = (signal) => {
  interrupted = true
  if (!(signal === "SIGINT" && process.stdin.isTTY)) child?.kill(signal)
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop)

// Between npm and us is a shell that dies of npm's signal without passing it on; nobody else would stop us.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent && !interrupted) stop("SIGTERM")
  }, 250).unref()
}

const run = (file, args, options = {}) =>
  new Promise((resolve, reject) => {
    child = spawn(file, args, { cwd: root, stdio: "inherit", ...options })
    child.on("error", reject)
    child.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })

const readOr = (file, otherwise) => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return otherwise
  }
}

/** A hash of everything that decides what an install puts into node_modules. */
const fingerprint = () => {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`)
  const below = (folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`)
      : []
  const manifests = ["packages", "examples", "tools"].flatMap(below).sort()
  const files = [
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "package.json",
    "bench/package.json",
    "scripts/pnpm/package-lock.json"
  ]
  for (const file of [...files, ...manifests]) {
    hash.update(`${file}\n${readOr(join(root, file), "")}\n`)
  }
  return hash.digest("hex")
}

const alive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

const lockOwner = () => readOr(join(lock, "pid"), "nobody")

/** True once the lock is ours: it was free, or its owner is dead and we are the one who takes it over. */
const tryLock = () => {
  mkdirSync(modules, { recursive: true })
  try {
    mkdirSync(lock)
  } catch (error) {
    if (error.code !== "EEXIST") throw error
    const owner = lockOwner()
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (owner === "nobody" ? age < 5000 : alive(Number(owner))) return false
    try {
      // Only one of several heirs can make this folder, and only in the lock whose owner is dead.
      mkdirSync(join(lock, `heir-of-${owner}`))
    } catch {
      return false
    }
    if (lockOwner() !== owner) return false
  }
  writeFileSync(join(lock, "pid"), String(process.pid))
  return true
}

const takeLock = async () => {
  for (let waited = 0; !tryLock(); waited += 0.2) {
    if (interrupted) process.exit(130)
    if (waited === 0) say("Waiting for another process that is installing the dependencies…")
    if (waited > lockWaitSeconds) {
      fail(
        "another process is still installing; if there is none, remove node_modules/.pagora-lock."
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const quiet = { stdio: ["ignore", 2, 2], env: { ...process.env, CI: "true" } }

/** Brings the pnpm of `scripts/pnpm`: npm unpacks nothing whose hash is not the one in its package-lock.json. */
const installPnpm = async () => {
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const shell = process.platform === "win32"
  const code = await run("npm", args, { ...quiet, cwd: pnpm, shell }).catch((error) =>
    fail(`npm does not start (${error.message}); install npm and try again.`)
  )
  // npm leaves an optional package out whose hash is wrong, and pnpm would then download its binary without one.
  const binaries = join(pnpm, "node_modules/@pnpm")
  if (code !== 0 || (existsSync(binaries) && readdirSync(binaries).length > 0)) return code
  say(`pagora: npm has no pnpm for ${process.platform}-${process.arch} with the hash it must have.`)
  return 1
}

const runPnpm = () => {
  const args = ["install", "--frozen-lockfile", "--pm-on-fail=ignore", "--loglevel=error"]
  return run(process.execPath, [join(pnpm, "node_modules/pnpm/bin/pnpm.mjs"), ...args], quiet)
}

/** The version that installs, as scripts/pnpm pins it. */
const pnpmVersion = JSON.parse(readFileSync(join(root, "scripts/pnpm/package.json"), "utf8"))
  .dependencies.pnpm

const install = async () => {
  const wanted = fingerprint()
  const isInstalled = () => readOr(stamp, "") === wanted
  if (isInstalled()) return
  await takeLock()
  try {
    if (isInstalled()) return
    say("Installing the dependencies; it takes a minute, once…")
    // CI=true: it must never ask. Its stdout goes to stderr: ours belongs to the command.
    const code = (await installPnpm()) || (await runPnpm())
    if (interrupted) process.exitCode = code || 130
    else if (code === 0) writeFileSync(stamp, wanted)
    else {
      process.exitCode = code
      say(
        "pagora: installing the dependencies failed (see above); check the network, or, after a change " +
          "to a package.json, run: npx -y " +
          `pnpm@${pnpmVersion} install`
      )
    }
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
  if (process.exitCode) process.exit()
}

/** The machine's own Node where it is new enough, else the pinned one that the install brought. */
const chooseNode = () => {
  const [major, minor] = process.versions.node.split(".").map(Number)
  if (major > 23 || (major === 22 && minor >= 19)) return process.execPath
  const pinned = `tools/node/node_modules/node-${process.platform}-${process.arch}/bin/node`
  if (existsSync(join(root, pinned))) return join(root, pinned)
  return fail(
    `Node.js ${process.versions.node} is too old, and none is pinned for ${process.platform}-${process.arch}; ` +
      "install Node.js 22.19 or newer (24 is best) and try again."
  )
}

/** Runs all steps, the later ones also when an earlier one failed, and says at the end which did. */
const runSteps = async (node, steps) => {
  const results = []
  for (const { name, args, cwd = root } of steps) {
    if (steps.length > 1) console.log(`\n── ${name} ──`)
    const started = Date.now()
    const code = await run(node, args, { cwd }).catch((error) =>
      fail(`${node} fails: ${error.message}`)
    )
    results.push({ name, code, seconds: (Date.now() - started) / 1000 })
    if (interrupted) break
  }
  return results
}

const [command, ...args] = process.argv.slice(2)
if (!Object.hasOwn(commands, command ?? "")) {
  fail(`usage: node scripts/run.mjs ${Object.keys(commands).join("|")} [args…]`, 2)
}
await install()
const results = await runSteps(chooseNode(), commands[command](args))
if (results.length > 1) {
  console.log("")
  for (const { name, code, seconds } of results) {
    console.log(`${code === 0 ? "ok  " : "FAIL"}  ${name.padEnd(12)}  ${seconds.toFixed(1)} s`)
  }
}
if (process.env.PAGORA_STEPS_REPORT) {
  writeFileSync(process.env.PAGORA_STEPS_REPORT, JSON.stringify(results))
}
process.exit(results.find(({ code }) => code !== 0)?.code ?? 0)
