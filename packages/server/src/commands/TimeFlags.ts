import { DateTime, Option, Result } from "effect"
import { Flag } from "effect/cli"
import { reading } from "./OperatorConnection.ts"

const timeForm = "a time such as 2026-11-21T12:00:00Z, a day, or how long ago: 90m, 24h, 7d"

/** A time, a day, or how long ago: 90m, 24h, 7d. */
export const readSince = (text: string, now: DateTime.Utc): Result.Result<string, string> => {
  const ago = /^(\d{1,4})([mhd])$/u.exec(text)
  if (ago !== null) {
    const unit = { m: "minutes", h: "hours", d: "days" } as const
    const part = unit[ago[2] as keyof typeof unit]
    return Result.succeed(DateTime.formatIso(DateTime.subtract(now, { [part]: Number(ago[1]) })))
  }
  const isTime = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/u.test(text)
  const time = isTime ? DateTime.make(text) : Option.none()
  return Option.match(time, {
    onNone: () => Result.fail(timeForm),
    onSome: (instant) => Result.succeed(DateTime.formatIso(instant))
  })
}

export const timeFlag = (name: string, meaning: string): Flag.Flag<string> =>
  Flag.String(name).pipe(
    Flag.withMetavar("time"),
    Flag.withDescription(`${meaning}: ${timeForm}`),
    reading((text) => readSince(text, DateTime.nowUnsafe()))
  )
