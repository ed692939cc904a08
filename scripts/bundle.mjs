// Bundles a package: one file for each entry of its `exports`, and files that entries share, so that whoever imports
// one loads a few files and every class is there once (decision 0088). What is installed beside it stays an import.
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { rolldown } from "rolldown"

const barrel = /^(effect|@effect\/sql-pg)(?:\/([a-z-]+))?$/
const generated = /\.js(\.map)?$/

/** Writes `dist/src` of a package, where its declarations are. */
export const bundle = async (folder) => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const built = join(folder, "dist/src")
  const bundled = await rolldown({
    input: entriesOf(folder, manifest),
    cwd: folder,
    platform: "node",
    external: (name) => !/^[./]/.test(name),
    plugins: [behindBarrels(folder)],
    // A warning here is a module in a circle, or a name that is not there.
    onLog: (level, { message }) => {
      throw new Error(`${manifest.name}: ${level}: ${message}`)
    },
    treeshake: { moduleSideEffects: (_, isExternal) => !isExternal }
  })
  const { output } = await bundled.write({
    dir: built,
    format: "esm",
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name].js",
    keepNames: true,
    comments: { annotation: true, jsdoc: false }
  })
  await bundled.close()
  const written = new Set(output.map(({ fileName }) => fileName))
  for (const file of written) {
    const path = join(built, file)
    if (file.endsWith(".js")) writeFileSync(path, inLatin(readFileSync(path, "utf8")))
  }
  for (const file of readdirSync(built, { recursive: true })) {
    if (generated.test(file) && !written.has(file)) rmSync(join(built, file))
  }
}

const entriesOf = (folder, manifest) => {
  const sources = Object.values(manifest.exports).flatMap(
    (conditions) => conditions["@pagora/source"] ?? []
  )
  const programs = Object.keys(manifest.bin ?? {}).length > 0 ? ["./src/main.ts"] : []
  return Object.fromEntries(
    [...sources, ...programs].map((source) => [
      relative("src", source).replace(/\.ts$/, ""),
      join(folder, source)
    ])
  )
}

/**
 * One letter beyond Latin-1 makes V8 keep two bytes for each letter of a file, so such letters are escaped. All of them
 * stand in texts, regular expressions and names of properties.
 */
const inLatin = (code) =>
  code.replace(
    /[^\0-\xff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/**
 * A barrel of Effect loads everything that stands in it, so what is imported are the modules behind it: `effect/Schema`
 * for `Schema` of `effect`, which is the same module under both names. Lines stay where they are, for the source maps.
 */
const behindBarrels = (folder) => {
  const require = createRequire(join(folder, "package.json"))
  const barrels = new Map()
  const modulesOf = (name) => {
    const [, published, part = ""] = barrel.exec(name)
    const index = join(
      dirname(require.resolve(`${published}/package.json`)),
      "dist",
      part,
      "index.js"
    )
    const modules = readFileSync(index, "utf8").matchAll(
      /^export \* as (\w+) from "\.\/(\w+)\.js"/gm
    )
    return new Map([...modules].map(([, given, file]) => [given, `${name}/${file}`]))
  }
  const importOf = (given, name) => {
    if (!barrels.has(name)) barrels.set(name, modulesOf(name))
    const [imported, local = imported] = given.split(" as ")
    const found = barrels.get(name).get(imported)
    if (found === undefined) throw new Error(`${name} has no module ${imported}.`)
    return `import * as ${local} from "${found}";`
  }
  return {
    name: "behind barrels",
    transform: {
      filter: { code: /from "@?effect/ },
      handler: (code) => ({
        map: null,
        code: code.replace(/^import \{([^}]*)\} from "([^"]+)"/gm, (statement, names, name) => {
          if (!barrel.test(name)) return statement
          const given = names.split(",").flatMap((word) => word.trim() || [])
          const lines = "\n".repeat(statement.split("\n").length - 1)
          return given.map((word) => importOf(word, name)).join(" ") + lines
        })
      })
    }
  }
}
