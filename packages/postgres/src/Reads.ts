import type {
  AttemptRow,
  Delivery,
  DeliveryQuery,
  EventRow,
  Found,
  IdempotencyRecord,
  Lookup,
  RowTable,
  StorageDriverShape,
  Uuid,
  Wallet
} from "@pagora/core"
import { deliveryStatuses } from "@pagora/core"
import { DateTime, Effect } from "effect"
import type { Answer, Database } from "./Database.ts"
import { text, texts, uuid, uuids } from "./Parameters.ts"
import { idPage, unionOf } from "./Pages.ts"

type Reads = Pick<
  StorageDriverShape,
  "resolve" | "idempotency" | "wallets" | "events" | "deliveries" | "attempts"
>

/** What the columns of the answers hold, each under the name of its field; `instant` names one that is a time. */
const as =
  <A>(instant?: string) =>
  (answers: ReadonlyArray<Answer>): ReadonlyArray<A> =>
    answers.map((answer) =>
      instant === undefined ? answer : { ...answer, [instant]: utc(answer[instant]) }
    ) as ReadonlyArray<unknown> as ReadonlyArray<A>

const utc = (date: unknown): DateTime.Utc => DateTime.fromDateUnsafe(date as Date)

export const makeReads = (database: Database): Reads => ({
  resolve: (lookups) =>
    Effect.map(database.read(resolve, resolveParameters(lookups)), (answers) => {
      const found = new Map(answers.map((answer) => [Number(answer["n"]), answer]))
      return lookups.map((_, index) => foundOf(found.get(index + 1)))
    }),
  idempotency: ({ key, route, wallet }) =>
    Effect.map(
      database.read(idempotency, [uuid(wallet), text(key), text(route)]),
      (answers) => as<IdempotencyRecord>("expiresAt")(answers)[0]
    ),
  wallets: (ids) => Effect.map(database.read(wallets, [uuids(ids)]), as<Wallet>("updatedAt")),
  events: (ids) => Effect.map(database.read(events, [uuids(ids)]), as<EventRow>("at")),
  deliveries: (query) =>
    Effect.map(
      "ids" in query
        ? database.read(deliveriesById, [uuids(query.ids)])
        : deliveryPage(database, query),
      as<Delivery>()
    ),
  attempts: (ids) => Effect.map(database.read(attempts, [uuids(ids)]), as<AttemptRow>("at"))
})

const resolve = "select n, place, found from pagora.resolve($1, $2, $3, $4, $5)"

const resolveParameters = (lookups: ReadonlyArray<Lookup>) => [
  texts(lookups.map((lookup) => lookup._tag)),
  uuids(lookups.map((lookup) => ("wallet" in lookup ? lookup.wallet : null))),
  uuids(lookups.map((lookup) => (lookup._tag === "Id" ? lookup.id : null))),
  texts(lookups.map((lookup) => (lookup._tag === "Key" ? lookup.space : null))),
  texts(
    lookups.map((lookup) => ("key" in lookup ? lookup.key : "ref" in lookup ? lookup.ref : null))
  )
]

const foundOf = (answer: Answer | undefined): Found | undefined =>
  answer === undefined
    ? undefined
    : { table: answer["place"] as RowTable | "ledger" | "any", id: answer["found"] as Uuid }

const idempotency = `select entity, fingerprint, expires_at as "expiresAt", snapshot
  from pagora.idempotency where wallet = $1 and key = $2 and route = $3`

const wallets = `select id, available, held, promotional, lien, updated_at as "updatedAt"
  from pagora.wallet_by_id($1) order by id`

const events =
  "select id, account, wallet, key, type, body, at from pagora.event_by_id($1) order by id"

const deliveryColumns = "d.id, d.event, d.endpoint, d.account, e.type, d.status, d.attempts"

const deliveriesById = `with d as materialized (select * from pagora.delivery_by_id($1))
  select ${deliveryColumns}
  from d join pagora.event_by_id(array(select d.event from d)) e on e.id = d.event order by d.id`

const deliveryPage = (database: Database, query: DeliveryQuery) => {
  const page = idPage("d.id", query)
  const conditions = [`d.account = ${page.parameter(uuid(query.account))}`]
  if (query.endpoint !== undefined)
    conditions.push(`d.endpoint = ${page.parameter(uuid(query.endpoint))}`)
  if (query.type !== undefined) conditions.push(`e.type = ${page.parameter(text(query.type))}`)
  const statuses = query.status === undefined ? deliveryStatuses : [query.status]
  const select = `select ${deliveryColumns} from pagora.delivery d join pagora.event e on e.id = d.event`
  const parts = statuses.map((status) => {
    const lead = { column: "d.status", value: page.parameter(text(status)) }
    return `${select} ${page.along(lead, ...conditions)}`
  })
  return database.read(
    `select id, event, endpoint, account, type, status, attempts from ${unionOf(parts, query)}`,
    page.parameters
  )
}

const attempts = `select delivery, number, at, coalesce(outcome, 'answered') as outcome, http_status as "httpStatus",
    duration_millis as "durationMillis", status
  from pagora.attempt where delivery = any ($1) order by delivery, number`
