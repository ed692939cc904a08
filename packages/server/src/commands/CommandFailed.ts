import { Schema } from "effect"

/** A command did not do what it was asked; one sentence that says what to do. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String
}) {}
