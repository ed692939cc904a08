import type { AccountId, Delivery, DeliveryId, StorageDriverShape } from "@pagora/core"
import { Effect } from "effect"
import type { ReceivedEvent } from "./Receivers.ts"
import { present } from "../Present.ts"

/** Every delivery that is stored. */
export const readDeliveries = (
  driver: StorageDriverShape
): Effect.Effect<ReadonlyArray<Delivery>> =>
  Effect.gen(function* () {
    const accounts = yield* driver.list({
      table: "registry",
      kind: "account",
      order: "asc",
      limit: 10_000
    })
    const all: Array<Delivery> = []
    for (const { id } of accounts) {
      for (let after: DeliveryId | undefined; ;) {
        const page = yield* driver.deliveries({
          account: id as unknown as AccountId,
          order: "asc",
          limit: pageMax,
          ...present({ after })
        })
        all.push(...page)
        after = page.at(-1)?.id
        if (page.length < pageMax) break
      }
    }
    return all
  }).pipe(Effect.orDie)

const pageMax = 500

/**
 * Whoever was to be told was told, or it shows that he was not (P51); what he was told was the same in every attempt (P53),
 * and one thing has one `eventId` (P52).
 */
export const judgeByEvents = (
  deliveries: ReadonlyArray<Delivery>,
  received: ReadonlyArray<ReceivedEvent>
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const bodies = new Map<string, string>()
  const taken = new Set<string>()
  for (const { body, delivery, status, url } of received) {
    const known = bodies.get(delivery)
    if (known !== undefined && known !== body)
      found.push(`events: ${delivery} to ${url} was sent with two bodies`)
    bodies.set(delivery, body)
    if (status === 200) taken.add(delivery)
  }
  const stored = new Set<string>(deliveries.map(({ id }) => id))
  for (const { id, status } of deliveries) {
    if (status === "queued") found.push(`events: ${id} is queued for ever`)
    if (status === "delivered" && !taken.has(id))
      found.push(`events: ${id} counts as delivered, and nobody has answered it well`)
  }
  for (const [delivery, body] of bodies) {
    const { eventId } = JSON.parse(body) as { readonly eventId?: string }
    if (typeof eventId !== "string") found.push(`events: ${delivery} has no eventId`)
    if (!stored.has(delivery)) found.push(`events: ${delivery} was sent and is not stored`)
  }
  return found
}
