import type { Json } from "./Wire.ts"
import { documents, unknownId, withdrawalBody } from "./Steps.ts"

/** The eleven permissions of the specification. */
export const permissions = [
  "TRANSACTION:READ",
  "PIX:WRITE",
  "WITHDRAWAL:WRITE",
  "REFUND:WRITE",
  "PROJECT:READ",
  "PROJECT:WRITE",
  "SUBACCOUNT:READ",
  "SUBACCOUNT:WRITE",
  "ACCOUNT:READ",
  "BALANCE_BLOCK:READ",
  "FULL_ACCESS"
] as const
export type Permission = (typeof permissions)[number]

/** An endpoint that needs a token, with a request that its permission lets through. */
export interface Endpoint {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly permission: Permission
  readonly body?: Json
  /** What a caller with the permission and R$ 0.01 is answered. */
  readonly status: number
  /** Whether it needs sub-account access in any case, as it acts on several wallets. */
  readonly needsAccess?: boolean
}

export const createCharge: Endpoint = {
  method: "POST",
  path: "/pix",
  permission: "PIX:WRITE",
  body: { amount: 1, customer: { name: "Ana", document: documents.cpf } },
  status: 201
}
export const createWithdrawal: Endpoint = {
  method: "POST",
  path: "/withdrawals",
  permission: "WITHDRAWAL:WRITE",
  // More than there is: whoever may ask is told so.
  body: withdrawalBody({ amount: 1000 }),
  status: 400
}
export const getTransaction: Endpoint = {
  method: "GET",
  path: `/transactions/${unknownId}`,
  permission: "TRANSACTION:READ",
  status: 404
}
export const createRefund: Endpoint = {
  method: "POST",
  path: `/transactions/${unknownId}/refund`,
  permission: "REFUND:WRITE",
  body: { reason: "conformance" },
  status: 404
}
export const createProject: Endpoint = {
  method: "POST",
  path: "/projects",
  permission: "PROJECT:WRITE",
  // Nobody's name: it may be asked for any number of times.
  body: { name: "" },
  status: 400
}
export const listProjects: Endpoint = {
  method: "GET",
  path: "/projects",
  permission: "PROJECT:READ",
  status: 200
}
export const createSubAccount: Endpoint = {
  method: "POST",
  path: "/sub-accounts",
  permission: "SUBACCOUNT:WRITE",
  body: { reference: "principal", name: "Main" },
  status: 400
}
export const listSubAccounts: Endpoint = {
  method: "GET",
  path: "/sub-accounts",
  permission: "SUBACCOUNT:READ",
  status: 200
}
export const getAccount: Endpoint = {
  method: "GET",
  path: "/account",
  permission: "ACCOUNT:READ",
  status: 200
}
export const listBlocks: Endpoint = {
  method: "GET",
  path: "/balance-blocks",
  permission: "BALANCE_BLOCK:READ",
  status: 200
}

// Beyond the specification.
export const cancelCharge: Endpoint = {
  method: "POST",
  path: `/pix/${unknownId}/cancel`,
  permission: "PIX:WRITE",
  status: 404
}
export const createTransfer: Endpoint = {
  method: "POST",
  path: "/internal-transfers",
  permission: "WITHDRAWAL:WRITE",
  body: { to: "principal", amount: 0 },
  status: 400,
  needsAccess: true
}
export const listTransactions: Endpoint = {
  method: "GET",
  path: "/transactions",
  permission: "TRANSACTION:READ",
  status: 200
}
export const getWithdrawal: Endpoint = {
  method: "GET",
  path: `/withdrawals/${unknownId}`,
  permission: "TRANSACTION:READ",
  status: 404
}

/** All endpoints of the specification but POST /auth. */
export const endpoints: ReadonlyArray<Endpoint> = [
  createCharge,
  createWithdrawal,
  getTransaction,
  createRefund,
  createProject,
  listProjects,
  createSubAccount,
  listSubAccounts,
  getAccount,
  listBlocks
]
