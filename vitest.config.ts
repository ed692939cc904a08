import { existsSync, readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

// `source` first: tests run the TypeScript sources of all packages, so nothing is built for them.
// Vite itself adds `import` or `require`, as a file is loaded; named here, CommonJS packages would get `import` too.
const conditions = ["source", "module", "node"]

const root = import.meta.dirname

const below = (folder: string) =>
  existsSync(`${root}/${folder}`)
    ? readdirSync(`${root}/${folder}`).map((name) => `${folder}/${name}`)
    : []

const report = process.env["PAGORA_TEST_REPORT"]

export default defineConfig({
  root,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    pool: "forks",
    // Many tests wait, for a timer or a database, so two cores have two workers. More leave one core to what they start.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    // Real parts (a PostgreSQL, a server process) start in hooks.
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      ...below("packages"),
      ...below("examples"),
      "bench",
      "tools/docs",
      "tools/packaging",
      "tools/plant",
      "tools/simulate"
    ]
      .filter((folder) => existsSync(`${root}/${folder}/package.json`))
      .map((folder) => ({
        extends: true,
        test: {
          name: folder.replace("packages/", ""),
          include: [`${folder}/src/**/*.test.ts`, `${folder}/test/**/*.test.ts`]
        }
      }))
  }
})
