import { PgTypes } from "@effect/sql-pg"
import type { DateTime } from "effect"
import { DateTime as Time, Result } from "effect"

const arrayOf =
  (oid: number) =>
  (values: ReadonlyArray<unknown>): PgTypes.Parameter =>
    Result.getOrThrow(PgTypes.array(values, oid))

/** Arrays of one type each; null stands for an absent element. */
export const uuids = arrayOf(PgTypes.OID.uuid)
export const texts = arrayOf(PgTypes.OID.text)
export const int2s = arrayOf(PgTypes.OID.int2)
export const int4s = arrayOf(PgTypes.OID.int4)
export const int8s = arrayOf(PgTypes.OID.int8)
export const bools = arrayOf(PgTypes.OID.bool)
export const instants = arrayOf(PgTypes.OID.timestamptz)

/** An instant as arrays of instants take it. Columns could hold more than whole milliseconds; no storage keeps more. */
export const millis = (at: DateTime.Utc): number => Math.floor(Time.toEpochMillis(at))

export const instant = (at: DateTime.Utc): PgTypes.Parameter =>
  PgTypes.timestamptz(Time.toEpochMillis(at))
export const uuid = PgTypes.uuid
export const text = PgTypes.text
export const int = PgTypes.int4
export const bool = PgTypes.bool
