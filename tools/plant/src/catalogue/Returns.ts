import type { Plant } from "../Plant.ts"
import { inCore } from "../Plant.ts"

/** Money on its way back to its payer, and the refunds that ask for it. */
export const returns: ReadonlyArray<Plant> = [
  {
    name: "return-told-before-its-intent",
    what: "The PSP is told of a return before that is written: a process that dies between the two leaves it to be told again.",
    storage: "memory",
    edits: [
      inCore(
        "returns/ReturnWorker.ts",
        "(sentAt) => writer.intend(loaded, sending(loaded.value, sentAt)),",
        `(sentAt) =>
            Effect.flatMap(callPsp("refund", psp.refund(requestOf(loaded.value))), (outcome) =>
              Effect.map(writer.intend(loaded, sending(loaded.value, sentAt)), (written) => ({
                ...written,
                outcome
              }))
            ),`
      ),
      inCore(
        "returns/ReturnWorker.ts",
        `({ value }) =>
            Effect.map(
              callPsp("refund", psp.refund(requestOf(value))),`,
        `({ outcome: told }) =>
            Effect.map(
              Effect.succeed(told),`
      )
    ]
  },
  {
    name: "return-told-again-to-any-bank",
    what: "A return that is not found once is told again to a PSP that cannot tell twice from once, too: the payer has his money twice.",
    storage: "memory",
    since: 2,
    edits: [
      inCore(
        "returns/ReturnVerdict.ts",
        `      return later(money, look, found.until)
    case "Counted":
      return later(unfoundAgain(money, look.now), look, found.again)`,
        `      return tell(money, false)
    case "Counted":
      return tell(money, true)`
      )
    ]
  },
  {
    name: "return-unknown-refused",
    what: "A return whose answer was lost is taken for refused: the refund fails, and the payer has the money all the same.",
    storage: "memory",
    edits: [
      inCore(
        "returns/ReturnVerdict.ts",
        '    case "Unknown":\n      return inDoubt(money, outcome._tag, look)',
        '    case "Unknown":\n      return refused(money, "unknown", false, now)'
      )
    ]
  },
  {
    name: "return-repeat-refused",
    what: "The refusal of a repeat is taken for that of the return, while the first request is still on its way.",
    storage: "memory",
    edits: [
      inCore(
        "returns/ReturnVerdict.ts",
        `      return isAlone
        ? refused(money, outcome.code, false, now)
        : { _tag: "Waiting", money, again: arrivesBy(money.sentAt ?? now, capabilities) }`,
        "      return refused(money, outcome.code, false, now)"
      )
    ]
  },
  {
    name: "return-of-another-believed",
    what: "The PSP's answer is believed whichever return it tells of, and over whatever amount.",
    storage: "memory",
    edits: [
      inCore(
        "returns/ReturnVerdict.ts",
        "if (!isSame(money, known)) {",
        "if (known === undefined) {"
      )
    ]
  },
  {
    name: "return-end-not-watched",
    what: "A return that has ended is never looked at again: one that the PSP took back or did after all is not known.",
    storage: "memory",
    since: 5,
    edits: [
      inCore(
        "returns/ReturnWriter.ts",
        "jobs: [...(unit.jobs ?? []), ...line, ...(hasEnded ? [watchEnd(next)] : [])]",
        "jobs: [...(unit.jobs ?? []), ...line]"
      )
    ]
  },
  {
    name: "return-review-not-entered",
    what: "A return that only a person can bring to its end stands in no person's line.",
    storage: "memory",
    edits: [
      inCore(
        "returns/ReturnWriter.ts",
        "jobs: [...(unit.jobs ?? []), ...line, ...(hasEnded ? [watchEnd(next)] : [])]",
        "jobs: [...(unit.jobs ?? []), ...(hasEnded ? [watchEnd(next)] : [])]"
      )
    ]
  },
  {
    name: "refund-not-noted",
    what: "A charge does not know that its refund was asked for: asked again, it gives the money back twice.",
    storage: "memory",
    edits: [
      inCore(
        "refunds/Refunds.ts",
        "        updates: [Kind.update(ChargeKind, charge, next)],\n",
        ""
      )
    ]
  },
  {
    name: "refund-beside-a-block",
    what: "A payment is refunded while a balance block on it is open: the payer gets it from both.",
    storage: "memory",
    edits: [
      inCore(
        "refunds/Refund.ts",
        "  if ((charge.openBlocks ?? 0) > 0) return Result.fail(new RefundInfractionOpen({ id: charge.id }))\n",
        ""
      )
    ]
  },
  {
    name: "refund-beyond-what-is-left",
    what: "A part of a payment is refunded whatever is left of it: only the bank keeps more from going back than was paid.",
    storage: "memory",
    edits: [
      inCore(
        "refunds/Refund.ts",
        "  if (amount > left) return Result.fail(new MoreThanLeft({ left }))\n",
        ""
      )
    ]
  },
  {
    name: "refund-part-not-counted",
    what: "A charge counts only the newest of its parts: what was given back before can be asked for again.",
    storage: "memory",
    edits: [
      inCore(
        "charges/ChargeRefunds.ts",
        "refundedInParts: plus(charge.refundedInParts ?? zero, refund.amount),",
        "refundedInParts: refund.amount,"
      )
    ]
  },
  {
    name: "refund-part-not-freed",
    what: "A part that has failed goes on counting: the payer can never be given it again.",
    storage: "memory",
    edits: [
      inCore(
        "charges/ChargeRefunds.ts",
        "refundedInParts: hasFailed ? minus(refundedInParts, amount) : refundedInParts,",
        "refundedInParts,"
      )
    ]
  },
  {
    name: "refund-fee-not-booked",
    what: "A refund leaves without its fee, which stays held in the wallet.",
    storage: "memory",
    edits: [inCore("returns/ReturnPostings.ts", "    ...(fee === 0n\n", "    ...(fee >= 0n\n")]
  },
  {
    name: "refund-hold-not-released",
    what: "A refund fails, and what was held for it stays so.",
    storage: "memory",
    edits: [
      inCore(
        "returns/ReturnWriter.ts",
        "const ledger = [release(next, money)]",
        'const ledger = next.purpose === "refund" ? [] : [release(next, money)]'
      )
    ]
  }
]
