import type { RateLimit, RateLimits } from "@pagora/core"
import { defaultRateLimits } from "@pagora/core"
import { Config, Effect, Schema } from "effect"

/** What `PAGORA_RATE_LIMITS` may say. */
export const rateLimitForm =
  "on, off, or requests a minute such as general=600,auth=60,auth-address=600,withdrawals=120"

/** Reads `PAGORA_RATE_LIMITS`; false for off, undefined for what is not clear. */
export const parseRateLimits = (setting: string): RateLimits | false | undefined => {
  if (setting === "off") return false
  if (setting === "on") return defaultRateLimits
  const named = new Map<string, RateLimit>()
  for (const part of setting.split(",")) {
    const [, name = "", requests] =
      /^\s*(general|auth|auth-address|withdrawals)=([1-9]\d{0,6})\s*$/.exec(part) ?? []
    if (name === "") return undefined
    named.set(name, { requests: Number(requests), seconds: 60 })
  }
  const [general, auth, authAddress, withdrawals] = [
    "general",
    "auth",
    "auth-address",
    "withdrawals"
  ].map((name) => named.get(name))
  return {
    ...defaultRateLimits,
    ...(general === undefined ? {} : { general }),
    ...(auth === undefined ? {} : { auth }),
    ...(authAddress === undefined ? {} : { authAddress }),
    ...(withdrawals === undefined ? {} : { endpoints: { "POST /withdrawals": withdrawals } })
  }
}

/** The setting says something that nobody understands. */
export class RateLimitSettingUnclear extends Schema.TaggedError<RateLimitSettingUnclear>()(
  "RateLimitSettingUnclear",
  { setting: Schema.String }
) {
  override get message(): string {
    return `PAGORA_RATE_LIMITS=${this.setting} is not clear. Say ${rateLimitForm}.`
  }
}

/** What `PAGORA_RATE_LIMITS` says to `pagora dev`, where limits are off unless it says otherwise. */
export const rateLimitSetting: Effect.Effect<
  RateLimits | false,
  RateLimitSettingUnclear | Config.ConfigError
> = Effect.gen(function* () {
  const given = yield* Config.withDefault(Config.String("PAGORA_RATE_LIMITS"), "off")
  const setting = given === "" ? "off" : given
  return parseRateLimits(setting) ?? (yield* new RateLimitSettingUnclear({ setting }))
})
