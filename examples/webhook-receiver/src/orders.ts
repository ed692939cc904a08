import type { WebhookEvent } from "@pagora/core/webhook"
import { DatabaseSync } from "node:sqlite"

/** Which orders are paid, and of which events we know: one database, so that both change together. */
export const openOrders = (path: string) => {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec(`
    pragma journal_mode = wal;
    create table if not exists events (id text primary key, body text not null) strict;
    create table if not exists paid (reference text primary key, centavos integer not null) strict;
  `)
  const insertEvent = database.prepare("insert into events values (?, ?) on conflict do nothing")
  const addPayment = database.prepare(
    `insert into paid values (?, ?)
     on conflict do update set centavos = centavos + excluded.centavos`
  )
  const paidOf = database.prepare("select centavos from paid where reference = ?")

  /** What an event changes. */
  const apply = (event: WebhookEvent) => {
    switch (event.event) {
      case "payment_completed":
        // Amounts are BRL with two decimals; sums are made of centavos.
        addPayment.run(
          event.data.externalReference ?? event.eventId,
          Math.round(event.data.amount * 100)
        )
        return
      // What this shop does not act on is remembered and no more.
      default:
    }
  }

  return {
    /** Takes an event, unless it was taken before. Either it is known and applied afterwards, or neither. */
    take: (event: WebhookEvent): "taken" | "known" => {
      // The write lock from the start: of two deliveries at once, also in two processes, one waits for the other.
      database.exec("begin immediate")
      try {
        const { changes } = insertEvent.run(event.eventId, JSON.stringify(event))
        if (changes === 1) apply(event)
        database.exec("commit")
        return changes === 1 ? "taken" : "known"
      } catch (error) {
        database.exec("rollback")
        throw error
      }
    },
    /** Centavos that were paid for an order. */
    paid: (reference: string): number => Number(paidOf.get(reference)?.["centavos"] ?? 0),
    close: () => database.close()
  }
}

export type Orders = ReturnType<typeof openOrders>
