import { Schema } from "effect"
import { clashes } from "./PspCredential.ts"

export class PspCredentialNotFound extends Schema.TaggedError<PspCredentialNotFound>()(
  "PspCredentialNotFound",
  { id: Schema.String }
) {}

/** The PSP is there already: configured, or kept under another id. */
export class PspAlreadyThere extends Schema.TaggedError<PspAlreadyThere>()("PspAlreadyThere", {
  other: Schema.String,
  by: Schema.Literals(clashes),
  isConfigured: Schema.Boolean
}) {}

/** The operator means another bank than the one that the credentials are kept of. */
export class PspOfOtherProvider extends Schema.TaggedError<PspOfOtherProvider>()(
  "PspOfOtherProvider",
  { kept: Schema.String }
) {}

/** The operator means another environment than that of the deployment. */
export class PspOfOtherEnvironment extends Schema.TaggedError<PspOfOtherEnvironment>()(
  "PspOfOtherEnvironment",
  { deployment: Schema.String }
) {}

/** The new settings are about another account at the PSP, where nothing of what was begun would be found. */
export class PspAccountChanged extends Schema.TaggedError<PspAccountChanged>()(
  "PspAccountChanged",
  { kept: Schema.optionalKey(Schema.String) }
) {}

export class TooManyPspCredentials extends Schema.TaggedError<TooManyPspCredentials>()(
  "TooManyPspCredentials",
  { max: Schema.Int, counted: Schema.Literals(["active", "remembered"]) }
) {}
