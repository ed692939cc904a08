import type { CallOptions } from "./Asking.ts"
import type { Answer, Body, Query } from "./Wire.ts"

/** What sends a request and reads its answer. */
interface Sending {
  readonly get: <A>(path: string, query?: object, call?: CallOptions) => Promise<A>
  readonly post: <A>(path: string, body: unknown, call?: CallOptions) => Promise<A>
  readonly patch: <A>(path: string, body: unknown, call?: CallOptions) => Promise<A>
  readonly remove: (path: string, call?: CallOptions) => Promise<void>
  readonly segment: (id: string) => string
}

type Group = "webhookEndpoints"
const root = "/webhook-endpoints"

/** The calls that manage where events go. */
export const webhookCalls = ({ get, patch, post, remove, segment }: Sending) => {
  const one = (id: string, rest = "") => `${root}/${segment(id)}${rest}`
  return {
    /** The answer has the signing secret, once. */
    create: (body: Body<Group, "create">, call?: CallOptions) =>
      post<Answer<Group, "create">>(root, body, call),
    list: (call?: CallOptions) => get<Answer<Group, "list">>(root, {}, call),
    get: (id: string, call?: CallOptions) => get<Answer<Group, "get">>(one(id), {}, call),
    change: (id: string, body: Body<Group, "change">, call?: CallOptions) =>
      patch<Answer<Group, "change">>(one(id), body, call),
    remove: (id: string, call?: CallOptions) => remove(one(id), call),
    /** The answer has the new secret, once. */
    rotateSecret: (id: string, body: Body<Group, "rotateSecret"> = {}, call?: CallOptions) =>
      post<Answer<Group, "rotateSecret">>(one(id, "/rotate-secret"), body, call),
    test: (id: string, call?: CallOptions) =>
      post<Answer<Group, "test">>(one(id, "/test"), undefined, call),
    recover: (id: string, body: Body<Group, "recover">, call?: CallOptions) =>
      post<Answer<Group, "recover">>(one(id, "/recover"), body, call),
    deliveries: (id: string, query?: Query<Group, "deliveries">, call?: CallOptions) =>
      get<Answer<Group, "deliveries">>(one(id, "/deliveries"), query, call),
    resend: (id: string, delivery: string, call?: CallOptions) =>
      post<Answer<Group, "resend">>(
        one(id, `/deliveries/${segment(delivery)}/resend`),
        undefined,
        call
      )
  } as const
}
