import type { OperatorApi } from "../operator/OperatorApi.ts"
import type { BodyOf, CallOptions, promiseCalls, QueryOf } from "./PromiseCall.ts"

type Operator = typeof OperatorApi
type OnceOptions = Pick<CallOptions, "idempotencyKey">

/** Credentials of PSPs that are kept in the service, of which no answer has a secret. */
export const pspCredentialMethods = (operator: ReturnType<typeof promiseCalls<Operator>>) => ({
  /** Revoked ones included, newest first; `providers` are those of which some can be kept. */
  list: () => operator("pspCredentials", "list", {}),
  add: (credential: BodyOf<Operator, "pspCredentials", "add">, options?: OnceOptions) =>
    operator("pspCredentials", "add", { body: credential, options }),
  /** Other credentials for the same account, under the same id: what was begun there goes on. */
  rotate: (
    id: string,
    rotation: BodyOf<Operator, "pspCredentials", "rotate">,
    options?: OnceOptions
  ) => operator("pspCredentials", "rotate", { params: { id }, body: rotation, options }),
  /** Destroys the secrets: what was begun there waits until others are given by `rotate`. */
  revoke: (id: string): Promise<void> => operator("pspCredentials", "revoke", { params: { id } }),
  /** With the address of the tenants' API it is also said whether the PSP sends its notifications there. */
  check: (id: string, where?: QueryOf<Operator, "pspCredentials", "check">) =>
    operator("pspCredentials", "check", { params: { id }, query: where }),
  /** Registers what the PSP is to call, below the address of the tenants' API as it reaches it. */
  setUp: (id: string, where: BodyOf<Operator, "pspCredentials", "setUp">) =>
    operator("pspCredentials", "setUp", { params: { id }, body: where })
})
