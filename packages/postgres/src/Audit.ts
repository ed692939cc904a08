import type {
  AuditPage,
  AuditReads,
  AuditStates,
  AuditSum,
  ProvedWallet,
  StoredRow,
  Uuid,
  WalletSums
} from "@pagora/core"
import { LedgerTx } from "@pagora/core"
import { Effect } from "effect"
import { bucketCode, bucketOf } from "./Buckets.ts"
import type { Answer, Database } from "./Database.ts"
import { int, int8s, texts, uuid, uuids } from "./Parameters.ts"

/** Nothing is before the one, or after the other. */
const first = "00000000-0000-0000-0000-000000000000" as Uuid
/** How long certain wallets or accounts may take: one of them can have a million postings. */
const wholeMax = "1 minute"
const last = "ffffffff-ffff-ffff-ffff-ffffffffffff" as Uuid

/** What the audit reads: one statement each, which is one snapshot. */
export const makeAudit = (database: Database): AuditReads => ({
  subjects: (page, { queues, statuses }) =>
    Effect.map(
      database.read(subjects, [...pageOf(page), texts(queues), texts(statuses)]),
      (answers) =>
        answers.map(({ booked, is_told, queues, ...row }) => ({
          row: { ...row, table: "operation" } as never,
          booked: txsOf(row["id"], booked as string | null),
          hasEvent: is_told === true,
          lines: (queues ?? []) as never
        }))
    ),
  stretch: ({ after, limit, upTo }) =>
    Effect.map(
      database.read(stretch, [uuid(after ?? first), uuid(upTo ?? last), int(limit)]),
      ([answer]) => {
        const { isEnd, last: end, sums, ...found } = foundIn(answer)
        return {
          last: (end ?? undefined) as never,
          isEnd: isEnd === true,
          entries: Number(found["entries"]),
          sums: ((sums ?? []) as Lines).map(([owner, bucket, amount]): AuditSum => ({
            owner: owner as Uuid,
            bucket: bucketOf(Number(bucket)),
            amount: BigInt(amount as string)
          })),
          sources: (found["sources"] ?? []) as never,
          unsourced: (found["unsourced"] ?? []) as never,
          orphans: (found["orphans"] ?? []) as never
        }
      }
    ),
  ...balancesIn(database),
  deliveries: ({ after, limit }) =>
    Effect.map(database.read(deliveries, [uuid(after ?? first), int(limit)]), ([answer]) => {
      const { last: end, loose } = foundIn(answer)
      return {
        last: (end ?? undefined) as never,
        loose: ((loose ?? []) as Lines).map(([id, event]) => ({ id, event })) as never
      }
    }),
  // It may be repeated: the same is kept again.
  keep: (proved) => Effect.asVoid(database.read(keep, keepParameters(proved)))
})

/** Wallets, and what is in suspense, each with what moved it. */
const balancesIn = (database: Database): Pick<AuditReads, "wallets" | "suspense"> => ({
  wallets: (page, { from, mark, open }) =>
    Effect.map(
      database.read(
        wallets,
        [
          ...pageOf(page),
          uuids(from === "proved" ? [] : [from ?? first]),
          uuid(mark),
          texts(LedgerTx.ledgerKinds),
          ...statesOf(open)
        ],
        "ids" in page ? wholeMax : undefined
      ),
      (answers) => answers.map(walletOf)
    ),
  suspense: (accounts, { kinds, open }) =>
    Effect.map(
      database.read(
        suspense,
        [uuids(accounts), int(bucketCode("suspense")), texts(kinds), ...statesOf(open)],
        wholeMax
      ),
      (answers) =>
        answers.map((answer) => ({
          account: answer["account"] as never,
          posted: BigInt(answer["posted"] as string),
          open: [...rowsOf(answer["open"]), ...rowsOf(answer["open_of_others"])]
        }))
    )
})

const subjects = "select * from pagora.audit_subjects($1, $2, $3, $4, $5)"
const stretch = "select pagora.audit_stretch($1, $2, $3) as found"
const wallets = "select * from pagora.audit_wallets($1, $2, $3, $4, $5, $6, $7, $8)"
const suspense = "select * from pagora.audit_suspense($1, $2, $3, $4, $5)"
const deliveries = "select pagora.audit_deliveries($1, $2) as found"
const keep = `insert into pagora.audited (id, through, available, held, promotional)
  select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[])
  on conflict (id) do update set through = excluded.through, available = excluded.available,
    held = excluded.held, promotional = excluded.promotional`

type Json = Readonly<Record<string, unknown>>
const foundIn = (answer: Answer | undefined): Json => (answer?.["found"] ?? {}) as Json
type Lines = ReadonlyArray<ReadonlyArray<unknown>>

const pageOf = (page: AuditPage<Uuid>) =>
  "ids" in page
    ? [uuids(page.ids), uuid(first), int(0)]
    : [uuids([]), uuid(page.after ?? first), int(page.limit)]

/** The kinds alone go along an index, and their states beside them. */
const statesOf = (states: AuditStates) => [
  texts(states.map(({ kind }) => kind)),
  texts(states.flatMap(({ kind, statuses }) => statuses.map((status) => `${kind} ${status}`)))
]

const rowOf = ({ amount, ...row }: Json): StoredRow =>
  ({
    ...row,
    table: "operation",
    amount: amount === null ? null : BigInt(amount as string)
  }) as unknown as StoredRow

const rowsOf = (rows: unknown): ReadonlyArray<StoredRow> =>
  ((rows ?? []) as ReadonlyArray<Json>).map(rowOf)

/** Transactions of one source, as their function spells them; what is only for reading is left out. */
const txsOf = (source: unknown, text: string | null): ReadonlyArray<LedgerTx.LedgerTx> =>
  (text === null ? [] : text.split(";"))
    .map((line) => {
      const [head = "", ...postings] = line.split(",")
      const [id, kind, account, wallet, leg, amount = ""] = head.split(" ")
      return {
        id,
        kind,
        account,
        wallet,
        source,
        leg: Number(leg),
        amount: BigInt(amount),
        document: null,
        postings: postings.map(postingOf)
      } as unknown as LedgerTx.LedgerTx
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))

const postingOf = (text: string): LedgerTx.Posting => {
  const [owner, bucket, amount = ""] = text.split(" ")
  const account = { owner, bucket: bucketOf(Number(bucket)) }
  return { account, amount: BigInt(amount), spends: false } as unknown as LedgerTx.Posting
}

const sumsOf = (moved: Lines, at: 1 | 2): WalletSums => {
  const of = (name: LedgerTx.Posting["account"]["bucket"]): bigint => {
    const line = moved.find(([bucket]) => Number(bucket) === bucketCode(name))
    return line === undefined ? 0n : BigInt(line[at] as string)
  }
  return { available: of("available"), held: of("held"), promotional: of("promotional") }
}

const walletOf = ({ moved, open, proved, ...wallet }: Answer) => ({
  wallet: wallet as never,
  proved: provedOf(wallet["id"], proved),
  before: sumsOf((moved ?? []) as Lines, 1),
  after: sumsOf((moved ?? []) as Lines, 2),
  open: rowsOf(open)
})

const provedOf = (id: unknown, proved: unknown): ProvedWallet | undefined => {
  if (proved === null) return undefined
  const [through, available, held, promotional] = proved as ReadonlyArray<string>
  const amount = (text: string | undefined): bigint => BigInt(text ?? 0)
  return {
    id,
    through,
    available: amount(available),
    held: amount(held),
    promotional: amount(promotional)
  } as unknown as ProvedWallet
}

const keepParameters = (proved: ReadonlyArray<ProvedWallet>) => [
  uuids(proved.map(({ id }) => id)),
  uuids(proved.map(({ through }) => through)),
  int8s(proved.map(({ available }) => available)),
  int8s(proved.map(({ held }) => held)),
  int8s(proved.map(({ promotional }) => promotional))
]
