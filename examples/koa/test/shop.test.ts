import { walkThrough, workspaceArguments } from "@pagora/tool-packaging/ShopWalk"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { it } from "vitest"

const folder = dirname(dirname(fileURLToPath(import.meta.url)))

it("a charge of the shop on Koa is paid, told of and booked", { timeout: 90_000 }, () =>
  walkThrough({ folder, program: "shop.js", nodeArgs: workspaceArguments() })
)
