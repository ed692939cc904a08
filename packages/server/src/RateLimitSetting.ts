import type { RateLimit, RateLimits } from "@pagora/core"
import { defaultRateLimits } from "@pagora/core"
import { Config, Effect, Schema } from "effect"

/** The setting says something that nobody understands. */
export class RateLimitSettingUnclear extends Schema.TaggedError<RateLimitSettingUnclear>()(
  "RateLimitSettingUnclear",
  { setting: Schema.String }
) {
  override get message(): string {
    return `PAGORA_RATE_LIMITS=${this.setting} is not clear. Say on, off, or requests a minute such as general=600,auth=60,withdrawals=120.`
  }
}

/** `PAGORA_RATE_LIMITS`: off, on, or requests a minute for each of three limits; undefined when off or not there. */
export const rateLimitSetting: Effect.Effect<
  RateLimits | undefined,
  RateLimitSettingUnclear | Config.ConfigError
> = Effect.gen(function* () {
  const setting = yield* Config.withDefault(Config.String("PAGORA_RATE_LIMITS"), "off")
  if (setting === "off" || setting === "") return undefined
  if (setting === "on") return defaultRateLimits
  const named = new Map<string, RateLimit>()
  for (const part of setting.split(",")) {
    const [, name = "", requests] =
      /^\s*(general|auth|withdrawals)=([1-9]\d{0,6})\s*$/.exec(part) ?? []
    if (name === "") return yield* new RateLimitSettingUnclear({ setting })
    named.set(name, { requests: Number(requests), seconds: 60 })
  }
  const [general, auth, withdrawals] = ["general", "auth", "withdrawals"].map((name) =>
    named.get(name)
  )
  return {
    ...defaultRateLimits,
    ...(general === undefined ? {} : { general }),
    ...(auth === undefined ? {} : { auth }),
    ...(withdrawals === undefined ? {} : { endpoints: { "POST /withdrawals": withdrawals } })
  }
})
