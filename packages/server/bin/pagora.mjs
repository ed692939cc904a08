#!/usr/bin/env node
import { readFileSync } from "node:fs"

// Nothing but Node itself is imported before the version is known: an old Node would die of a syntax error instead.
const [major, minor] = process.versions.node.split(".").map(Number)

if (major < 22 || major === 23 || (major === 22 && minor < 19)) {
  console.error(
    `pagora needs Node.js 22.19 or newer (24 is best), and this is ${process.versions.node}. ` +
      "Install a newer one from https://nodejs.org, then run the same command again."
  )
  process.exitCode = 1
} else {
  // The package resolves itself: to its sources under the condition `@pagora/source`, else to its build.
  const index = import.meta.resolve("@pagora/server")
  const { main } = await import(index.replace(/index\.(\w+)$/, "main.$1"))
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  main(process.argv.slice(2), version)
}
