import { Pagora } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { postgres } from "@pagora/postgres"
import { pglite } from "@pagora/postgres/pglite"

const start = async () => {
  const url = process.env["DATABASE_URL"]
  const pagora = await Pagora.start({
    storage: url ? postgres({ url }) : pglite(),
    psp: sandbox(),
    secret: process.env["PAGORA_SECRET"],
    basePath: "/payments/v2"
  })
  const shop = await pagora.accounts.create({ name: "Loja Azul" })
  console.log(await pagora.credentials.issue(shop.id, { permissions: ["FULL_ACCESS"] }))
  await pagora.on("payment_completed", { name: "orders" }, ({ data }) => console.log("paid", data))
  process.once("SIGTERM", () => void pagora.stop().then(() => process.exit()))
  return pagora
}

// Next.js loads this file several times, and a build loads it too: it starts when it is asked for, once.
const shared = globalThis as { pagora?: ReturnType<typeof start> }
export const pagora = () => (shared.pagora ??= start())
