import { Result, Schema } from "effect"
import type { Account } from "./Account.ts"
import { accountStatuses } from "./Account.ts"
import type { SubAccount } from "./SubAccount.ts"
import { present } from "../kernel/Present.ts"

/** The fields of requests that name a sub-account to move money with. */
const namingFields = ["split", "from", "to"] as const
type NamingField = (typeof namingFields)[number]

/** An account or a sub-account takes no part in this: it is not approved, or it is closed. */
export class NotActive extends Schema.TaggedError<NotActive>()("NotActive", {
  resource: Schema.Literals(["account", "sub-account"]),
  /** The account's id, or the sub-account's reference. */
  name: Schema.String,
  status: Schema.Literals(accountStatuses),
  /** Absent: whoever asks acts as it. */
  field: Schema.optionalKey(Schema.Literals(namingFields))
}) {}

/** Whose wallet it is; what is not looked at is absent. */
interface Owner {
  readonly account?: Account | undefined
  readonly subAccount?: SubAccount | undefined
}

const unless =
  (may: (status: Account["status"]) => boolean) =>
  ({ account, subAccount }: Owner, field?: NamingField): Result.Result<void, NotActive> => {
    if (account !== undefined && !may(account.status)) return Result.fail(notActive(account))
    return subAccount === undefined || may(subAccount.status)
      ? Result.void
      : Result.fail(notActive(subAccount, field))
  }

/** Only who is approved starts something. */
export const mayStart = unless((status) => status === "approved")

/** Who is not closed is given money, and changed. */
export const mayReceive = unless((status) => status !== "closed")

export const notActive = (owner: Account | SubAccount, field?: NamingField): NotActive => {
  const { status } = owner
  return "reference" in owner
    ? new NotActive({
        resource: "sub-account",
        name: owner.reference,
        status,
        ...present({ field })
      })
    : new NotActive({ resource: "account", name: owner.id, status })
}
