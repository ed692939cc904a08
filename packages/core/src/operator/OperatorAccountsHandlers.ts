import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import type { Account } from "../accounts/Account.ts"
import type { AccountNotEmpty } from "../accounts/AccountChanges.ts"
import { AccountKind } from "../accounts/Account.ts"
import type { PspNotConfigured } from "../accounts/Accounts.ts"
import { Accounts, adjustmentFrom } from "../accounts/Accounts.ts"
import { BadRequest, Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { paged } from "../http/KeysetPage.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { instantOf } from "../kernel/Ids.ts"
import { toBrlNumber, toBrlString } from "../kernel/Money.ts"
import { withShares } from "../accounts/PspRule.ts"
import { present } from "../kernel/Present.ts"
import { accountOfPath, notFound } from "../admission/AccountOfPath.ts"
import { notActiveForOperator } from "../admission/NotActiveWire.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import {
  AccountChangePayload,
  Adjustment,
  AdjustmentPayload,
  NewAccountPayload,
  OperatorAccount,
  OperatorApi
} from "./OperatorApi.ts"
import type { PspChoice } from "./OperatorPspsApi.ts"

export const OperatorAccountsHandlers = handlersOf(
  OperatorApi,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const keys = yield* IdempotencyKeys

    const create = Effect.gen(function* () {
      const answer = yield* idempotentForOperator(keys, {
        run: (key) =>
          Effect.flatMap(exactPayload(NewAccountPayload), (request) =>
            accounts
              .create(withPsps(request), key)
              .pipe(Effect.catchTag("PspNotConfigured", pspNotConfigured), orUnavailable)
          ),
        read: AccountKind.fromSnapshot
      })
      return yield* replayable(OperatorAccount, answer, response(answer.value))
    })

    const change = changing(accounts)

    const adjusted = Effect.fnUntraced(function* (id: string, key: IdempotencyKey | undefined) {
      const account = yield* accountOfPath(accounts, id)
      const {
        bucket = "available",
        subAccount,
        ...request
      } = yield* exactPayload(AdjustmentPayload)
      const acting = yield* accounts.acting(account, subAccount).pipe(
        Effect.catchTag("SubAccountNotFound", ({ reference }) =>
          notFound("sub-account", reference)
        ),
        orUnavailable
      )
      return yield* accounts.adjust(acting, { ...request, bucket }, key).pipe(
        Effect.catchTags({
          InsufficientFunds: () => refuse(BadRequest, notThatMuch(bucket)),
          NotActive: notActiveForOperator
        }),
        orUnavailable
      )
    })

    const adjust = Effect.fnUntraced(function* (id: string) {
      const answer = yield* idempotentForOperator(keys, {
        run: (key) => adjusted(id, key),
        read: adjustmentFrom
      })
      const createdAt = instantOf(answer.value.id)
      return yield* replayable(Adjustment, answer, { ...answer.value, createdAt })
    })

    return handlers
      .handle("list", ({ query: { status, ...query } }) =>
        paged(
          query,
          (page) => orUnavailable(accounts.page({ ...page, ...present({ status }) })),
          response
        )
      )
      .handleRaw("create", () => create)
      .handle("get", ({ params }) =>
        Effect.map(accountOfPath(accounts, params.id), ({ value }) => response(value))
      )
      .handleRaw("change", ({ params }) => change(params.id))
      .handleRaw("adjust", ({ params }) => adjust(params.id))
  })
)

const changing = (accounts: Accounts["Service"]) =>
  Effect.fnUntraced(function* (id: string) {
    const account = yield* accountOfPath(accounts, id)
    const request = yield* exactPayload(AccountChangePayload)
    const changed = accounts.change(account.value.id, withPsps(request)).pipe(
      Effect.catchTags({
        PspNotConfigured: pspNotConfigured,
        AccountNotFound: () => notFound("account", id),
        NotActive: notActiveForOperator,
        AccountNotEmpty: (obstacles) => refuse(Conflict, notEmpty(obstacles))
      }),
      orUnavailable
    )
    return response(yield* changed)
  })

const withPsps = <A extends { readonly psps?: typeof PspChoice.Type }>({
  psps,
  ...request
}: A) => ({ ...request, ...present({ psps: psps && choiceOf(psps) }) })

/** The default alone is what an account may use when nothing else is named. */
const choiceOf = ({ default: usual, allowed = [usual], rules }: typeof PspChoice.Type) => ({
  default: usual,
  allowed,
  ...present({ rules: rules && withShares(rules) })
})

const pspNotConfigured = ({ id }: PspNotConfigured) =>
  refuse(BadRequest, {
    message: `psps: no PSP is configured under ${id}.`,
    code: "PSP_NOT_CONFIGURED",
    details: { resource: "psp", field: "psps", value: id }
  })

const notThatMuch = (bucket: string) => ({
  message: `amount: the wallet does not hold that much ${bucket} balance.`,
  code: "INSUFFICIENT_BALANCE"
})

const notEmpty = (obstacles: AccountNotEmpty) => {
  const { available, claimed, held, id, promotional, subAccounts } = obstacles
  const figures = { available, held, promotional, claimed }
  const holds = Object.entries(figures).flatMap(([name, amount]) =>
    amount === 0n ? [] : [`${toBrlString(amount)} ${name}`]
  )
  const reasons = [
    ...(holds.length === 0 ? [] : [`its main wallet has ${holds.join(", ")}`]),
    ...(subAccounts.length === 0 ? [] : [`open sub-accounts: ${subAccounts.join(", ")}`])
  ]
  return {
    message: `This account cannot be closed yet: ${reasons.join("; ")}. Bring every balance to zero and close every sub-account, then close it.`,
    code: "ACCOUNT_NOT_EMPTY",
    details: {
      resource: "account",
      field: subAccounts.length === 0 ? "balance" : "subAccounts",
      value: id,
      available: toBrlNumber(available),
      held: toBrlNumber(held),
      promotional: toBrlNumber(promotional),
      claimed: toBrlNumber(claimed),
      subAccounts
    }
  }
}

const response = ({ routes: _, ...account }: Account) => account
