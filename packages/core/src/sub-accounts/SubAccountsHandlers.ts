import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { CurrentWallet } from "../admission/Authorization.ts"
import { BadRequest, Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { idempotent } from "../admission/Idempotent.ts"
import { notActiveForTenant } from "../admission/NotActiveWire.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { payload } from "../http/Payload.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import { SubAccounts } from "./SubAccounts.ts"
import { NewSubAccountPayload, SubAccountResponse, SubAccountsApi } from "./SubAccountsApi.ts"

export const SubAccountsHandlers = handlersOf(
  tenantApi.add(SubAccountsApi),
  "subAccounts",
  Effect.fnUntraced(function* (handlers) {
    const subAccounts = yield* SubAccounts
    const keys = yield* IdempotencyKeys

    const create = Effect.gen(function* () {
      const { account } = yield* CurrentWallet
      const answer = yield* idempotent(keys, {
        run: (key) =>
          Effect.flatMap(payload(NewSubAccountPayload), (request) =>
            subAccounts.create(account.value, request, key).pipe(
              Effect.catchTags({
                InvalidReference: () => refuse(BadRequest, badReference),
                ReferenceTaken: ({ reference }) => refuse(Conflict, taken(reference)),
                TooManySubAccounts: ({ max }) => refuse(BadRequest, tooMany(max)),
                NotActive: notActiveForTenant
              }),
              orUnavailable
            )
          ),
        read: SubAccountKind.fromSnapshot
      })
      return yield* replayable(SubAccountResponse, answer, response(answer.value))
    })

    return handlers
      .handleRaw("create", () => create)
      .handle("list", () =>
        Effect.gen(function* () {
          const { account } = yield* CurrentWallet
          const all = yield* orUnavailable(subAccounts.list(account.value.id))
          return { data: all.map(response) }
        })
      )
  })
)

const response = ({ createdAt, id, name, reference, status }: SubAccount) => ({
  id,
  reference,
  name,
  status,
  createdAt
})

const badReference = {
  message:
    "reference: send 2 to 32 small letters, digits, - and _, starting with a letter or digit; principal is the main account.",
  code: "SUB_ACCOUNT_INVALID_REFERENCE"
}

const taken = (reference: string) => ({
  message: `This account has, or had, a sub-account with the reference ${reference}.`,
  code: "SUB_ACCOUNT_REFERENCE_TAKEN",
  details: { resource: "sub-account", field: "reference", value: reference }
})

const tooMany = (max: number) => ({
  message: `An account has at most ${max} sub-accounts, closed ones included.`,
  code: "TOO_MANY_SUB_ACCOUNTS"
})
