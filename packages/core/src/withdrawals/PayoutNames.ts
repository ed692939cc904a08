import { Effect } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { PspPayout } from "../ports/Psp.ts"
import type { Storage } from "../storage/Storage.ts"
import type { DuplicateKey, Refused, StorageError } from "../units/Refused.ts"
import type { Unit } from "../units/Unit.ts"
import type { Withdrawal } from "./Withdrawal.ts"

/** The names of a payout: the PSP's own is one within its credential, the network's is one everywhere (decision 0071). */
const names = { psp: "payout", network: "payout_e2e" } as const

/** The name of a payout at its PSP, within the credential. */
export const payoutKey = (psp: PspCredentialId, pspReference: string) => ({
  space: names.psp,
  key: `${psp}/${pspReference}`
})

type Named = Pick<Withdrawal, "e2eId" | "pspReference">

/** What the PSP calls the payout that it was not called before. */
export const namesOf = (
  before: Named,
  {
    e2eId,
    id: holder,
    pspCredentialId,
    pspReference
  }: Named & Pick<Withdrawal, "id" | "pspCredentialId">
): NonNullable<Unit["keys"]> => [
  ...(pspReference === undefined || pspReference === before.pspReference
    ? []
    : [{ ...payoutKey(pspCredentialId, pspReference), holder }]),
  ...(e2eId === undefined || e2eId === before.e2eId
    ? []
    : [{ space: names.network, key: e2eId, holder }])
]

/** Another withdrawal has the payout that the PSP tells of. */
export const isNameTaken = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey" && (error.space === names.psp || error.space === names.network)

/** Whether a name of the payout is kept with another withdrawal than it is told of. */
export const isAnothers = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* (
    { id, pspCredentialId }: Withdrawal,
    { endToEndId: e2eId, pspReference }: PspPayout
  ) {
    const told = { id, pspCredentialId, pspReference, ...present({ e2eId }) }
    const holders = yield* Effect.forEach(namesOf({}, told), ({ key, space }) =>
      storage.resolve({ _tag: "Key", space, key })
    )
    return holders.some((holder) => holder !== undefined && holder !== id)
  })
