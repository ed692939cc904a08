import { Context } from "effect"
import type { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { WalletId } from "../kernel/Ids.ts"
import type { StorageError } from "../units/Refused.ts"
import type { IdempotencyRecord } from "../ports/StorageDriver.ts"
import type { IdempotencyScope } from "../units/Unit.ts"

/** What became of the request's Idempotency-Key in a wallet, where that was asked together with who is asking. */
export const BegunKey = Context.Reference<
  | {
      readonly wallet: WalletId
      readonly record: Effect.Effect<IdempotencyRecord | undefined, StorageError>
    }
  | undefined
>("@pagora/core/admission/BegunKey", { defaultValue: () => undefined })

/** The scope of the request's Idempotency-Key; undefined where it has none that could have been used. */
export const keyScope = (
  { headers, method, url }: HttpServerRequest.HttpServerRequest,
  wallet: WalletId
): IdempotencyScope | undefined => {
  const key = headers["idempotency-key"]
  return key === undefined || !/^[\x20-\x7e]{8,255}$/.test(key)
    ? undefined
    : { wallet, route: `${method} ${pathOf(url)}`, key }
}

/** The path alone: a query makes no other request of it, nor do percent signs in a parameter, nor an id in capital letters. */
const pathOf = (url: string): string =>
  url
    .replace(/[?#].*$/, "")
    .replace(/%([2-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16))
    )
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\/|$)/gi, (id) => id.toLowerCase())
