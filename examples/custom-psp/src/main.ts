import { Pagora } from "@pagora/core"
import { pglite } from "@pagora/postgres/pglite"
import { postgres } from "@pagora/postgres"
import { createServer } from "node:http"
import { aurora } from "./aurora/Aurora.ts"

const {
  AURORA_CLIENT = "",
  AURORA_NOTIFICATION_SECRET = "",
  AURORA_SECRET = "",
  AURORA_URL = "",
  DATABASE_URL,
  PAGORA_SECRET,
  PORT = "3000"
} = process.env

for (const name of ["AURORA_CLIENT", "AURORA_NOTIFICATION_SECRET", "AURORA_SECRET", "AURORA_URL"]) {
  if (process.env[name]) continue
  console.error(`Set ${name}: the bank's address, and what it gave you to sign and to verify with.`)
  process.exit(2)
}

// Charges remember under which id their PSP was configured: it never changes.
const auroraId = "6f1d7e0a-53f0-4c1e-9f0b-0f8a1c9d2e47"

const pagora = await Pagora.start({
  storage:
    DATABASE_URL === undefined ? pglite({ dataDir: "data" }) : postgres({ url: DATABASE_URL }),
  psp: {
    default: auroraId,
    psps: {
      [auroraId]: aurora({
        url: AURORA_URL,
        clientId: AURORA_CLIENT,
        secret: AURORA_SECRET,
        notificationSecret: AURORA_NOTIFICATION_SECRET,
        environment: "production"
      })
    }
  },
  secret: PAGORA_SECRET
})

const [name] = process.argv.slice(2)
if (name !== undefined) {
  const { id } = await pagora.accounts.create({ name })
  const credential = await pagora.credentials.issue(id, { permissions: ["FULL_ACCESS"] })
  console.log(`client_id ${credential.clientId}  client_secret ${credential.clientSecret}`)
}

const server = createServer(pagora.listener).listen(Number(PORT), "127.0.0.1", () => {
  console.log(`Charges: http://127.0.0.1:${PORT}/pix`)
  console.log(`The bank's notifications: http://127.0.0.1:${PORT}/psp/${auroraId}/webhook`)
})

process.once("SIGTERM", () => {
  server.close(() => void pagora.stop())
  server.closeIdleConnections()
})
