import { Effect, Redacted } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { notFound } from "../admission/AccountOfPath.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { BadRequest, Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { exactPayload } from "../http/Payload.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import type { PspPreparation } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { KeptPsps } from "../psp-vault/KeptPsps.ts"
import type { PspCredential } from "../psp-vault/PspCredential.ts"
import { PspCredentialKind } from "../psp-vault/PspCredential.ts"
import type { PspAlreadyThere, TooManyPspCredentials } from "../psp-vault/PspCredentialRefusals.ts"
import { PspCredentials } from "../psp-vault/PspCredentials.ts"
import { OperatorApi } from "./OperatorApi.ts"
import {
  NewPspCredentialPayload,
  PspCredentialResponse,
  PspRotationPayload,
  PspSetupPayload
} from "./OperatorPspCredentialsApi.ts"
import { keptFindings } from "./KeptPspChecks.ts"
import { pspPreparation } from "./PspChecks.ts"

export const OperatorPspCredentialsHandlers = handlersOf(
  OperatorApi,
  "pspCredentials",
  Effect.fnUntraced(function* (handlers) {
    const credentials = yield* PspCredentials
    const { providers } = yield* KeptPsps
    const directory = yield* PspDirectory
    const { add, rotate } = changing(credentials, yield* IdempotencyKeys)

    const revoke = Effect.fnUntraced(function* (name: string) {
      const id = yield* idOf(name)
      yield* credentials.revoke(id).pipe(
        Effect.catchTag("PspCredentialNotFound", () => unknown(id)),
        orUnavailable
      )
    })

    /** One that is kept, as it can be asked now. */
    const asked = Effect.fnUntraced(function* (name: string) {
      const id = yield* idOf(name)
      const all = yield* orUnavailable(credentials.list)
      const known = all.find(({ psp }) => psp === id)
      if (known === undefined) return yield* unknown(id)
      const psp = directory.find(id) ?? (yield* refuse(Conflict, notThere))
      return { id, psp, certificateEndsAt: known.certificateEndsAt }
    })

    const setUp = Effect.fnUntraced(function* (name: string) {
      const { psp } = yield* asked(name)
      const { publicUrl } = yield* exactPayload(PspSetupPayload)
      return { findings: yield* pspPreparation(psp, preparedFor(publicUrl, name)) }
    })

    const check = Effect.fnUntraced(function* (name: string, publicUrl: string | undefined) {
      const wanted = publicUrl === undefined ? undefined : preparedFor(publicUrl, name)
      return { findings: yield* keptFindings(yield* asked(name), wanted) }
    })

    return handlers
      .handle("list", () =>
        Effect.map(orUnavailable(credentials.list), (all) => ({
          data: all.map(shown),
          providers: Object.keys(providers)
        }))
      )
      .handleRaw("add", () => add)
      .handleRaw("rotate", ({ params }) => rotate(params.id))
      .handle("revoke", ({ params }) => revoke(params.id))
      .handle("check", ({ params, query }) => check(params.id, query.publicUrl))
      .handleRaw("setUp", ({ params }) => setUp(params.id))
  })
)

/** What brings secrets in, once for each Idempotency-Key. */
const changing = (credentials: PspCredentials["Service"], keys: IdempotencyKeys["Service"]) => {
  const adding = Effect.fnUntraced(function* (key: IdempotencyKey | undefined) {
    const { pspCredentialId, settings, ...request } = yield* exactPayload(NewPspCredentialPayload)
    return yield* credentials
      .add({ ...request, ...present({ id: pspCredentialId }), settings: hidden(settings) }, key)
      .pipe(
        Effect.catchTags({
          ...unmakeable,
          PspAlreadyThere: alreadyThere,
          PspOfOtherEnvironment: ({ deployment }) => refuse(Conflict, otherEnvironment(deployment)),
          TooManyPspCredentials: (refusal) => refuse(Conflict, tooMany(refusal))
        }),
        orUnavailable
      )
  })

  const rotating = Effect.fnUntraced(function* (
    id: PspCredentialId,
    key: IdempotencyKey | undefined
  ) {
    const { settings, ...wanted } = yield* exactPayload(PspRotationPayload)
    return yield* credentials.rotate(id, { ...wanted, settings: hidden(settings) }, key).pipe(
      Effect.catchTags({
        ...unmakeable,
        PspAlreadyThere: alreadyThere,
        PspAccountChanged: ({ kept }) => refuse(Conflict, accountChanged(kept)),
        PspOfOtherEnvironment: ({ deployment }) => refuse(Conflict, otherEnvironment(deployment)),
        PspOfOtherProvider: ({ kept }) => refuse(Conflict, otherProvider(kept)),
        TooManyPspCredentials: (refusal) => refuse(Conflict, tooMany(refusal)),
        PspCredentialNotFound: () => unknown(id)
      }),
      orUnavailable
    )
  })

  const add = Effect.gen(function* () {
    const answer = yield* idempotentForOperator(keys, {
      run: adding,
      read: PspCredentialKind.fromSnapshot
    })
    return yield* replayable(PspCredentialResponse, answer, shown(answer.value))
  })

  const rotate = Effect.fnUntraced(function* (name: string) {
    const id = yield* idOf(name)
    const answer = yield* idempotentForOperator(keys, {
      run: (key) => rotating(id, key),
      read: PspCredentialKind.fromSnapshot
    })
    return yield* replayable(PspCredentialResponse, answer, shown(answer.value), 200)
  })
  return { add, rotate }
}

const resource = "pspCredential"

const unknown = (id: string) =>
  notFound(
    resource,
    id,
    "No credentials are kept of a PSP with this id: see which are (GET /psp-credentials)."
  )

const idOf = (name: string) =>
  isUuid(name) ? Effect.succeed(name as PspCredentialId) : unknown(name)

/** Redacted from the door on. */
const hidden = (settings: Readonly<Record<string, string>>) =>
  Redacted.make(settings, { label: "settings of a PSP" })

/** Where a PSP is to send its notifications. */
const preparedFor = (publicUrl: string, psp: string): PspPreparation => ({
  webhookUrl: `${publicUrl.replace(/\/+$/u, "")}/psp/${psp}/webhook`
})

const shown = ({ id: _, psp, sealedSettings: __, ...credential }: PspCredential) => ({
  ...credential,
  pspCredentialId: psp
})

const unmakeable = {
  PspProviderUnknown: ({ known }: { readonly known: ReadonlyArray<string> }) =>
    refuse(BadRequest, unknownProvider(known)),
  PspSettingsRefused: ({ faults }: { readonly faults: ReadonlyArray<string> }) =>
    refuse(BadRequest, {
      message: faults.join(" "),
      code: "PSP_SETTINGS_INVALID",
      details: { resource, field: "settings", faults }
    })
}

const unknownProvider = (known: ReadonlyArray<string>) => ({
  message:
    known.length === 0
      ? "No credentials of PSPs can be kept here: the service was started without pspProviders. pagora serve brings those of the banks, pagora dev brings none."
      : `provider: credentials can be kept of ${known.join(", ")}.`,
  code: "PSP_PROVIDER_UNKNOWN",
  details: { resource, field: "provider", known }
})

const alreadyThere = ({ by, isConfigured, other }: PspAlreadyThere) =>
  refuse(Conflict, {
    message: isConfigured
      ? `This PSP is configured${by === "id" ? "" : ` under ${other}`}, and the configuration wins: change it there, or take it out of there first.`
      : by === "id"
        ? "Credentials are kept under this id already: rotate them."
        : `Credentials of this ${by === "account" ? "account" : "client"} are kept under ${other} already: rotate those.`,
    code: "PSP_ALREADY_THERE",
    details: { resource, field: by === "id" ? "pspCredentialId" : by, value: other }
  })

const otherProvider = (kept: string) => ({
  message: `provider: the credentials under this id are of ${kept}, and what was begun is there: give others of ${kept}, or add these as a PSP of their own.`,
  code: "PSP_PROVIDER_CHANGED",
  details: { resource, field: "provider", value: kept }
})

const otherEnvironment = (deployment: string) => ({
  message: `environment: this deployment is one of ${deployment}, and so is every PSP of it: give credentials of the bank's ${deployment} environment (PAGORA_BANK_ENVIRONMENT, which is production unless set).`,
  code: "PSP_ENVIRONMENT_MISMATCH",
  details: { resource, field: "environment", value: deployment }
})

const tooMany = ({ counted, max }: TooManyPspCredentials) => ({
  message:
    counted === "active"
      ? `Credentials of ${max} PSPs are kept, and of no more they can be: revoke those of one that nobody needs, or configure what comes beside them.`
      : `Credentials of ${max} PSPs are kept, revoked ones included, and of no more they can be: rotate one that was revoked, where it is of the same account, or configure what comes beside them.`,
  code: "TOO_MANY_PSP_CREDENTIALS",
  details: { resource, max }
})

const accountChanged = (kept: string | undefined) => ({
  message: `The new settings are about another account at the PSP than the one that is kept${kept === undefined ? "" : ` (${kept})`}, and nothing of what was begun would be found there: give others of the same account, or add these as a PSP of their own.`,
  code: "PSP_ACCOUNT_CHANGED",
  details: { resource, field: "settings" }
})

const notThere = {
  message:
    "This PSP cannot be asked here: its credentials are revoked, or this process cannot use them, which its log tells.",
  code: "PSP_UNAVAILABLE",
  details: { resource }
}
