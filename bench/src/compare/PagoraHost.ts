import type { PagoraInstance } from "@pagora/core"
import { Pagora } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import type { RequestListener } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { answering } from "./Asked.ts"
import type { Shop } from "./Shop.ts"
import { account, credential, funds, psp, pspSecret, transport } from "./Shop.ts"

const path = "/payments/v2"

/** A shop with Pagora in it, in a process of its own: `mount` makes the app of its framework. */
export const serveShop = async (
  mount: (pagora: PagoraInstance, path: string) => RequestListener
): Promise<void> => {
  const pagora = await Pagora.start({
    storage: postgres({ url: process.env["DATABASE_URL"] ?? "" }),
    psp: psp(),
    transport: transport(),
    secret: process.env["PAGORA_SECRET"],
    rateLimits: false
  })
  const { id } = await pagora.accounts.create(account)
  await pagora.accounts.adjust(id, funds)
  const { clientId, clientSecret } = await pagora.credentials.issue(id, credential)
  answering({ audit: () => pagora.audit() })

  const server = createServer(mount(pagora, path))
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    const baseUrl = `http://127.0.0.1:${port}${path}`
    const shop: Shop = { baseUrl, account: id, clientId, clientSecret, pspSecret }
    console.log(JSON.stringify(shop))
  })
  process.once("SIGTERM", () => {
    server.close(() => void pagora.stop())
  })
}
