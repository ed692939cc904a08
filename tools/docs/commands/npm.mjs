// What `npm …` does in a document. Nothing is fetched and no suite is run in itself:
// - `npm start` and `npm run example …` run, in the background, what they run in a clone;
// - `npm install …` checks that the workspace or its lockfile has each package;
// - any other script of package.json has to be there; CI runs it.
import { appendFileSync, readdirSync, readFileSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { pagora, serve } from "./pagora.mjs"

const { DOCUMENT_FOLDER: folder, DOCUMENT_ROOT: root } = process.env
const manifestOf = (path) => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"))

const fail = (sentence) => {
  console.error(sentence)
  process.exit(1)
}

export const run = async ([command, ...args]) => {
  if (command === "start") return pagora(["dev", ...args.filter((each) => each !== "--")])
  if (["install", "i", "add"].includes(command)) return install(args)
  const script = command === "run" ? args[0] : command
  if (script === "example") return example(args.slice(1))
  if (manifestOf(".").scripts[script] === undefined) fail(`package.json has no script "${script}".`)
}

/** The folders of the packages that are published. */
const published = () =>
  new Map(
    readdirSync(join(root, "packages"))
      .map((name) => manifestOf(`packages/${name}`))
      .filter((manifest) => manifest.private !== true)
      .map((manifest) => [manifest.name, manifest])
  )

const install = (args) => {
  const packages = published()
  const lockfile = readFileSync(join(root, "pnpm-lock.yaml"), "utf8")
  for (const given of args.filter((each) => !each.startsWith("-"))) {
    const name = given.replace(/(?<=.)@[^/]*$/, "")
    const isKnown = name.startsWith("@pagora/")
      ? packages.has(name)
      : new RegExp(`^ {2,6}'?${name}(?:@|'?:)`, "m").test(lockfile)
    if (!isKnown) fail(`There is no package ${name} in this workspace or its lockfile.`)
    // npm installs the peers that are not optional too.
    const { peerDependencies = {}, peerDependenciesMeta = {} } = packages.get(name) ?? {}
    const peers = Object.keys(peerDependencies).filter(
      (peer) => peerDependenciesMeta[peer]?.optional !== true
    )
    appendFileSync(join(folder, "installed"), `${[name, ...peers].join("\n")}\n`)
  }
}

const example = async ([name = "", script = "start", ...args]) => {
  const command = manifestOf(`examples/${name}`).scripts?.[script] ?? ""
  const [, path] = /^node (\S+)$/.exec(command) ?? []
  if (path === undefined) fail(`There is no program ${script} of an example "${name}".`)
  // Its data stay in the folder of the document.
  const program = [join(root, "examples", name, path), ...args]
  if (script === "start") return serve(program)
  const { status } = spawnSync(process.execPath, program, { stdio: "inherit" })
  process.exit(status ?? 1)
}
