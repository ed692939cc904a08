import { Effect, Schema } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { PspDirectory, PspShape } from "../ports/Psp.ts"
import type { Account } from "./Account.ts"
import { pspFor } from "./Account.ts"

/** The PSP that an account uses is not configured any more: only the operator can do something about it (decision 0085). */
export class PspGone extends Schema.TaggedError<PspGone>()("PspGone", {}) {}

/** What whoever asks for something new of such an account is told. */
export const pspGone = {
  message:
    "The payment institution of this account is not configured any more. Nothing was done; whoever runs this service has been told.",
  code: "PSP_UNAVAILABLE"
} as const

/** A PSP, and the id under which what is begun there remembers it. */
export interface ChosenPsp {
  readonly id: PspCredentialId
  readonly psp: PspShape
}

/** The PSP of something new, where it is there for the account: the one that is asked for, or the account's default. */
export const pspAskedFor = (
  directory: PspDirectory["Service"],
  account: Account,
  asked?: PspCredentialId
): ChosenPsp | undefined => {
  const id = pspFor(account, directory.default, asked)
  const psp = id && directory.find(id)
  return id === undefined || psp === undefined ? undefined : { id, psp }
}

/** The PSP of something new for which none is named. */
export const usualPsp = Effect.fnUntraced(function* (
  directory: PspDirectory["Service"],
  account: Account
): Effect.fn.Return<ChosenPsp, PspGone> {
  const usual = pspAskedFor(directory, account)
  if (usual !== undefined) return usual
  yield* Effect.logError("The PSP that an account uses is not configured any more.").pipe(
    Effect.annotateLogs({ account: account.id, psp: account.psps?.default })
  )
  return yield* new PspGone()
})
