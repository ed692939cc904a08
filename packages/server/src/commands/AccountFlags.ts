import { Argument, Flag } from "effect/cli"

/** The account that a command is about. */
export const accountArgument = Argument.String("account").pipe(
  Argument.withDescription("Id of the account")
)

export const subAccountFlag = Flag.String("sub-account").pipe(
  Flag.withMetavar("reference"),
  Flag.withDescription("Reference of a sub-account, instead of the main wallet"),
  Flag.optional
)
