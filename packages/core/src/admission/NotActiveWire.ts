import type { Effect } from "effect"
import type { NotActive } from "../accounts/NotActive.ts"
import { Conflict, Forbidden, refuse } from "../http/ErrorEnvelope.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import { present } from "../kernel/Present.ts"

/** What whoever acts as it is told; the specification has one code for sub-accounts (decision 0024). */
export const notActiveForTenant = (
  refused: NotActive
): Effect.Effect<never, Forbidden, ServiceTime> => {
  const { field, name: id, resource, status } = refused
  return refuse(Forbidden, {
    message: messageOf(refused),
    code: resource === "account" ? "ACCOUNT_NOT_ACTIVE" : "SUB_ACCOUNT_SUSPENDED",
    details: { resource, id, status, ...present({ field }) }
  })
}

/** What the operator is told, who is refused nothing but to change what is closed, and to bring money to it. */
export const notActiveForOperator = (
  refused: NotActive
): Effect.Effect<never, Conflict, ServiceTime> => {
  const { name: value, resource, status } = refused
  const [code, field] =
    resource === "account" ? ["ACCOUNT_CLOSED", "status"] : ["SUB_ACCOUNT_CLOSED", "reference"]
  return refuse(Conflict, {
    message: messageOf(refused),
    code,
    details: { resource, field, value, status }
  })
}

const messageOf = ({ field, name, resource, status }: NotActive): string => {
  if (resource === "account")
    return status === "closed"
      ? "This account is closed for ever. Open another one."
      : `This account is ${status}: it starts nothing until the operator approves it.`
  const who = field === undefined ? "The sub-account" : `${field}: the sub-account`
  return status === "closed"
    ? `${who} ${name} is closed for ever. Use another one.`
    : `${who} ${name} is ${status}: it starts nothing until the operator approves it again.`
}
