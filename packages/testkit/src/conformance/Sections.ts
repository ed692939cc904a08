import type { Section } from "./Check.ts"
import { accountChecks } from "./checks/AccountChecks.ts"
import { authChecks } from "./checks/AuthChecks.ts"
import { blockChecks } from "./checks/BlockChecks.ts"
import { chargeChecks } from "./checks/ChargeChecks.ts"
import { clockChecks } from "./checks/ClockChecks.ts"
import { deliveryChecks } from "./checks/DeliveryChecks.ts"
import { errorChecks } from "./checks/ErrorChecks.ts"
import { eventChecks } from "./checks/EventChecks.ts"
import { idempotencyChecks } from "./checks/IdempotencyChecks.ts"
import { isolationChecks } from "./checks/IsolationChecks.ts"
import { listChecks } from "./checks/ListChecks.ts"
import { moneyChecks } from "./checks/MoneyChecks.ts"
import { permissionChecks } from "./checks/PermissionChecks.ts"
import { projectChecks } from "./checks/ProjectChecks.ts"
import { raceChecks } from "./checks/RaceChecks.ts"
import { refundChecks } from "./checks/RefundChecks.ts"
import { splitChecks } from "./checks/SplitChecks.ts"
import { subAccountChecks } from "./checks/SubAccountChecks.ts"
import { transactionChecks } from "./checks/TransactionChecks.ts"
import { troubleChecks } from "./checks/TroubleChecks.ts"
import { withdrawalChecks } from "./checks/WithdrawalChecks.ts"

/** Every check, by the sections of the specification. The last one of the races proves the books of all. */
export const sections: ReadonlyArray<Section> = [
  { name: "authentication", checks: authChecks },
  { name: "permissions", checks: permissionChecks },
  { name: "charges", checks: chargeChecks },
  { name: "transactions", checks: transactionChecks },
  { name: "lists", checks: listChecks },
  { name: "account", checks: accountChecks },
  { name: "sub-accounts", checks: subAccountChecks },
  { name: "projects", checks: projectChecks },
  { name: "withdrawals", checks: withdrawalChecks },
  { name: "refunds", checks: refundChecks },
  { name: "balance blocks", checks: blockChecks },
  { name: "splits and transfers", checks: splitChecks },
  { name: "money", checks: moneyChecks },
  { name: "idempotency", checks: idempotencyChecks },
  { name: "events", checks: eventChecks },
  { name: "delivery", checks: deliveryChecks },
  { name: "errors", checks: errorChecks },
  { name: "two tenants", checks: isolationChecks },
  { name: "time", checks: clockChecks },
  { name: "trouble at the PSP", checks: troubleChecks },
  { name: "races", checks: raceChecks }
]
