import type { Effect } from "effect"
import { Context } from "effect"
import type { Environment } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Unit } from "../units/Unit.ts"
import type { Return } from "./Return.ts"

/** What changes of a payment when a refund has ended, or what must not have changed where nothing does. */
export type EndNoted = Pick<Unit, "updates" | "expects">

/** What a return came from follows it. Returns do not know what that is: whoever orders them does. */
export class ReturnSources extends Context.Service<
  ReturnSources,
  {
    /** What showed the former return of a deposit now shows this one. */
    readonly pointTo: (next: Return) => Effect.Effect<NonNullable<Unit["updates"]>, StorageError>
    /** What a refund counted for at its payment, after it has ended like this. */
    readonly noteEnd: (before: Return, ended: Return) => Effect.Effect<EndNoted, StorageError>
    /** What tells the merchant of a refund that is done. */
    readonly report: (
      refund: Return,
      environment: Environment
    ) => Effect.Effect<NonNullable<Unit["events"]>, StorageError>
  }
>()("@pagora/core/returns/ReturnSources") {}
