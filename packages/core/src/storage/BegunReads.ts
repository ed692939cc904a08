import { Context, Effect } from "effect"
import type { WalletId } from "../kernel/Ids.ts"
import type { Storage } from "./Storage.ts"

/** Begins to read something of a wallet, and answers where it will be. */
export type BeginReads<A> = (storage: Storage["Service"], wallet: WalletId) => Effect.Effect<A>

/** The reads that were begun for a request. */
export const BegunReads = Context.Reference<
  | { readonly begin: BeginReads<unknown>; readonly wallet: WalletId; readonly begun: unknown }
  | undefined
>("@pagora/core/storage/BegunReads", { defaultValue: () => undefined })

/** These reads of the wallet, where they were begun for the request; they begin here where they were not. */
export const begunReads = <A>(
  begin: BeginReads<A>,
  storage: Storage["Service"],
  wallet: WalletId
): Effect.Effect<A> =>
  Effect.flatMap(BegunReads, (ahead) =>
    ahead?.begin === begin && ahead.wallet === wallet
      ? // What the same function began is of its type.
        Effect.succeed(ahead.begun as A)
      : begin(storage, wallet)
  )
