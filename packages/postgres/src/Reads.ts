import type {
  AttemptRow,
  Delivery,
  DeliveryQuery,
  EventRow,
  IdempotencyRecord,
  Outgoing,
  Question,
  Seen,
  StorageDriverShape,
  StoredRow,
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
  "look" | "idempotency" | "wallets" | "events" | "deliveries" | "outgoing" | "attempts"
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
  look: (questions) =>
    Effect.map(database.read(look, lookParameters(questions)), (answers) =>
      inPlace(questions, answers, seenOf)
    ),
  idempotency: (scopes) =>
    Effect.map(
      database.read(idempotency, [
        uuids(scopes.map(({ wallet }) => wallet)),
        texts(scopes.map(({ key }) => key)),
        texts(scopes.map(({ route }) => route))
      ]),
      (answers) => inPlace(scopes, answers, recordOf)
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
  outgoing: (ids) => Effect.map(database.read(outgoing, [uuids(ids)]), outgoingOf),
  attempts: (ids) => Effect.map(database.read(attempts, [uuids(ids)]), as<AttemptRow>("at"))
})

/** The answer to each question, which says by its number whose it is. */
const inPlace = <Q, A>(
  questions: ReadonlyArray<Q>,
  answers: ReadonlyArray<Answer>,
  read: (answer: Answer) => A
): ReadonlyArray<A | undefined> => {
  const placed: Array<A | undefined> = questions.map(() => undefined)
  for (const answer of answers) placed[Number(answer["n"]) - 1] = read(answer)
  return placed
}

const look = `select n, tab, found as id, kind, account, wallet, status, amount, ref, document, version
  from pagora.look($1, $2, $3, $4, $5)`

const lookParameters = (questions: ReadonlyArray<Question>) => [
  texts(questions.map((question) => (question._tag === "Row" ? question.table : question._tag))),
  uuids(questions.map((question) => ("wallet" in question ? question.wallet : null))),
  uuids(questions.map((question) => ("id" in question ? question.id : null))),
  texts(questions.map((question) => (question._tag === "Key" ? question.space : null))),
  texts(
    questions.map((question) =>
      "key" in question
        ? question.key
        : "name" in question
          ? question.name
          : "kind" in question
            ? question.kind
            : null
    )
  )
]

const seenOf = ({ n: _, tab, ...row }: Answer): Seen => ({
  id: row["id"] as Uuid,
  row: tab === null ? undefined : ({ ...row, table: tab } as unknown as StoredRow)
})

const recordOf = ({ n: _, ...answer }: Answer): IdempotencyRecord =>
  ({ ...answer, expiresAt: utc(answer["expiresAt"]) }) as unknown as IdempotencyRecord

const idempotency = `select x.n, i.entity, i.fingerprint, i.expires_at as "expiresAt", i.snapshot
  from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as x (wallet, key, route, n)
  cross join lateral (select * from pagora.idempotency i
    where i.wallet = x.wallet and i.key = x.key and i.route = x.route limit 1) as i`

const wallets = `select id, available, held, promotional, lien, updated_at as "updatedAt"
  from pagora.wallet_by_id($1) order by id`

const events =
  "select id, account, wallet, key, type, body, at from pagora.event_by_id($1) order by id"

const deliveryColumns = "d.id, d.event, d.endpoint, d.account, e.type, d.status, d.attempts"

const deliveriesById = `with d as materialized (select * from pagora.delivery_by_id($1))
  select ${deliveryColumns}
  from d join pagora.event_by_id(array(select d.event from d)) e on e.id = d.event order by d.id`

// A row of the registry goes with the first of the deliveries to it, and not with each.
const outgoing = `with d as materialized (
      select *, row_number() over (partition by endpoint order by id) as nth from pagora.delivery_by_id($1)
    ),
    e as materialized (select * from pagora.event_by_id(array(select d.event from d))),
    n as materialized (
      select * from pagora.registry_by_id(array(select distinct d.endpoint from d))
    )
  select d.id, d.event, d.endpoint, d.account, d.status, d.attempts,
    e.account as event_account, e.wallet, e.key, e.type, e.body, e.at, n.kind, n.account as owner, n.wallet as of_wallet,
    n.status as row_status, n.amount, n.ref, n.document, n.version
  from d join e on e.id = d.event
    left join n on n.id = d.endpoint and d.nth = 1
  order by d.id`

const outgoingOf = (answers: ReadonlyArray<Answer>): ReadonlyArray<Outgoing> => {
  const endpoints = new Map<Uuid, StoredRow>()
  return answers.map((answer) => {
    const id = answer["endpoint"] as Uuid
    if (answer["kind"] !== null) endpoints.set(id, endpointOf(id, answer))
    const { account, attempts: tries, endpoint, event, id: delivery, status, type } = answer
    return {
      delivery: { id: delivery, event, endpoint, account, type, status, attempts: tries },
      event: {
        id: event,
        account: answer["event_account"],
        wallet: answer["wallet"],
        key: answer["key"],
        type,
        body: answer["body"],
        at: utc(answer["at"])
      },
      endpoint: endpoints.get(id)
    } as Outgoing
  })
}

const endpointOf = (id: Uuid, answer: Answer): StoredRow =>
  ({
    table: "registry",
    id,
    kind: answer["kind"],
    account: answer["owner"],
    wallet: answer["of_wallet"],
    status: answer["row_status"],
    amount: answer["amount"],
    ref: answer["ref"],
    document: answer["document"],
    version: answer["version"]
  }) as StoredRow

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
