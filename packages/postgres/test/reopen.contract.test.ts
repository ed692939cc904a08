import { storageReopenContract } from "@pagora/testkit"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { postgres } from "../src/index.ts"
import { pglite } from "../src/pglite/index.ts"
import { aDatabase } from "./FreshDatabase.test-data.ts"
import { templates } from "./Templates.test-data.ts"

const aDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pagora-reopened-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

storageReopenContract(
  "PostgreSQL",
  Effect.map(aDatabase, ({ url }) => postgres({ url }))
)
storageReopenContract(
  "PGlite",
  Effect.map(aDirectory, (dataDir) => pglite({ dataDir, templates }))
)
