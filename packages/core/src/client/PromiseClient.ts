import type { CallOptions, PromiseClientOptions } from "./Asking.ts"
import { asking } from "./Asking.ts"
import { checkOptions } from "./ClientOptions.ts"
import { webhookCalls } from "./WebhookCalls.ts"
import type { Answer, Body, Query } from "./Wire.ts"

/**
 * A client of the service for Promises. Requests and answers are the JSON of the wire: amounts are numbers in BRL
 * (10.5 is R$ 10,50), times RFC 3339 texts.
 *
 * It fetches its token and renews it in time. What got no answer, 429 or 5xx it tries again, a POST under the same
 * Idempotency-Key, so that it is done once. A call fails with a `PagoraApiError`, or with a
 * `PagoraConnectionError` where no answer came.
 */
export const createClient = (options: PromiseClientOptions) => {
  checkOptions(options)
  const ask = asking(options)

  const get = <A>(path: string, query: object = {}, call?: CallOptions): Promise<A> =>
    ask({ method: "GET", path: `${path}${searchOf(query)}`, body: undefined }, call)

  const post = <A>(path: string, body: unknown, call: CallOptions = {}): Promise<A> =>
    ask(
      { method: "POST", path, body: body === undefined ? undefined : JSON.stringify(body) },
      { ...call, idempotencyKey: call.idempotencyKey ?? crypto.randomUUID() }
    )

  const patch = <A>(path: string, body: unknown, call?: CallOptions): Promise<A> =>
    ask({ method: "PATCH", path, body: JSON.stringify(body) }, call)

  const remove = (path: string, call?: CallOptions): Promise<void> =>
    ask({ method: "DELETE", path, body: undefined }, call)

  return {
    accounts: {
      /** The account, or the sub-account, and its balance. */
      get: (call?: CallOptions) => get<Answer<"accounts", "get">>("/account", {}, call)
    },
    balanceBlocks: {
      list: (query?: Query<"balanceBlocks", "list">, call?: CallOptions) =>
        get<Answer<"balanceBlocks", "list">>("/balance-blocks", query, call)
    },
    charges: {
      create: (body: Body<"charges", "create">, call?: CallOptions) =>
        post<Answer<"charges", "create">>("/pix", body, call),
      cancel: (id: string, call?: CallOptions) =>
        post<Answer<"charges", "cancel">>(`/pix/${segment(id)}/cancel`, undefined, call)
    },
    projects: {
      create: (body: Body<"projects", "create">, call?: CallOptions) =>
        post<Answer<"projects", "create">>("/projects", body, call),
      list: (query?: Query<"projects", "list">, call?: CallOptions) =>
        get<Answer<"projects", "list">>("/projects", query, call)
    },
    refunds: {
      /** Gives `amount` of a payment back, or all that is left; how it ended comes as `refund_completed`. */
      request: (id: string, body: Body<"refunds", "request"> = {}, call?: CallOptions) =>
        post<Answer<"refunds", "request">>(`/transactions/${segment(id)}/refund`, body, call)
    },
    subAccounts: {
      create: (body: Body<"subAccounts", "create">, call?: CallOptions) =>
        post<Answer<"subAccounts", "create">>("/sub-accounts", body, call),
      list: (call?: CallOptions) => get<Answer<"subAccounts", "list">>("/sub-accounts", {}, call)
    },
    transactions: {
      list: (query?: Query<"transactions", "list">, call?: CallOptions) =>
        get<Answer<"transactions", "list">>("/transactions", query, call),
      /** By the id of the transaction, the externalReference or the Idempotency-Key, in this order. */
      find: (id: string, call?: CallOptions) =>
        get<Answer<"transactions", "find">>(`/transactions/${segment(id)}`, {}, call)
    },
    transfers: {
      create: (body: Body<"transfers", "create">, call?: CallOptions) =>
        post<Answer<"transfers", "create">>("/internal-transfers", body, call)
    },
    webhookEndpoints: webhookCalls({ get, patch, post, remove, segment }),
    withdrawals: {
      /** Sends money. Give it an idempotencyKey of your own: it outlives a crash of your process. */
      create: (body: Body<"withdrawals", "create">, call?: CallOptions) =>
        post<Answer<"withdrawals", "create">>("/withdrawals", body, call),
      find: (id: string, call?: CallOptions) =>
        get<Answer<"withdrawals", "find">>(`/withdrawals/${segment(id)}`, {}, call)
    }
  } as const
}

export type PagoraClient = ReturnType<typeof createClient>

/** An id as one segment of a path. What a path would read as something else could reach another endpoint. */
const segment = (id: string): string => {
  if (typeof id !== "string" || /^\.{0,2}$/.test(id)) {
    throw new TypeError("The id is empty, or it is no id.")
  }
  return encodeURIComponent(id)
}

const searchOf = (query: object): string => {
  const search = new URLSearchParams(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [name, String(value)])
  )
  return search.size === 0 ? "" : `?${search}`
}
