import { DateTime } from "effect"

/** What counters of limits run over, by the calendar of the Central Bank (decision 0075). */
export const periods = ["daily", "monthly"] as const
export type Period = (typeof periods)[number]

/** The name of that calendar, to databases too. */
export const zone = "America/Sao_Paulo"

/** An instant by that calendar. The zone is made at the first call: it costs milliseconds, and megabytes of calendars. */
export const inZone = (at: DateTime.Utc): DateTime.Zoned => DateTime.setZoneNamedUnsafe(at, zone)

/** No zone changes its distance from UTC within a quarter of an hour, and no day ends there. */
const quarterMillis = 15 * 60 * 1_000
let known = { quarter: Number.NaN, date: "" }

const dateOf = (at: DateTime.Utc): string => {
  const quarter = Math.floor(DateTime.toEpochMillis(at) / quarterMillis)
  if (known.quarter !== quarter) known = { quarter, date: DateTime.formatIsoDate(inZone(at)) }
  return known.date
}

/** The day or month around an instant: `2026-11-22` or `2026-11`. The key of its counter ends with the period and this. */
export const nameOf = (period: Period, at: DateTime.Utc): string => {
  const date = dateOf(at)
  return period === "daily" ? date : date.slice(0, "2026-11".length)
}

/** The name of a period at the end of a counter's key, as a regular expression that PostgreSQL knows as well. */
const nameInKey = /\/(?:daily|monthly)\/([0-9]{4}-[0-9]{2}(?:-[0-9]{2})?)$/

/** The names sort in the order of their ends, when a month is held against the month. Other counters are never over. */
export const isOver = (key: string, before: DateTime.Utc): boolean => {
  const name = nameInKey.exec(key)?.[1]
  return name !== undefined && name < nameOf("daily", before).slice(0, name.length)
}
