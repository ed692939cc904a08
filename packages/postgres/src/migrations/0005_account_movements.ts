/**
 * By kind, as that of a wallet: who lists a few kinds of an account need not pass over the payments of all its
 * sub-accounts. In the place of the former index, so that a booking costs what it did.
 */
export const statements: ReadonlyArray<string> = [
  `drop index pagora.ledger_tx_account`,
  `create index ledger_tx_account on pagora.ledger_tx (account, kind, id) where wallet <> account`
]
