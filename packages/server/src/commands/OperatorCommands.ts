import { accountCommand } from "./AccountCommands.ts"
import { auditCommand } from "./AuditCommand.ts"
import { blockCommand } from "./BlockCommands.ts"
import { conformanceCommand } from "./ConformanceCommand.ts"
import { credentialCommand } from "./CredentialCommands.ts"
import { deliveriesCommand } from "./DeliveryCommands.ts"
import { webhookCommand } from "./WebhookCommands.ts"

/** What an operator does with a running service, from anywhere. */
export const operatorCommands = [
  accountCommand,
  credentialCommand,
  webhookCommand,
  deliveriesCommand,
  blockCommand,
  auditCommand,
  conformanceCommand
] as const
