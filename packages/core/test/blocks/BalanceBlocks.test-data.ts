import type { Journey, WithId } from "@pagora/testkit"
import { expecting, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { Storage } from "../../src/storage/Storage.ts"
import { ReturnKind } from "../../src/returns/Return.ts"

type Body = Readonly<Record<string, unknown>>

export const operator = <const Method extends string, const Path extends string>(
  method: Method,
  path: Path,
  body?: unknown
) =>
  Effect.flatMap(TestPagora, (pagora) =>
    pagora.operator(method, path, body === undefined ? {} : { body })
  )

/** A payment of so many BRL that the shop has received. */
export const paid = Effect.fnUntraced(function* (story: Journey, amount = 10, body: Body = {}) {
  const charge = yield* story.charge({ amount, ...body })
  yield* story.pay(charge)
  return charge
})

export const askBlock = (story: Journey, charge: WithId, body: Body = {}) =>
  operator("POST", `/accounts/${story.shop.id}/balance-blocks`, {
    transactionId: charge.id,
    blockType: "med",
    ...body
  })

export const block = (story: Journey, charge: WithId, body: Body = {}) =>
  Effect.flatMap(askBlock(story, charge, body), expecting(201))

export const askResolve = (block: WithId, outcome: "approved" | "rejected", reason?: string) =>
  operator("POST", `/balance-blocks/${block.id}/resolve`, {
    outcome,
    ...(reason === undefined ? {} : { reason })
  })

export const resolve = (block: WithId, outcome: "approved" | "rejected", reason?: string) =>
  Effect.flatMap(askResolve(block, outcome, reason), expecting(200))

export const defend = (block: WithId) =>
  Effect.flatMap(operator("POST", `/balance-blocks/${block.id}/defend`), expecting(200))

/** The shop's blocks as it sees them. */
export const listed = (story: Journey, query = "") =>
  Effect.map(
    Effect.flatMap(story.shop.call("GET", `/balance-blocks${query}`), expecting(200)),
    ({ items }) => items
  )

/** The shop's blocks as the operator sees them, newest first. */
export const operatorBlocks = (story: Journey) =>
  Effect.map(
    Effect.flatMap(
      operator("GET", `/accounts/${story.shop.id}/balance-blocks?limit=100`),
      expecting(200)
    ),
    ({ data }) => data
  )

/** What the operator sees of one block. */
export const operatorBlock = Effect.fnUntraced(function* (story: Journey, { id }: WithId) {
  const found = (yield* operatorBlocks(story)).find((block) => block.id === id)
  return found ?? (yield* Effect.die(new Error(`Block ${id} is not listed.`)))
})

/** In centavos: what chargebacks took out of the shop's wallets, piece by piece. */
export const chargebacks = Effect.fnUntraced(function* ({ shop }: Journey) {
  const storage = yield* Storage
  const txs = yield* Effect.orDie(
    storage.movements({ account: shop.id, order: "asc", limit: 1_000 })
  )
  return txs.filter(({ kind }) => kind === "chargeback")
})

/** The returns of approved blocks, oldest first. */
export const returns = Effect.fnUntraced(function* ({ shop }: Journey) {
  const storage = yield* Storage
  const query = { account: shop.id, order: "asc", limit: 1_000 } as const
  const found = yield* Effect.orDie(storage.list(ReturnKind, query))
  return found.map(({ value }) => value).filter(({ purpose }) => purpose === "chargeback")
})

/** What the shop can spend and what is held of it, in centavos. */
export const spendable = ({ figures }: Journey) =>
  Effect.map(figures, ({ available, held }) => [available, held])
