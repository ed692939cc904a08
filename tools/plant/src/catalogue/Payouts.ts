import type { Plant } from "../Plant.ts"
import { inCore } from "../Plant.ts"

/** Telling a PSP of a payout, and what follows from what it answers. */
const sending: ReadonlyArray<Plant> = [
  {
    name: "payout-sent-before-its-intent",
    what: "The PSP is told of a payout before that is written: a process that dies between the two leaves it to be sent again.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/PayoutWorker.ts",
        "(sentAt) => writer.intend(loaded, sending(value, sentAt)),",
        `(sentAt) =>
            Effect.flatMap(callPsp("sendPayout", psp.sendPayout(payoutOf(value, value.sentAt))), (outcome) =>
              Effect.map(writer.intend(loaded, sending(value, sentAt)), (written) => ({
                ...written,
                outcome
              }))
            ),`
      ),
      inCore(
        "withdrawals/PayoutWorker.ts",
        `({ withdrawal }) =>
            Effect.map(
              callPsp("sendPayout", psp.sendPayout(payoutOf(withdrawal.value, value.sentAt))),`,
        `({ outcome: told }) =>
            Effect.map(
              Effect.succeed(told),`
      )
    ]
  },
  {
    name: "payout-sent-after-a-pause",
    what: "A request to pay leaves however long ago its intent was written: others have called it never made by then, and given the money back.",
    storage: "memory",
    edits: [
      inCore(
        "reconciliation/Reconciler.ts",
        "mayLeave(sentAt, yield* time.now) ? yield* send(intended) : heldUp",
        "yield* send(intended)"
      )
    ]
  },
  {
    name: "payout-sent-again-unasked",
    what: "A payout whose answer was lost is sent again without asking the PSP whether it has it: one that cannot tell twice from once pays twice.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        'if (!isToBeSent(withdrawal)) return { _tag: "Ask" }',
        `if (!isToBeSent(withdrawal))
        return withdrawal.status === "processing" && withdrawal.pspReference === undefined
          ? send(withdrawal, look)
          : { _tag: "Ask" }`
      )
    ]
  },
  {
    name: "payout-sent-again-to-any-bank",
    what: "A payout that is not found is sent again to a PSP that cannot tell twice from once, too.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        '    case "MayArrive":\n      return waiting(withdrawal, look)',
        '    case "MayArrive":\n      return send(withdrawal, look)'
      )
    ]
  },
  {
    name: "payout-by-another-reference",
    what: "A payout is sent again under another reference: the PSP takes it for another one, and pays twice.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/PayoutWorker.ts",
        "psp.sendPayout(payoutOf(withdrawal.value, value.sentAt))",
        `psp.sendPayout({
                ...payoutOf(withdrawal.value, value.sentAt),
                reference:
                  value.sentAt === undefined
                    ? value.reference
                    : value.reference.slice(0, -1).concat("f")
              })`
      )
    ]
  },
  {
    name: "suspended-payouts-go-out",
    what: "What waits in the wallet of a suspended sub-account is paid out.",
    storage: "memory",
    since: 9,
    edits: [
      inCore(
        "withdrawals/PayoutWorker.ts",
        "mayStart({ account: account.value, subAccount: subAccount?.value })",
        "mayStart({ account: account.value })"
      )
    ]
  },
  {
    name: "garbage-understood",
    what: "What a PSP answers is taken for what the port asks for, whatever it is.",
    storage: "memory",
    edits: [
      inCore(
        "psp-calls/PspCall.ts",
        "isUnderstood(operation, outcome) &&",
        "outcome !== undefined &&"
      )
    ]
  },
  {
    name: "payout-not-found-too-early",
    what: "That the PSP does not find a payout counts before it is final: the money is given back, and paid out all the same.",
    storage: "memory",
    edits: [
      inCore(
        "reconciliation/Requests.ts",
        "psp?.notFoundIsFinalAfter ?? Duration.zero",
        "Duration.zero"
      )
    ]
  },
  {
    name: "payout-unknown-fails",
    what: "A payout whose answer was lost is taken for refused: the money is given back, and paid out all the same.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        '    case "Unknown":\n      return unanswered(withdrawal, look)',
        '    case "Unknown":\n      return failed(withdrawal, noTrace, undefined, look)'
      )
    ]
  },
  {
    name: "payout-repeat-refused-fails",
    what: "The refusal of a repeat is taken for that of the payout, while the first request is still on its way.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        `      return before === undefined || !mayStillArrive(before, look)
        ? failed(withdrawal, outcome, undefined, look)
        : waiting(repeatRefused(withdrawal, before, outcome), look)`,
        "      return failed(withdrawal, outcome, undefined, look)"
      )
    ]
  }
]

/** What is believed of a payout, and what is written of it. */
const booking: ReadonlyArray<Plant> = [
  {
    name: "payout-of-another-believed",
    what: "The PSP's answer is believed whichever payout it tells of: one payout completes two withdrawals.",
    storage: "memory",
    since: 6,
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        `  if (payout.reference !== withdrawal.reference) {
    return contradicted(awaitOperator(withdrawal, now), "reference_mismatch", payout, look)
  }
`,
        ""
      ),
      inCore("withdrawals/WithdrawalWriter.ts", "    keys: namesOf(withdrawal.value, next),\n", "")
    ]
  },
  {
    name: "payout-amount-not-compared",
    what: "A payout completes its withdrawal whatever the PSP says that it paid.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        `  if (payout.amount !== withdrawal.netAmount) {
    return contradicted(awaitOperator(withdrawal, now), "amount_mismatch", payout, look)
  }
`,
        ""
      )
    ]
  },
  {
    name: "payout-end-not-watched",
    what: "A withdrawal that has ended is never looked at again: one that came back without a notice is lost to its merchant.",
    storage: "memory",
    since: 5,
    edits: [
      inCore(
        "withdrawals/WithdrawalWriter.ts",
        "jobs: [...jobs, ...line, ...(hasEnded ? [watchEnd(next)] : [])]",
        "jobs: [...jobs, ...line]"
      )
    ]
  },
  {
    name: "payout-review-not-entered",
    what: "A withdrawal that only a person can decide stands in no person's line.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/WithdrawalWriter.ts",
        "jobs: [...jobs, ...line, ...(hasEnded ? [watchEnd(next)] : [])]",
        "jobs: [...jobs, ...(hasEnded ? [watchEnd(next)] : [])]"
      )
    ]
  },
  {
    name: "late-look-at-a-memory",
    what: "A late look at a withdrawal goes by what this process remembers of it: what another one booked meanwhile is not looked at again.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/PayoutWorker.ts",
        "return isLateLook(job) ? writer.load(id) : writer.kept(id)",
        "return writer.kept(id)"
      ),
      // That it is expected as it was loaded would send it to the storage once more.
      inCore(
        "reconciliation/Reconciler.ts",
        "return yield* write(finish(job), reconcilable.expectation(loaded))",
        "return yield* write(finish(job))"
      )
    ]
  },
  {
    name: "payout-hold-not-released",
    what: "A withdrawal fails, and what was held for it stays so.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/WithdrawalWriter.ts",
        "ledger: [release(next, ids.withdrawal)],",
        "ledger: [],"
      )
    ]
  },
  {
    name: "payout-fee-not-booked",
    what: "A payout is booked without its fee, which stays held in the wallet.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/WithdrawalPostings.ts",
        "if (fee === 0n) return [paid]",
        "if (fee >= 0n) return [paid]"
      )
    ]
  },
  {
    name: "payout-event-apart",
    what: "The event of a withdrawal's outcome is written after the outcome: a process that dies between the two has told nobody.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/WithdrawalWriter.ts",
        "      events,\n      ...key\n    })",
        "      ...key\n    })\n    yield* commit({ at, events })"
      )
    ]
  },
  {
    name: "failed-but-paid-unrecorded",
    what: "A PSP that pays what it had refused is not noticed: nobody asks the merchant for the money.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        `  return status === "failed" && payout.status === "completed"
    ? contradicted(withdrawal, "failed_but_paid", payout, look)
    : unchanged(withdrawal, look)`,
        "  return unchanged(withdrawal, look)"
      )
    ]
  },
  {
    name: "withdrawal-not-counted",
    what: "A withdrawal does not count towards the limits of its account: any number of them is taken.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/Withdrawals.ts",
        "      counters: counted(acting.account.value, amount, createdAt),\n",
        ""
      )
    ]
  }
]

/** Money out. */
export const payouts: ReadonlyArray<Plant> = [...sending, ...booking]
