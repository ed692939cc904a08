import { DateTime, Equal, Schema } from "effect"
import type { Uuid, WalletId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import { Recent } from "../kernel/Recent.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { Row, RowTable, StoredRow, Version } from "./Unit.ts"

/** The columns of an entity that storage can filter and look up by. */
export interface Columns {
  readonly id: Uuid
  readonly account: Uuid
  readonly wallet: WalletId | null
  readonly status: string
  readonly amount?: Centavos
  readonly ref?: string | undefined
}

/** A value and the version it was read at, to be expected when it is written. */
export interface Versioned<A> {
  readonly value: A
  readonly version: Version
}

/** Whether an entity is still as it was read, also where its row was forgotten meanwhile and decoded anew. */
export const isAsRead = <A>(one: Versioned<A>, other: Versioned<A>): boolean =>
  one === other || (one.version === other.version && Equal.equals(one.value, other.value))

/** What reading an entity takes. */
export interface ReadableKind<A> {
  readonly name: string
  readonly table: RowTable
  readonly read: (row: StoredRow) => Versioned<A>
}

/** How one kind of entity is stored: its table, its columns and the codec of its document. */
export interface Kind<A> extends ReadableKind<A> {
  readonly row: (value: A) => Row
  readonly statusOf: (value: A) => string
  readonly idOf: (value: A) => Uuid
  /** The whole value as JSON text, to be kept as it was at one time; `fromSnapshot` reads it back. */
  readonly snapshot: (value: A) => string
  readonly fromSnapshot: (text: string) => A
}

/** Fields that may stand in the column of the same name. */
const columnFields = ["id", "account", "wallet", "status", "amount"] as const

/**
 * Declares a kind. A field whose value stands in a column already, or in the id, is left out of the document, and
 * put back when it is read. A document that does not decode is a bug or a damaged database, never a refusal: `read`
 * throws.
 */
export const make = <A, E>(options: {
  readonly name: string
  readonly table: RowTable
  readonly schema: Schema.Codec<A, E>
  readonly columns: (value: A) => Columns
  /** The field that stands in the column `ref`. */
  readonly refField?: string
  /** The field that holds the instant at which the id was made, as a rule. */
  readonly bornField?: string
}): Kind<A> => {
  const codec = Schema.toCodecJson(options.schema)
  const encode = rememberingLast(Schema.encodeUnknownSync(codec) as (value: A) => Document)
  const decode = Schema.decodeUnknownSync(codec)
  const { bornField } = options
  const fields = [
    ...columnFields.map((name) => [name, name] as const),
    ...(options.refField === undefined ? [] : [[options.refField, "ref"] as const])
  ]
  const columnOf = new Map<string, (typeof fields)[number][1]>(fields)
  return {
    name: options.name,
    table: options.table,
    statusOf: (value) => options.columns(value).status,
    idOf: (value) => options.columns(value).id,
    row: (value) => {
      const columns = options.columns(value)
      const whole = encode(value)
      const isElsewhere = (field: string): boolean => {
        const column = columnOf.get(field)
        return column === undefined
          ? field === bornField && whole[field] === bornAt(columns.id)
          : whole[field] === asJson(columns[column])
      }
      // Made anew: taking fields out of an object makes it slow to write.
      const document: Record<string, unknown> = {}
      for (const field of Object.keys(whole)) {
        if (!isElsewhere(field)) document[field] = whole[field]
      }
      return {
        table: options.table,
        kind: options.name,
        id: columns.id,
        account: columns.account,
        wallet: columns.wallet,
        status: columns.status,
        amount: columns.amount ?? null,
        ref: columns.ref ?? null,
        document: JSON.stringify(document)
      }
    },
    read: remembering((row) => {
      const document: Record<string, unknown> = JSON.parse(row.document)
      for (const [field, column] of fields) {
        const value = asJson(row[column])
        if (value !== undefined) document[field] ??= value
      }
      if (bornField !== undefined) document[bornField] ??= bornAt(row.id)
      return { value: decode(document), version: row.version }
    }),
    snapshot: (value) => JSON.stringify(encode(value)),
    fromSnapshot: (text) => decode(JSON.parse(text))
  }
}

type Document = Readonly<Record<string, unknown>>

/** A value is written as a row and kept as a snapshot by one unit: it is encoded once. Values never change. */
const rememberingLast = <A>(encode: (value: A) => Document): ((value: A) => Document) => {
  let last: { readonly value: A; readonly document: Document } | undefined
  return (value) => {
    if (last?.value !== value) last = { value, document: encode(value) }
    return last.document
  }
}

/** How many rows of a kind are remembered as what they came to: those that were read last, up to twice as many. */
const rememberedMax = 1_000

interface Remembered<A> {
  readonly row: StoredRow
  readonly read: Versioned<A>
}

/**
 * The same row is decoded once: whoever is asked for often, such as a credential, an account or a charge that is waited
 * for, is one value in this process until its row changes. What is remembered is never older than the row, which was
 * just read: all of it is compared.
 */
const remembering = <A>(
  read: (row: StoredRow) => Versioned<A>
): ((row: StoredRow) => Versioned<A>) => {
  const remembered = new Recent<Uuid, Remembered<A>>(rememberedMax)
  return (row) => {
    const known = remembered.get(row.id)
    if (known !== undefined && isSameRow(known.row, row)) return known.read
    const value = read(row)
    remembered.set(row.id, { row, read: value })
    return value
  }
}

const isSameRow = (one: StoredRow, other: StoredRow): boolean =>
  one.version === other.version &&
  one.status === other.status &&
  one.account === other.account &&
  one.wallet === other.wallet &&
  one.amount === other.amount &&
  one.ref === other.ref &&
  one.table === other.table &&
  one.kind === other.kind &&
  one.document === other.document

/** The instant inside an id, as a document would spell it. */
const bornAt = (id: Uuid): string => DateTime.formatIso(instantOf(id))

/** A column's value as a document would spell it. */
const asJson = (column: string | bigint | null | undefined): string | undefined =>
  typeof column === "bigint" ? column.toString() : (column ?? undefined)

/** The change of an entity that was read at a version. */
export const update = <A>(
  kind: Kind<A>,
  from: Versioned<A>,
  to: A
): { readonly row: Row; readonly expected: Version; readonly was: string } => ({
  row: kind.row(to),
  expected: from.version,
  was: kind.statusOf(from.value)
})

/** The entity must still be as it was read. */
export const expectation = <A>(
  kind: Kind<A>,
  read: Versioned<A>
): {
  readonly table: RowTable
  readonly id: Uuid
  readonly version: Version
} => ({ table: kind.table, id: kind.idOf(read.value), version: read.version })
