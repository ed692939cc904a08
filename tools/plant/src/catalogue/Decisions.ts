import type { Plant } from "../Plant.ts"
import { inCore } from "../Plant.ts"

/** What a person may decide of what no machine could. */
export const decisions: ReadonlyArray<Plant> = [
  {
    name: "payout-failed-while-it-may-arrive",
    what: "A person may call a payout failed that is on its way to the PSP, and not there yet: its hold is given back, and it is paid as well. So it is with a return.",
    storage: "memory",
    edits: [
      inCore(
        "reconciliation/CalledFailed.ts",
        `  if (until !== undefined) return { until }
`,
        ""
      )
    ]
  },
  {
    name: "payout-failed-while-under-way",
    what: "A person may call a payout failed that is on its way to the PSP, or there: its hold is given back, and it is paid as well.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/Withdrawals.ts",
        `      if (outcome === "failed") yield* notUnderWay(loaded.withdrawal.value)
`,
        ""
      )
    ]
  }
]
