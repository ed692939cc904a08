import type { PspFinding } from "@pagora/core"
import { finding } from "@pagora/core/psp"
import { Clock, DateTime, Effect } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { endFinding } from "../certificates/CertificateEnd.ts"
import type { ScopeSet } from "../profiles/BankProfile.ts"
import type { NoToken } from "../http/Tokens.ts"
import { tokenReasons } from "../http/TokenWire.ts"

/** How long the certificate is good. */
export const checkCertificate = ({ http }: BankDesk): Effect.Effect<PspFinding> =>
  http.certificate.pipe(
    Effect.flatMap((facts) =>
      facts === undefined
        ? Effect.succeed(finding("certificate", "warning", "No certificate is shown to the bank."))
        : Effect.map(Clock.currentTimeMillis, (now) => endFinding(facts, now))
    ),
    Effect.catchTag("CertificateUnreadable", ({ message }) =>
      Effect.succeed(finding("certificate", "failed", message))
    )
  )

/** When it ends, for whoever measures that. */
export const certificateEnds = ({ http }: BankDesk): Effect.Effect<DateTime.Utc | undefined> =>
  http.certificate.pipe(
    Effect.map((facts) => facts && DateTime.makeUnsafe(facts.notAfterMillis)),
    Effect.orElseSucceed(() => undefined)
  )

/** Whether the bank lets us in, and grants what we ask for: some give a token with fewer scopes without a word. */
export const checkScopes = ({ http, profile }: BankDesk): Effect.Effect<PspFinding> =>
  Effect.gen(function* () {
    const lacking: Array<string> = []
    for (const scope of scopeSets) {
      const asked = profile.scopes[scope]
      if (asked === undefined && scope !== "pix") continue
      const token = yield* http.token(scope)
      if (token._tag !== "Token") return finding("scopes", "failed", whyNot(token))
      const { granted } = token
      if (granted === undefined || asked === undefined) continue
      const given = granted.split(/[\s,]+/)
      lacking.push(...asked.split(" ").filter((one) => !given.includes(one)))
    }
    return lacking.length === 0
      ? finding("scopes", "ok", "The bank lets us in.")
      : finding(
          "scopes",
          "failed",
          `The bank has not granted ${lacking.join(", ")}: ask for it in its portal.`
        )
  })

/** A bank that said no, one that has not been asked, and one that did not answer need different hands. */
const whyNot = ({ _tag, detail }: NoToken): string => {
  if (_tag === "NotNow") return `The bank was not asked for a token: ${detail}. Try again.`
  const has = (reason: keyof typeof tokenReasons) => detail.includes(tokenReasons[reason])
  const look = has("unreached")
    ? "look at its address, the network, and the certificates that both sides show"
    : has("silent") || has("notNow")
      ? "try again, and ask the bank where it goes on"
      : "look in its portal at the client id, the secret, and whether the application is active"
  return `There is ${detail}: ${look}.`
}

const scopeSets: ReadonlyArray<ScopeSet> = ["pix", "webhook", "payouts", "payoutWebhook"]
