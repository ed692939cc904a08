import type { ReceivedEvent } from "@pagora/testkit"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import { SubAccount, SubAccountKind } from "../../src/accounts/SubAccount.ts"
import type { AccountId, SubAccountId } from "../../src/kernel/Ids.ts"
import { instantOf } from "../../src/kernel/Ids.ts"
import { Ids } from "../../src/time/Ids.ts"
import type { NewPspRefund, PspOutcome, PspRefund, PspShape } from "../../src/ports/Psp.ts"
import { done } from "../../src/ports/Psp.ts"
import { PspDirectory } from "../../src/ports/Psp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { ReturnKind } from "../../src/returns/Return.ts"
import { pspThat } from "../world/ServiceWorld.test-data.ts"

/**
 * How the bank takes one order to send money back.
 *
 * - `takes`, `confirms`: does it, and says so;
 * - `loses the answer`: does it, and its answer does not arrive;
 * - `loses the request`: does nothing, and nobody knows;
 * - `is not reached`: does nothing, for certain;
 * - `refuses`: will not even take it;
 * - `takes and rejects`: took it, and it came to nothing;
 * - `lies`: answers with another amount.
 */
export type Manner =
  | "takes"
  | "confirms"
  | "loses the answer"
  | "loses the request"
  | "is not reached"
  | "refuses"
  | "takes and rejects"
  | "lies"

/** A bank whose returns a test dictates, in the place of the simulated one's. */
export const bankThat = Effect.fnUntraced(function* (
  manners: ReadonlyArray<Manner>,
  capabilities: Partial<PspShape["capabilities"]> = {}
) {
  const psp = yield* Effect.map(
    PspDirectory,
    (directory) => directory.find(directory.default) as PspShape
  )
  const script = [...manners]
  const returns = new Map<string, PspRefund>()
  const orders: Array<NewPspRefund> = []
  let questions = 0
  let isSilent = false

  const taken = (order: NewPspRefund, status: PspRefund["status"]): PspOutcome<PspRefund> => {
    const known = returns.get(order.reference)
    // A bank without idempotence by reference does it once more, which is what no test may see.
    if (known !== undefined && (capabilities.idempotentByReference ?? true)) return done(known)
    const { amount, endToEndId, reference } = order
    returns.set(reference, {
      reference,
      endToEndId,
      amount,
      status,
      ...(status === "confirmed" ? { returnId: `D-${reference}` } : {}),
      ...(status === "rejected" ? { rejection: { code: "AC03", message: "No such account." } } : {})
    })
    return done(returns.get(reference) as PspRefund)
  }

  const act = (order: NewPspRefund): PspOutcome<PspRefund> => {
    orders.push(order)
    const manner = script.shift() ?? "confirms"
    switch (manner) {
      case "takes":
        return taken(order, "processing")
      case "confirms":
        return taken(order, "confirmed")
      case "takes and rejects":
        return taken(order, "rejected")
      case "loses the answer":
        taken(order, "confirmed")
        return { _tag: "Unknown", detail: manner }
      case "loses the request":
        return { _tag: "Unknown", detail: manner }
      case "is not reached":
        return { _tag: "NotSent", detail: manner }
      case "refuses":
        return { _tag: "Rejected", code: "AM04", message: "Not enough money." }
      case "lies": {
        const { amount, endToEndId, reference } = order
        return done({
          reference,
          endToEndId,
          amount: Centavos.make(amount + 1n),
          status: "confirmed"
        })
      }
    }
  }

  const move = pspThat({
    capabilities: { ...psp.capabilities, ...capabilities },
    refund: (order) => Effect.sync(() => act(order)),
    findRefund: ({ reference }) =>
      Effect.sync(() => {
        questions++
        return isSilent
          ? { _tag: "Unknown" as const, detail: "silent" }
          : done(returns.get(reference))
      })
  })
  yield* move
  return {
    orders,
    /** Puts it in the place of the bank of another process. */
    move,
    questions: () => questions,
    silence: (silent: boolean) => {
      isSilent = silent
    },
    /** How it takes the next orders. */
    script: (...next: ReadonlyArray<Manner>) => {
      script.splice(0, script.length, ...next)
    },
    /** What it has taken comes to this end. */
    ends: (reference: string, end: Partial<PspRefund>) => {
      returns.set(reference, { ...(returns.get(reference) as PspRefund), ...end })
    },
    /** How many centavos it has sent back, or is sending. */
    sent: () =>
      [...returns.values()].reduce(
        (sum, { amount, status }) => (status === "rejected" ? sum : sum + amount),
        0n
      )
  }
})

/** All returns of an account, oldest first. */
export const returnsOf = (account: AccountId) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const found = yield* storage.list(ReturnKind, {
      account,
      order: "asc",
      limit: 100
    })
    return found.map(({ value }) => value)
  }).pipe(Effect.orDie)

/** What an account of the deployment holds, summed from the postings of one account's movements. */
export const sumOf = (account: AccountId, bucket: string) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const movements = yield* storage.movements({
      account,
      order: "asc",
      limit: 1_000
    })
    return movements
      .flatMap(({ postings }) => postings)
      .reduce(
        (sum, posting) => (posting.account.bucket === bucket ? sum + posting.amount : sum),
        0n
      )
  }).pipe(Effect.orDie)

export const refundOf = ({ blockedDeposit }: Pick<ReceivedEvent["data"], "blockedDeposit">) =>
  blockedDeposit?.refund

/** Opens a sub-account; answers the header that acts as it. */
export const subAccountOf = Effect.fnUntraced(function* (
  account: AccountId,
  reference: string,
  fees: SubAccount["fees"] = {}
) {
  const storage = yield* Storage
  const ids = yield* Ids
  const id = yield* ids.next<SubAccountId>()
  const createdAt = instantOf(id)
  const subAccount = new SubAccount({
    id,
    account,
    reference,
    name: reference,
    status: "approved",
    fees,
    createdAt
  })
  yield* storage.commit({
    at: createdAt,
    opens: [id],
    inserts: [SubAccountKind.row(subAccount)],
    keys: [{ space: "sub_account", key: `${account}/${reference}`, holder: id }]
  })
  return { "x-sub-account": reference }
}, Effect.orDie)
