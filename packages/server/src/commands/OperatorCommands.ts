import { accountCommand } from "./AccountCommands.ts"
import { auditCommand } from "./AuditCommand.ts"
import { blockCommand } from "./BlockCommands.ts"
import { conformanceCommand } from "./ConformanceCommand.ts"
import { credentialCommand } from "./CredentialCommands.ts"
import { deliveriesCommand } from "./DeliveryCommands.ts"
import { discrepanciesCommand } from "./DiscrepancyCommands.ts"
import { reviewCommand } from "./ReviewCommands.ts"
import { subAccountCommand } from "./SubAccountCommands.ts"
import { suspenseCommand } from "./SuspenseCommands.ts"
import { webhookCommand } from "./WebhookCommands.ts"

/** What an operator does with a running service, from anywhere. */
export const operatorCommands = [
  accountCommand,
  subAccountCommand,
  credentialCommand,
  webhookCommand,
  deliveriesCommand,
  blockCommand,
  reviewCommand,
  suspenseCommand,
  discrepanciesCommand,
  auditCommand,
  conformanceCommand
] as const
