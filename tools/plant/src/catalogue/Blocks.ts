import type { Plant } from "../Plant.ts"
import { inCore } from "../Plant.ts"

/** Claims on the money of a payment. */
export const blocks: ReadonlyArray<Plant> = [
  {
    name: "block-without-a-lien",
    what: "A balance block is opened without a claim on the wallet: what it blocks can be spent.",
    storage: "memory",
    edits: [
      inCore(
        "blocks/BlockOpener.ts",
        "        liens: [{ wallet: block.wallet, delta: block.amount }],\n",
        ""
      )
    ]
  },
  {
    name: "lien-not-given-back",
    what: "A balance block ends and its claim on the wallet stays: the merchant can never spend what is his again.",
    storage: "memory",
    edits: [
      inCore(
        "blocks/BlockWriter.ts",
        "liens: delta === 0n ? [] : [{ wallet: block.wallet, delta }]",
        "liens: []"
      )
    ]
  },
  {
    name: "block-not-noted",
    what: "A charge does not know of the balance block on it: it is refunded and blocked again as if there were none.",
    storage: "memory",
    edits: [
      inCore(
        "blocks/BlockOpener.ts",
        "        updates: [Kind.update(ChargeKind, found, charge)],\n",
        ""
      )
    ]
  },
  {
    name: "block-beside-a-refund",
    what: "A refund that is still on its way does not count against what can be blocked: the payer gets the money from both.",
    storage: "memory",
    edits: [
      inCore(
        "charges/ChargeRefunds.ts",
        'return whole === undefined || whole.status === "failed" ? zero : whole.amount',
        'return whole?.status === "confirmed" ? whole.amount : zero'
      )
    ]
  },
  {
    name: "collection-not-begun",
    what: "What an approved block could not take at once is never collected, however much comes to the wallet.",
    storage: "memory",
    edits: [
      inCore(
        "blocks/Blocks.ts",
        `        ...unit.jobs,
        ...(due === undefined
          ? []
          : [
              { _tag: "Schedule", queue: "block", id: block.id, group: block.account, due } as const
            ])
      ]`,
        "        ...unit.jobs\n      ]"
      )
    ]
  }
]
