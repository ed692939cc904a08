import type { BankProfile, Budget, ScopeSet, Source } from "./BankProfile.ts"

/** What the Central Bank's file says, which most banks hold to. */
export const usualPaths: BankProfile["paths"] = {
  cob: "/cob",
  pix: "/pix",
  webhook: "/webhook"
}

export const usualScopes: Readonly<Partial<Record<ScopeSet, string>>> = {
  pix: "cob.write cob.read pix.write pix.read",
  webhook: "webhook.write webhook.read"
}

/** For a bank that publishes no limits: little enough that none is known to mind. */
export const cautiousBudget: Budget = { tokensPerMinute: 10, pauseSeconds: 60 }

/** Marks of what no source says of a bank itself. */
export const assumed = {
  callbacks: { mark: "doubtful", from: "the Central Bank's file" },
  budget: { mark: "doubtful", from: "no limits were found" }
} as const satisfies Record<string, Source>
