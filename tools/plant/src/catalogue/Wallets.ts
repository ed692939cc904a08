import type { Plant } from "../Plant.ts"
import { inCore } from "../Plant.ts"

/** Accounts and sub-accounts: what they move between them, and how they are closed. */
export const wallets: ReadonlyArray<Plant> = [
  {
    name: "sub-account-closes-with-money",
    what: "A sub-account is closed whatever it holds: the money in it is nobody's any more.",
    storage: "memory",
    edits: [inCore("sub-accounts/SubAccounts.ts", "                  empty: [id],\n", "")]
  },
  {
    name: "account-closes-with-money",
    what: "An account is closed whatever its main wallet holds: the money in it is nobody's any more.",
    storage: "memory",
    edits: [inCore("accounts/AccountChanges.ts", "              empty: [id],\n", "")]
  },
  {
    name: "sub-account-opens-while-closing",
    what: "A sub-account is opened while its account is being closed: there is a wallet that takes money in an account that is no more.",
    storage: "memory",
    since: 9,
    edits: [
      inCore(
        "accounts/AccountChanges.ts",
        "              counters: [{ key: openedSubAccounts(id), add: 0n, max: subAccounts }],\n",
        ""
      ),
      inCore(
        "sub-accounts/SubAccounts.ts",
        "        expects: [Kind.expectation(AccountKind, current)],\n",
        ""
      )
    ]
  },
  {
    name: "transfer-on-an-old-owner",
    what: "A transfer does not rest on the two wallets as they were read: it comes to one that was closed meanwhile.",
    storage: "memory",
    edits: [
      inCore(
        "transfers/Transfers.ts",
        `              expects: [
                Kind.expectation(AccountKind, account),
                ...owners.map((owner) => Kind.expectation(SubAccountKind, owner))
              ],
`,
        ""
      )
    ]
  }
]
