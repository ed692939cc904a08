import { Schema } from "effect"
import { EndToEndId } from "../kernel/EndToEndId.ts"
import { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import * as Kind from "../units/Kind.ts"

/** Puts the payments that the simulated PSP has received in the order in which they came. */
export class SandboxReceipt extends Schema.Class<SandboxReceipt>(
  "@pagora/core/sandbox-psp/SandboxReceipt"
)({
  id: Uuid,
  credential: PspCredentialId,
  endToEndId: EndToEndId
}) {}

export const SandboxReceiptKind: Kind.Kind<SandboxReceipt> = Kind.make({
  name: "sandbox_receipt",
  table: "operation",
  schema: SandboxReceipt,
  columns: ({ credential, id }) => ({ id, account: credential, wallet: null, status: "received" })
})
