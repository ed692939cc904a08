import { Pagora } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { pagoraKoa } from "@pagora/koa"
import { postgres } from "@pagora/postgres"
import { pglite } from "@pagora/postgres/pglite"
import Koa from "koa"

const storage = process.env.DATABASE_URL ? postgres({ url: process.env.DATABASE_URL }) : pglite()
const pagora = await Pagora.start({ storage, psp: sandbox(), secret: process.env.PAGORA_SECRET })
const shop = await pagora.accounts.create({ name: "Loja Azul", document: "11222333000181" })
const keys = await pagora.credentials.issue(shop.id, { permissions: ["FULL_ACCESS"] })
await pagora.on("payment_completed", { name: "orders" }, ({ data }) => console.log("paid", data))

const app = new Koa().use(pagoraKoa(pagora, { prefix: "/payments/v2" }))
app.use(async (ctx) => (ctx.body = await pagora.sandbox.pay(ctx.path.replace("/pay/", ""))))
const server = app.listen(process.env.PORT ?? 3000, () => console.log(keys))
process.on("SIGTERM", () => server.close(() => pagora.stop()))
