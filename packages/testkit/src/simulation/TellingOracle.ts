import type { Delivery, EventRow, StorageDriverShape, StoredRow } from "@pagora/core"
import { Effect } from "effect"
import type { Books, StoredOperation } from "./Books.ts"
import { bornAt, textOf } from "./Books.ts"
import { clockErrorMax } from "./MachineClock.ts"
import type { Asked } from "./programs/Asked.ts"
import type { Made } from "./programs/Made.ts"
import { madeBy } from "./programs/Made.ts"

/** What is stored of who is told what. */
export interface Telling {
  readonly deliveries: ReadonlyArray<Delivery>
  readonly events: ReadonlyArray<EventRow>
  readonly endpoints: ReadonlyArray<StoredRow>
}

export const readTelling = (
  driver: StorageDriverShape,
  deliveries: ReadonlyArray<Delivery>
): Effect.Effect<Telling> =>
  Effect.gen(function* () {
    const ids = [...new Set(deliveries.map(({ event }) => event))]
    const events: Array<EventRow> = []
    for (let from = 0; from < ids.length; from += pageMax)
      events.push(...(yield* driver.events(ids.slice(from, from + pageMax))))
    const query = { table: "registry", kind: "endpoint", order: "asc", limit: 10_000 } as const
    return { deliveries, events, endpoints: yield* driver.list(query) }
  }).pipe(Effect.orDie)

const pageMax = 500

/** What has to be told of an operation as it is: kinds of event, each with its `eventId`. */
const toldOf = (one: StoredOperation): ReadonlyArray<readonly [type: string, key: string]> => {
  const { id, kind, status } = one.row
  switch (kind) {
    case "charge":
      if (status === "completed") return [["payment_completed", id]]
      if (status === "expired") return [["payment_expired", `payment_expired_${id}`]]
      return status === "failed" && textOf(one, "e2eId") !== undefined
        ? [["payment_failed", id]]
        : []
    case "deposit":
      return [["payment_failed", id]]
    case "withdrawal":
      if (status === "failed") return [["withdrawal_failed", id]]
      return [
        ...(["completed", "reversed"].includes(status)
          ? [["withdrawal_completed", id] as const]
          : []),
        ...(status === "reversed"
          ? [["withdrawal_reversed", `withdrawal_reversed_${id}`] as const]
          : [])
      ]
    case "return":
      return status === "confirmed" && textOf(one, "purpose") === "refund"
        ? [["refund_completed", id]]
        : []
    case "balance_block":
      return ["balance_block_created", ...decided(status)].map(
        (type) => [type, `${type}_${id}`] as const
      )
    default:
      return []
  }
}

/** An approved block may be collecting yet. */
const decided = (status: string): ReadonlyArray<string> => {
  if (status === "rejected") return ["balance_block_rejected"]
  return status === "approved" || status === "collecting" ? ["balance_block_approved"] : []
}

/** An endpoint that is told everything: nobody has changed it, and it was never switched off. */
interface Listener {
  readonly row: StoredRow
  readonly made: Made
}

const changing: ReadonlySet<string> = new Set(["changeEndpoint", "removeEndpoint"])

const listenersOf = (
  { endpoints }: Telling,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<Listener> => {
  const all = madeBy(asked, "endpoint")
  const changed = new Set(
    asked.flatMap(({ name, outcome, subject }) =>
      changing.has(name) && outcome !== "refused" ? [subject ?? ""] : []
    )
  )
  return endpoints.flatMap((row) => {
    const made = all.get(row.id)
    return made === undefined || changed.has(row.id) || row.status !== "enabled"
      ? []
      : { row, made }
  })
}

/**
 * What came to be after an endpoint was acknowledged is told to it, in whatever state the delivery is. Of a sub-account those
 * of the main account are told only while it has never had an endpoint of its own.
 */
export const judgeByTelling = (
  { operations }: Books,
  telling: Telling,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<string> => {
  const listeners = listenersOf(telling, asked)
  const events = new Map<string, EventRow>(telling.events.map((event) => [event.id, event]))
  const delivered = new Set(
    telling.deliveries.map(({ account, endpoint, event, type }) =>
      [account, endpoint, type, events.get(event)?.key].join(" ")
    )
  )
  const made = new Map(
    ["charge", "withdraw", "refund", "block"].flatMap((name) => [...madeBy(asked, name)])
  )
  const owning = new Set(
    asked.flatMap(({ name, outcome, shop, wallet }) =>
      name === "endpoint" && outcome !== "refused" ? [`${shop} ${wallet}`] : []
    )
  )
  const isFor = ({ made: { acknowledged, at, shop }, row }: Listener, one: StoredOperation) => {
    const { account, id, wallet } = one.row
    if (row.account !== account) return false
    const isOwn = row.wallet === wallet
    const isMain = row.wallet === account && !owning.has(`${shop} ${textOf(one, "subAccount")}`)
    const isAfter = (made.get(id)?.began ?? -1) > acknowledged || bornAt(one) > at + clockErrorMax
    return (isOwn || isMain) && isAfter
  }
  return operations.flatMap((one) => {
    const those = toldOf(one)
    if (those.length === 0) return []
    return listeners
      .filter((listener) => isFor(listener, one))
      .flatMap(({ row }) =>
        those
          .filter(([type, key]) => !delivered.has([one.row.account, row.id, type, key].join(" ")))
          .map(([type]) => `telling: endpoint ${row.id} has no ${type} of ${one.row.id}`)
      )
  })
}

/** So often is tried what is given up. */
const attemptsMax = 5

/** To an endpoint that is there and on, nothing is given up before it was tried as often as is promised. */
export const judgeByTries = (
  telling: Telling,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<string> => {
  const listening = new Set<string>(listenersOf(telling, asked).map(({ row }) => row.id))
  return telling.deliveries.flatMap(({ attempts, endpoint, id, status }) =>
    listening.has(endpoint) && status === "exhausted" && attempts < attemptsMax
      ? [`telling: delivery ${id} to ${endpoint} was given up after ${attempts} attempts`]
      : []
  )
}
