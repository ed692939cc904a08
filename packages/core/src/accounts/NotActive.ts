import { Schema } from "effect"

/** The account may not start anything new. */
export class AccountNotActive extends Schema.TaggedError<AccountNotActive>()("AccountNotActive", {
  status: Schema.String
}) {}

/** The sub-account takes no part in this any more: it is suspended, or closed. */
export class SubAccountNotActive extends Schema.TaggedError<SubAccountNotActive>()(
  "SubAccountNotActive",
  { reference: Schema.String, status: Schema.String }
) {}
