import { Pagora } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { chargeAmount, payer } from "./Charge.ts"
import { psp } from "./Shop.ts"

/** What was made, by the ends of their ids, and when the last of them is over. */
export interface Expiring {
  readonly first: string
  readonly last: string
  readonly overAt: number
}

// Opens charges that live as short as they may, for a server that stands still until all of them are over: a process of the
// same deployment that works nothing off.
const [account = "", count = "0"] = process.argv.slice(2)
const expiresIn = 60
const callers = 64

const pagora = await Pagora.start({
  storage: postgres({ url: process.env["DATABASE_URL"] ?? "" }),
  psp: psp(),
  secret: process.env["PAGORA_SECRET"],
  rateLimits: false,
  workers: false
})
const ids: Array<string> = []
let begun = 0
const caller = async () => {
  while (begun < Number(count)) {
    const externalReference = `vencido-${Date.now()}-${begun++}`
    const { id } = await pagora.charges.create(account, {
      amount: chargeAmount,
      customer: payer,
      expiresIn,
      externalReference
    })
    ids.push(id)
  }
}
await Promise.all(Array.from({ length: callers }, caller))
ids.sort()
const expiring: Expiring = {
  first: ids[0] ?? "",
  last: ids.at(-1) ?? "",
  overAt: Date.now() + expiresIn * 1_000
}
console.log(JSON.stringify(expiring))
await pagora.stop()
