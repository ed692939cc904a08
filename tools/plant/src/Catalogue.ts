import { banks } from "./catalogue/Banks.ts"
import { blocks } from "./catalogue/Blocks.ts"
import { charges } from "./catalogue/Charges.ts"
import { decisions } from "./catalogue/Decisions.ts"
import { funds } from "./catalogue/Funds.ts"
import { guards } from "./catalogue/Guards.ts"
import { keys } from "./catalogue/Keys.ts"
import { payouts } from "./catalogue/Payouts.ts"
import { reports } from "./catalogue/Reports.ts"
import { returns } from "./catalogue/Returns.ts"
import { sql } from "./catalogue/Sql.ts"
import { wallets } from "./catalogue/Wallets.ts"
import { webhooks } from "./catalogue/Webhooks.ts"
import { woovi } from "./catalogue/Woovi.ts"
import { writes } from "./catalogue/Writes.ts"
import type { Plant } from "./Plant.ts"

/** Every bug that the simulator has to find. */
export const plants: ReadonlyArray<Plant> = [
  ...writes,
  ...keys,
  ...charges,
  ...payouts,
  ...decisions,
  ...returns,
  ...blocks,
  ...wallets,
  ...webhooks,
  ...banks,
  ...woovi,
  ...funds,
  ...reports,
  ...sql
]

export { guards }
