import type { WalletId } from "../kernel/Ids.ts"
import type { Versioned } from "../units/Kind.ts"
import { expectation } from "../units/Kind.ts"
import type { Account } from "./Account.ts"
import { AccountKind } from "./Account.ts"
import type { SubAccount } from "./SubAccount.ts"
import { SubAccountKind } from "./SubAccount.ts"

/** The wallet a request acts on, with everything that decides how money moves there, as it was read. */
export interface ActingWallet {
  readonly account: Versioned<Account>
  readonly subAccount: Versioned<SubAccount> | undefined
}

export const walletOf = (acting: ActingWallet): WalletId =>
  acting.subAccount === undefined ? acting.account.value.id : acting.subAccount.value.id

/** That both still are as they were read, for a unit that rests on them. */
export const expectationsOf = ({ account, subAccount }: ActingWallet) => [
  expectation(AccountKind, account),
  ...(subAccount === undefined ? [] : [expectation(SubAccountKind, subAccount)])
]
