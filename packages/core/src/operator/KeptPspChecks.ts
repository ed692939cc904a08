import type { Scope } from "effect"
import { DateTime, Effect, Result } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { Environment, PspFinding, PspPreparation, PspShape } from "../ports/Psp.ts"
import type { PspProviders } from "../ports/PspProvider.ts"
import { Secrets } from "../ports/Secrets.ts"
import { KeptPspClash } from "../psp-vault/KeptPsps.ts"
import type { Makers } from "../psp-vault/Makers.ts"
import { makersOf, whyUnmade } from "../psp-vault/Makers.ts"
import type { NamedPsp, PspCredential } from "../psp-vault/PspCredential.ts"
import {
  clashOf,
  keptMax,
  namedAs,
  namedBy,
  PspCredentialKind,
  vaultId
} from "../psp-vault/PspCredential.ts"
import { Storage } from "../storage/Storage.ts"
import { pspFindings } from "./PspChecks.ts"

/** Before the end of a certificate: so long ahead a warning is due. */
const warnedDays = 30

const certificate = "certificate"

const endFinding = (endsAt: DateTime.Utc, now: DateTime.Utc): PspFinding => {
  const end = DateTime.formatIsoDateUtc(endsAt)
  if (DateTime.isLessThanOrEqualTo(endsAt, now))
    return { name: certificate, state: "failed", message: `The certificate ended on ${end}.` }
  const isNear = DateTime.isLessThan(endsAt, DateTime.add(now, { days: warnedDays }))
  return isNear
    ? { name: certificate, state: "warning", message: `The certificate ends on ${end}.` }
    : { name: certificate, state: "ok", message: `The certificate is good until ${end}.` }
}

/** A PSP that is kept, as it was made. */
export interface MadeKept {
  readonly id: PspCredentialId
  readonly psp: PspShape
  readonly certificateEndsAt: DateTime.Utc | undefined
}

/** What a PSP that is kept finds of itself, with the end of its certificate also where its layer does not look at that. */
export const keptFindings = Effect.fnUntraced(function* (
  { certificateEndsAt, id, psp }: MadeKept,
  wanted: PspPreparation | undefined
): Effect.fn.Return<ReadonlyArray<PspFinding>> {
  const own = yield* pspFindings(psp, wanted)
  const isTold = certificateEndsAt === undefined || own.some(({ name }) => name === certificate)
  const all = isTold ? own : [endFinding(certificateEndsAt, yield* DateTime.now), ...own]
  return all.map((one) =>
    one.name === certificate && one.state !== "ok"
      ? { ...one, message: `${one.message} ${renewed(id)}` }
      : one
  )
})

const renewed = (id: string): string =>
  `It is kept in the service, and no file: give the new one by pagora psp rotate ${id}.`

/** One that is kept, looked at without a service: made, or why it cannot be. */
export type LookedKept = Pick<PspCredential, "provider" | "label"> & {
  readonly id: PspCredentialId
  readonly made: MadeKept | string
}

/** What a configuration would make of what is kept. */
export interface KeptLook {
  readonly providers: PspProviders
  readonly environment: Environment
  readonly configured: ReadonlyArray<{ readonly id: PspCredentialId; readonly psp: PspShape }>
}

/**
 * The PSPs that are kept, for programs that look at a deployment without starting it; those that are revoked are not among
 * them. Each is there until the scope closes.
 */
export const lookAtKept = Effect.fnUntraced(function* (given: KeptLook) {
  const { environment, providers } = given
  const storage = yield* Storage
  const makers = makersOf(providers, yield* Secrets, environment)
  const configured = given.configured.map(({ id, psp }) => namedBy(id, psp))
  const rows = yield* storage.list(PspCredentialKind, {
    account: vaultId,
    status: "active",
    order: "asc",
    limit: keptMax
  })
  return yield* Effect.forEach(rows, ({ value }) =>
    Effect.map(madeOf(makers, configured, value), (made): LookedKept => {
      const { psp: id, provider } = value
      return { id, provider, ...present({ label: value.label }), made }
    })
  )
})

const madeOf = Effect.fnUntraced(function* (
  makers: Makers,
  configured: ReadonlyArray<NamedPsp>,
  credential: PspCredential
): Effect.fn.Return<MadeKept | string, never, Scope.Scope> {
  const { provider, psp: id, sealedSettings = "" } = credential
  const clash = clashOf(namedAs(credential), configured)
  if (clash !== undefined)
    return new KeptPspClash({ id, provider, configured: clash.other.id, by: clash.by }).message
  const opened = yield* Effect.result(makers.open(sealedSettings, credential))
  if (Result.isFailure(opened)) return whyUnmade(opened.failure)
  const { certificateEndsAt, psp } = opened.success
  return { id, psp, certificateEndsAt }
})
