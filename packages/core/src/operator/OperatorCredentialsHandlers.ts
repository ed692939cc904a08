import { Effect, Redacted } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { Accounts } from "../accounts/Accounts.ts"
import type { Credential } from "../auth/Credential.ts"
import { Credentials } from "../auth/Credentials.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { paged } from "../http/KeysetPage.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { isUuid } from "../kernel/Ids.ts"
import { accountOfPath, notFound } from "../admission/AccountOfPath.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { IssuedCredential, NewCredentialPayload, OperatorApi } from "./OperatorApi.ts"

export const OperatorCredentialsHandlers = handlersOf(
  OperatorApi,
  "credentials",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const credentials = yield* Credentials
    const keys = yield* IdempotencyKeys

    const issue = Effect.fnUntraced(function* (id: string) {
      const account = yield* accountOfPath(accounts, id)
      const answer = yield* idempotentForOperator(keys, {
        run: (key) =>
          Effect.flatMap(exactPayload(NewCredentialPayload), (request) =>
            Effect.map(
              orUnavailable(credentials.issue(account.value, request, key)),
              Effect.succeed
            )
          ),
        // Its secret is opened outside.
        read: credentials.reissued
      })
      const { credential, secret } = yield* answer.value
      return yield* replayable(IssuedCredential, answer, {
        id: credential.id,
        clientId: credential.id,
        clientSecret: Redacted.value(secret),
        permissions: credential.permissions,
        subAccountAccess: credential.subAccountAccess
      })
    })

    const revoke = Effect.fnUntraced(function* (id: string, credentialId: string) {
      const account = yield* accountOfPath(accounts, id)
      if (!isUuid(credentialId)) return yield* notFound("credential", credentialId)
      yield* credentials.revoke(account.value, credentialId).pipe(
        Effect.catchTag("CredentialNotFound", () => notFound("credential", credentialId)),
        orUnavailable
      )
    })

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.flatMap(accountOfPath(accounts, params.id), ({ value: { id } }) =>
          paged(query, (page) => orUnavailable(credentials.page(id, page)), response)
        )
      )
      .handleRaw("issue", ({ params }) => issue(params.id))
      .handle("revoke", ({ params }) => revoke(params.id, params.credentialId))
  })
)

const response = ({ account: _, secretDigest: __, ...credential }: Credential) => ({
  ...credential,
  clientId: credential.id
})
