import { startPagora } from "./pagora.ts"

const [name = "Loja Azul"] = process.argv.slice(2)

const pagora = await startPagora()
const shop = await pagora.accounts.create({ name })
const { clientId, clientSecret } = await pagora.credentials.issue(shop.id, {
  permissions: ["FULL_ACCESS"]
})
console.log(`CLIENT_ID=${clientId}\nCLIENT_SECRET=${clientSecret}`)
await pagora.stop()
