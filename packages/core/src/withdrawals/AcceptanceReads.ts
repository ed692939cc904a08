import { Effect } from "effect"
import type { Wallet } from "../ledger/Wallet.ts"
import type { StorageError } from "../units/Refused.ts"
import type { BeginReads } from "../storage/BegunReads.ts"
import type { Project } from "../projects/Project.ts"
import { beginOnlyProject } from "../projects/Projects.ts"

/** What the acceptance of a withdrawal rests on beside its owner and its request. */
export interface AcceptanceReads {
  readonly wallet: Effect.Effect<Wallet | undefined, StorageError>
  /** The wallet's project, when it has exactly one (spec, Withdrawal request). */
  readonly onlyProject: Effect.Effect<Project | undefined, StorageError>
}

export const acceptanceReads: BeginReads<AcceptanceReads> = (storage, id) =>
  Effect.zipWith(
    storage.beginWallet(id),
    beginOnlyProject(storage, id),
    (wallet, onlyProject): AcceptanceReads => ({ wallet, onlyProject })
  )
