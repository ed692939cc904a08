import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { walletOf } from "../accounts/ActingWallet.ts"
import type { IdempotencyKeys, KeyState } from "../idempotency/IdempotencyKeys.ts"
import type { Uuid } from "../kernel/Ids.ts"
import { WalletId } from "../kernel/Ids.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import type { IdempotencyKeyTaken } from "../units/Idempotency.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { IdempotencyScope } from "../units/Unit.ts"
import { CurrentWallet } from "./Authorization.ts"
import { BadRequest, Conflict, refuse, UnprocessableEntity } from "../http/ErrorEnvelope.ts"
import { BegunKey, keyScope } from "./KeyScope.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { RequestBody } from "../http/StrictBody.ts"

/**
 * How long a twin waits for the answer of the first request, in milliseconds: in this process until it ends, for another
 * one by looking, each time half as often as before.
 */
const twinWaits = { first: 50, most: 1_000, inAll: 5_000 } as const

export interface Answer<A> {
  readonly value: A
  /** Whether it is the outcome of an earlier request with the same key. */
  readonly isReplay: boolean
}

export interface IdempotentWork<A, E, R> {
  /** Does it. With a key the service begins the key in the unit that stores the intent. */
  readonly run: (key: IdempotencyKey | undefined) => Effect.Effect<A, E, R>
  /** The outcome that the service stored as the snapshot. */
  readonly read: (snapshot: string) => A
  /**
   * Goes on with what an earlier request began and has not answered; undefined while somebody is at it, and where the
   * answer is known by now. Work that stores its outcome with its intent needs none.
   */
  readonly resume?: (entity: Uuid, scope: IdempotencyScope) => Effect.Effect<A | undefined, E, R>
}

/** Every answer that an Idempotency-Key can lead to by itself. */
export const idempotencyErrors = [BadRequest, Conflict, UnprocessableEntity] as const

type KeyRefused = BadRequest | Conflict | UnprocessableEntity

/**
 * Does a piece of work once for an Idempotency-Key, however often and at how many places at once it is asked for
 * (spec, Endpoint rules 4). Without the header it just does it.
 */
export const idempotent = <A, E, R>(
  keys: IdempotencyKeys["Service"],
  work: IdempotentWork<A, E, R>
): Idempotent<A, E, R | CurrentWallet> =>
  Effect.flatMap(CurrentWallet, (acting) => onceIn(walletOf(acting), keys, work))

/** The scope of the operator's keys: the id of no wallet, so that they meet no tenant's. */
const operatorScope = WalletId.make("00000000-0000-7000-8000-000000000000")

/**
 * The same for requests of the operator, whose keys are apart from those of every account (decision 0039). Each of them
 * begins its key with its one commit.
 */
export const idempotentForOperator = <A, E, R>(
  keys: IdempotencyKeys["Service"],
  work: Omit<IdempotentWork<A, E, R>, "resume">
): Idempotent<A, E, R> => onceIn(operatorScope, keys, work)

/**
 * Whether a refusal may be the doing of a twin, that was faster: then what the key leads to is the answer (decision 0072).
 * A key that is begun without an answer may also be this request's own, unless the refusal is a conflict.
 */
const isTwins = (error: unknown, state: KeyState): boolean =>
  state._tag === "InProgress"
    ? (error as { readonly statusCode?: unknown }).statusCode === 409
    : state._tag !== "Fresh"

type Idempotent<A, E, R> = Effect.Effect<
  Answer<A>,
  Exclude<E, IdempotencyKeyTaken> | KeyRefused,
  R | HttpServerRequest.HttpServerRequest | RequestBody | ServiceTime
>

const onceIn = <A, E, R>(
  wallet: WalletId,
  keys: IdempotencyKeys["Service"],
  work: IdempotentWork<A, E, R>
): Idempotent<A, E, R> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const key = request.headers["idempotency-key"]
    const first = (value: A): Answer<A> => ({ value, isReplay: false })
    if (key === undefined) {
      return first(yield* untaken(work.run(undefined)))
    }
    const scope = keyScope(request, wallet)
    if (scope === undefined) return yield* refuse(BadRequest, badKey)
    const { json } = yield* RequestBody
    const begun = yield* BegunKey
    let record = begun?.wallet === wallet ? begun.record : undefined
    let until = (yield* Clock.currentTimeMillis) + twinWaits.inAll
    /** What it does itself is no waiting for others. */
    const working = Effect.fnUntraced(function* <B, F, S>(work: Effect.Effect<B, F, S>) {
      const from = yield* Clock.currentTimeMillis
      const done = yield* work
      until += (yield* Clock.currentTimeMillis) - from
      return done
    })
    for (let pause: number = twinWaits.first; (yield* Clock.currentTimeMillis) < until;) {
      const state = yield* orUnavailable(keys.look(scope, json, record))
      record = undefined
      switch (state._tag) {
        case "Reused":
          return yield* refuse(UnprocessableEntity, reused)
        case "Answered":
          return { value: work.read(state.snapshot), isReplay: true }
        case "Fresh": {
          const run = Effect.map(keys.working(scope, work.run(state.key)), first)
          const done = yield* working(
            Effect.catch(run, (error) =>
              isTaken(error)
                ? Effect.undefined
                : Effect.flatMap(orUnavailable(keys.look(scope, json)), (now) =>
                    isTwins(error, now) ? Effect.undefined : untaken(Effect.fail(error))
                  )
            )
          )
          if (done !== undefined) return done
          break
        }
        case "InProgress": {
          const ended = keys.ended(scope)
          if (ended !== undefined) {
            yield* Effect.timeoutOption(ended, until - (yield* Clock.currentTimeMillis))
            break
          }
          const resumed = yield* working(
            untaken(work.resume?.(state.entity, scope) ?? Effect.undefined)
          )
          if (resumed !== undefined) return first(resumed)
          yield* Effect.sleep(Math.min(pause, until - (yield* Clock.currentTimeMillis)))
          pause = Math.min(pause * 2, twinWaits.most)
        }
      }
    }
    return yield* refuse(Conflict, inUse)
  })

/** Nobody begins a key that is not there, or that is begun already. */
const untaken = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, IdempotencyKeyTaken>, R> =>
  Effect.catch(effect, (error) =>
    isTaken(error) ? Effect.die(error) : Effect.fail(error as Exclude<E, IdempotencyKeyTaken>)
  )

const isTaken = (error: unknown): error is IdempotencyKeyTaken =>
  (error as { readonly _tag?: unknown })._tag === "IdempotencyKeyTaken"

const badKey = {
  message: "Idempotency-Key must have 8 to 255 printable ASCII characters.",
  code: "IDEMPOTENCY_KEY_INVALID"
}
const reused = {
  message:
    "This Idempotency-Key was used with another request body within the last 24 hours. Use a new key, or send the first body again.",
  code: "IDEMPOTENCY_KEY_REUSED"
}
const inUse = {
  message: "A request with this Idempotency-Key is still being worked on. Try again in a moment.",
  code: "IDEMPOTENCY_KEY_IN_USE"
}
