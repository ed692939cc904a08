import { Pagora } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { pagoraExpress } from "@pagora/express"
import { postgres } from "@pagora/postgres"
import { pglite } from "@pagora/postgres/pglite"
import express from "express"

const storage = process.env.DATABASE_URL ? postgres({ url: process.env.DATABASE_URL }) : pglite()
const pagora = await Pagora.start({ storage, psp: sandbox(), secret: process.env.PAGORA_SECRET })
const shop = await pagora.accounts.create({ name: "Loja Azul", document: "11222333000181" })
const keys = await pagora.credentials.issue(shop.id, { permissions: ["FULL_ACCESS"] })
await pagora.on("payment_completed", { name: "orders" }, ({ data }) => console.log("paid", data))

const app = express().use("/payments/v2", pagoraExpress(pagora))
app.post("/pay/:id", async (req, res) => res.json(await pagora.sandbox.pay(req.params.id)))
const server = app.listen(process.env.PORT ?? 3000, () => console.log(keys))
process.on("SIGTERM", () => server.close(() => pagora.stop()))
