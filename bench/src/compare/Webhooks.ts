import { Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { settling } from "./Confirmations.ts"
import type { Access, Job } from "./Load.ts"
import { connections } from "./Load.ts"
import { startReceiver } from "./Receiver.ts"

const patience = "5 minutes"

/** What holds events back that an endpoint is to be sent. */
interface Hold {
  /** Once all of them are there. */
  readonly waiting: Effect.Effect<unknown>
  readonly release: Effect.Effect<unknown>
  /** Nothing more is sent there. */
  readonly end: Effect.Effect<unknown>
}

/** Ours: nothing of it gets out before it is let out. */
const holdOurs = Effect.fnUntraced(function* ({ send, server, token }: Access, url: string) {
  const body = { url, events: ["payment_completed"] }
  const { id } = yield* send({ method: "POST", path: "/webhook-endpoints", token, body })
  yield* server.process.ask("hold")
  const hold: Hold = {
    waiting: Effect.void,
    release: server.process.ask("release"),
    end: send({ method: "DELETE", path: `/webhook-endpoints/${String(id)}`, token })
  }
  return hold
})

/** Plain's: they wait for an endpoint that is switched off. */
const holdPlain = Effect.fnUntraced(function* ({ server }: Access, url: string) {
  const { rows } = server.database
  const id = randomUUID()
  const secret = randomBytes(32).toString("base64")
  yield* rows(
    `insert into plain.webhook_endpoint (id, account, url, secret, enabled)
     select $1, id, $2, $3, false from plain.account`,
    [id, url, secret]
  )
  const enable = (enabled: boolean) =>
    rows("update plain.webhook_endpoint set enabled = $2 where id = $1", [id, enabled])
  const waiting = rows(
    `insert into plain.delivery (event, endpoint, status, attempts, next_at)
     select event.id, $1, 'pending', 0, now() from plain.event
     where type = 'payment_completed' and created_at >= (select created_at from plain.webhook_endpoint where id = $1)`,
    [id]
  )
  const hold: Hold = { waiting, release: enable(true), end: enable(false) }
  return hold
})

/** Events of payments that wait for one endpoint until it takes them, at once. */
export const webhooks: Job = {
  key: "webhooks",
  name: "webhooks to one receiver that answers at once",
  count: 4_000,
  prepare: Effect.fnUntraced(function* (access, count) {
    const receiver = yield* startReceiver
    const hold = access.server.way === "plain" ? holdPlain : holdOurs
    const { end, release, waiting } = yield* hold(access, receiver.url)
    const settle = yield* settling(access, count)
    yield* Effect.forEach(Array.from({ length: count }), () => settle, {
      concurrency: connections,
      discard: true
    })
    yield* waiting
    const sent = Effect.all([receiver.all(count), release], { concurrency: "unbounded" })
    const all = sent.pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.die(new Error(`Not every event has arrived after ${patience}.`))
      }),
      Effect.tap(end),
      Effect.map(([millis]) => millis)
    )
    return { _tag: "All", all }
  })
}
