import { Clock, Duration, Effect, Schema } from "effect"
import type { Account } from "../accounts/Account.ts"
import type { ChosenPsp, PspGone } from "../accounts/AccountPsps.ts"
import { pspAskedFor, usualPsp } from "../accounts/AccountPsps.ts"
import { rulesFor } from "../accounts/DefaultPspRules.ts"
import type { Place, PspRule } from "../accounts/PspRule.ts"
import { draw, placesFor } from "../accounts/PspRule.ts"
import type { ChargeId, PspCredentialId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { PspDirectory, PspShape } from "../ports/Psp.ts"
import { hasPsp } from "../ports/Psp.ts"
import { circuitOf } from "../psp-calls/PspCircuit.ts"
import { pauseAt } from "../psp-calls/PspPause.ts"
import { PspUnavailable } from "./ChargeIntents.ts"
import type { NewCharge } from "./NewCharge.ts"

export class PspCredentialNotFound extends Schema.TaggedError<PspCredentialNotFound>()(
  "PspCredentialNotFound",
  { id: Schema.String }
) {}

/** The PSP of a new charge, and those that it would have gone to if they took charges. */
export interface RoutedPsp extends ChosenPsp {
  readonly passedOver: ReadonlyArray<PspCredentialId>
}

/** Tells the PSP of a new charge by its id. */
export type ChargeRoute = (charge: ChargeId) => Effect.Effect<RoutedPsp, PspUnavailable>

type Directory = PspDirectory["Service"]

/** The PSPs of a deployment, and its rules for accounts that have none. */
export interface Routing {
  readonly directory: Directory
  readonly defaultRules: ReadonlyArray<PspRule>
}

/**
 * Where a new charge goes: to the PSP that it names, or by the account's rules or else the deployment's, or to the account's default. There is a choice
 * until its intent is stored, and none after that (decision 0107).
 */
export const chargeRoute = Effect.fnUntraced(function* (
  routing: Routing,
  account: Account,
  request: NewCharge
): Effect.fn.Return<ChargeRoute, PspCredentialNotFound | PspGone | PspUnavailable> {
  const { pspCredentialId: asked } = request
  const { directory } = routing
  const places = asked === undefined ? placesOf(routing, account, request) : []
  if (places.length > 0) return drawing(directory, places)
  const chosen = yield* asked === undefined
    ? usualPsp(directory, account)
    : named(directory, account, asked)
  // Nothing is begun at a PSP that nobody asks for now: this refusal leaves no doubt behind.
  const after = yield* pauseAt(chosen.psp, [])
  if (after !== undefined) return yield* new PspUnavailable({ after, isNotNow: true })
  const routed = Effect.succeed({ ...chosen, passedOver: [] })
  return () => routed
})

const named = (directory: Directory, account: Account, asked: PspCredentialId) => {
  const chosen = pspAskedFor(directory, account, asked)
  return chosen === undefined
    ? Effect.fail(new PspCredentialNotFound({ id: asked }))
    : Effect.succeed(chosen)
}

/** Where a charge may go by rules; nowhere without them. What has left the configuration is no place. */
const placesOf = (
  { defaultRules, directory }: Routing,
  account: Account,
  { amount }: NewCharge
): ReadonlyArray<Place> => {
  if (account.psps?.rules === undefined && defaultRules.length === 0) return []
  const usual = account.psps?.default ?? directory.default
  return placesFor(rulesFor(account, defaultRules), usual, amount)
    .map((place) => place.filter(({ psp }) => hasPsp(directory, psp)))
    .filter((place) => place.length > 0)
}

/**
 * Draws among those that take new charges; where none does, among those that are asked, as if there were no trouble: one of
 * them may have ended.
 */
const drawing =
  (directory: Directory, places: ReadonlyArray<Place>): ChargeRoute =>
  (charge) =>
    Effect.gen(function* () {
      const now = yield* Clock.monotonicTimeNanos
      const asked = new Map<PspCredentialId, PspShape>()
      let soonest: Duration.Duration | undefined
      for (const { psp: id } of places.flat()) {
        const psp = directory.find(id)
        if (psp === undefined) continue
        const pause = yield* pauseAt(psp, [])
        if (pause === undefined) asked.set(id, psp)
        else soonest = Duration.min(pause, soonest ?? pause)
      }
      const takes = (id: PspCredentialId): boolean => {
        const psp = asked.get(id)
        return psp !== undefined && (circuitOf(psp)?.newCharges.isOneTaken(now) ?? true)
      }
      const drawn = draw(places, charge, takes) ?? draw(places, charge, (id) => asked.has(id))
      const psp = drawn && asked.get(drawn.psp)
      if (drawn === undefined || psp === undefined)
        return yield* new PspUnavailable({
          ...present({ after: soonest }),
          isNotNow: soonest !== undefined
        })
      return { id: drawn.psp, psp, passedOver: drawn.passedOver }
    })
