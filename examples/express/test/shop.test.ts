import { freshDatabase } from "@pagora/testkit/postgres"
import { walkThrough, workspaceArguments } from "@pagora/tool-packaging/ShopWalk"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { it } from "vitest"

const folder = dirname(dirname(fileURLToPath(import.meta.url)))

it("a charge of the shop on Express is paid, told of and booked", { timeout: 90_000 }, () =>
  walkThrough({ folder, program: "shop.js", nodeArgs: workspaceArguments() })
)

it("and the same on PostgreSQL", { timeout: 90_000 }, async () => {
  const { drop, url } = await freshDatabase()
  try {
    await walkThrough({
      folder,
      program: "shop.js",
      nodeArgs: workspaceArguments(),
      environment: { DATABASE_URL: url }
    })
  } finally {
    await drop()
  }
})
