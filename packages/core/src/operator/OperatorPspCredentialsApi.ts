import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Conflict } from "../http/ErrorEnvelope.ts"
import { TimeAllowed, unhurriedMax } from "../http/TimeAllowed.ts"
import { Instant, text } from "../http/WireCodecs.ts"
import { PspCredentialId } from "../kernel/Ids.ts"
import { created, errors, inAccount, postErrors } from "./OperatorEndpointApi.ts"

const environment = Schema.Literals(["production", "sandbox"])

/** As their provider names them; what is missing or wrong among them is told by it. */
const settings = Schema.Record(
  Schema.String,
  // The usual sentences have what was given.
  Schema.String.annotate({ message: "Send a text." })
).annotate({ message: "Send an object of texts." })

export const NewPspCredentialPayload = Schema.Struct({
  provider: text(1, 50),
  environment: Schema.optionalKey(environment),
  pspCredentialId: Schema.optionalKey(PspCredentialId),
  label: Schema.optionalKey(text(1, 100)),
  settings
})

/** Which bank and environment the settings are of may be said, so that those of another one are refused. */
export const PspRotationPayload = Schema.Struct({
  provider: Schema.optionalKey(text(1, 50)),
  environment: Schema.optionalKey(environment),
  settings
})

export const PspCredentialResponse = Schema.Struct({
  pspCredentialId: Schema.String,
  provider: Schema.String,
  environment,
  status: Schema.Literals(["active", "revoked"]),
  label: Schema.optionalKey(Schema.String),
  clientId: Schema.optionalKey(Schema.String),
  pspAccount: Schema.optionalKey(Schema.String),
  fingerprint: Schema.String,
  certificateEndsAt: Schema.optionalKey(Instant),
  createdAt: Instant,
  rotatedAt: Schema.optionalKey(Instant),
  revokedAt: Schema.optionalKey(Instant)
})

const publicUrl = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^\s?#@]{1,500}$/u, {
    message: "Send the address of the tenants' API as banks reach it, without its last slash."
  })
)

export const PspSetupPayload = Schema.Struct({ publicUrl })

const Findings = Schema.Struct({
  findings: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      state: Schema.Literals(["ok", "warning", "failed"]),
      message: Schema.String
    })
  )
})

/** Credentials of PSPs that are kept in the service. No answer has a secret of them. */
export class OperatorPspCredentialsApi extends HttpApiGroup.make("pspCredentials").add(
  HttpApiEndpoint.get("list", "/psp-credentials", {
    success: Schema.Struct({
      data: Schema.Array(PspCredentialResponse),
      /** What PSPs can be kept of. */
      providers: Schema.Array(Schema.String)
    }),
    error: errors
  }),
  HttpApiEndpoint.post("add", "/psp-credentials", {
    payload: NewPspCredentialPayload,
    success: PspCredentialResponse.pipe(created),
    error: postErrors
  }),
  HttpApiEndpoint.post("rotate", "/psp-credentials/:id/rotate", {
    params: inAccount,
    payload: PspRotationPayload,
    success: PspCredentialResponse,
    error: postErrors
  }),
  HttpApiEndpoint.delete("revoke", "/psp-credentials/:id", {
    params: inAccount,
    success: HttpApiSchema.NoContent,
    error: errors
  }),
  HttpApiEndpoint.get("check", "/psp-credentials/:id/check", {
    params: inAccount,
    /** Where the PSP should send its notifications: whether they are registered there is said then. */
    query: { publicUrl: Schema.optionalKey(publicUrl) },
    success: Findings,
    error: [...errors, Conflict]
  }).annotate(TimeAllowed, unhurriedMax),
  HttpApiEndpoint.put("setUp", "/psp-credentials/:id/setup", {
    params: inAccount,
    payload: PspSetupPayload,
    success: Findings,
    error: [...errors, Conflict]
  }).annotate(TimeAllowed, unhurriedMax)
) {}
