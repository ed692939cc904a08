import type { PspFinding } from "@pagora/core"
import type { CertificateFacts } from "./OpenCertificate.ts"

const dayMillis = 86_400_000

/** So many days before the end the operator is told. */
const warnedDays = [30, 7, 1] as const

/** Whole days that are left; negative once it is over. */
export const daysLeft = ({ notAfterMillis }: CertificateFacts, nowMillis: number): number =>
  Math.floor((notAfterMillis - nowMillis) / dayMillis)

/** The narrowest of `warnedDays` that the certificate has come under. */
export const warnedAt = (facts: CertificateFacts, nowMillis: number): number | undefined => {
  const left = (facts.notAfterMillis - nowMillis) / dayMillis
  return warnedDays.filter((days) => left <= days).at(-1)
}

/** What `check` says of it. */
export const endFinding = (facts: CertificateFacts, nowMillis: number): PspFinding => {
  const name = "certificate"
  const end = new Date(facts.notAfterMillis).toISOString().slice(0, 10)
  const left = daysLeft(facts, nowMillis)
  if (facts.notAfterMillis <= nowMillis)
    return {
      name,
      state: "failed",
      message: `The certificate ended on ${end}. Get a new one from the bank and put it in its place; no restart is needed.`
    }
  return warnedAt(facts, nowMillis) === undefined
    ? { name, state: "ok", message: `The certificate is good until ${end}.` }
    : {
        name,
        state: "warning",
        message: `The certificate ends on ${end}, in ${left} days. Get a new one from the bank and put it in its place; no restart is needed.`
      }
}
