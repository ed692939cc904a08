/**
 * Every filter of a list that has an equality has an index which ends in the id, so that a page reads what it shows and no
 * more, however rare that is. A change of status costs a row its place in these indexes (decision 0062).
 */
export const statements: ReadonlyArray<string> = [
  `create index operation_wallet_status on pagora.operation (wallet, kind, status, id)`,
  `create index operation_account_status on pagora.operation (account, kind, status, id)
    where wallet is distinct from account`,
  `create index registry_kind_status on pagora.registry (kind, status, id)`,
  `create index registry_account_status on pagora.registry (account, kind, status, id)`,
  `create index registry_wallet on pagora.registry (wallet, kind, id) where wallet is not null`,
  // In the place of the former index: who lists every status reads each of the few.
  `drop index pagora.delivery_account`,
  `create index delivery_account on pagora.delivery (account, status, id)`,
  `create index delivery_endpoint on pagora.delivery (endpoint, status, id)`
]
