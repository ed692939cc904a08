import type { Plant } from "../Plant.ts"
import { inCore } from "../Plant.ts"

/** Reports of fraud, and what banks give back by themselves. They show where payments are reported: behind Efí's protocol. */
export const reports: ReadonlyArray<Plant> = [
  {
    name: "report-without-a-block",
    what: "A report of fraud claims nothing while it is open: its money can be spent before the bank takes it.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "psp-reports/ReportVerdict.ts",
        '        isUndecided ? "block" : "none",\n        true,\n',
        '        "none",\n        true,\n'
      )
    ]
  },
  {
    name: "block-of-a-report-that-is-over",
    what: "The block of a report that came to nothing stays: the merchant can never spend what is his.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "psp-reports/ReportVerdict.ts",
        'return recordedAs(block !== undefined && isUndecided ? "release" : "none", false)',
        'return recordedAs("none", false)'
      )
    ]
  },
  {
    name: "block-that-is-borne-twice",
    what: "What the bank has given back is taken of the wallet, and the block claims as much as before: it is borne once more.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "blocks/Bearing.ts",
        "{ returnedByPsp: plus(returnedByPsp, part) }",
        "{ returnedByPsp: minus(plus(returnedByPsp, part), part) }"
      )
    ]
  },
  {
    name: "refund-of-ours-is-the-banks",
    what: "A refund of ours that the bank shows is booked as money that the bank gave back by itself, and is borne twice.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "psp-reports/ReportVerdict.ts",
        '    ({ reference, status }) => status === "confirmed" && !returns.has(reference)\n',
        '    ({ reference, status }) => status === "confirmed" && reference !== ""\n'
      )
    ]
  },
  {
    name: "more-is-borne-than-was-claimed",
    what: "The word of a bank takes more of a wallet than was claimed of it, and no person is asked.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "psp-reports/ReturnBooker.ts",
        "    if (taking.first === undefined || taking.claimed < money.amount) return false\n",
        "    if (taking.first === undefined) return false\n"
      )
    ]
  },
  {
    name: "refund-beside-a-return-of-the-bank",
    what: "A payment is refunded while nobody has said who bears what the bank gave back of it: its owner pays what is gone already.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "refunds/Refund.ts",
        "  if ((charge.undecidedReturns ?? []).length > 0)\n",
        "  if ((charge.undecidedReturns ?? []).length > 999)\n"
      )
    ]
  },
  {
    name: "decided-return-counts-as-nothing",
    what: "What a person has decided of a return by the bank does not count as gone: the next block claims of the payment what the payer has.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "psp-reports/PspReturns.ts",
        "decided(money.id, unclaimed)",
        "decided(money.id, minus(unclaimed, unclaimed))"
      )
    ]
  },
  {
    name: "held-refund-keeps-what-it-held",
    what: "A refund that waited beside a return of the bank fails for want of what is left, and what was held for it stays so.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "psp-reports/HeldRefunds.ts",
        "        ledger.push(release(failed, yield* ids.next<LedgerTxId>()))\n",
        ""
      )
    ]
  },
  {
    name: "approval-beside-a-return-of-the-bank",
    what: "A block is approved while nobody has said who bears what the bank gave back of its payment: the payer may have it twice.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "blocks/BlockWriter.ts",
        "          if (isRefusable && undecidedOf(charge.value) !== undefined)",
        "          if (isRefusable && undecidedOf(charge.value) === block.charge)"
      ),
      inCore(
        "blocks/Blocks.ts",
        "      if (pspReturn !== undefined)",
        "      if (pspReturn === current.value.charge)"
      )
    ]
  }
]
