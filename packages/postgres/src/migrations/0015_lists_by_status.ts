/**
 * What is listed in every status is read status by status along the indexes of migration 12, so that operations need no
 * others: each write of one has an entry less to make (decision 0062).
 */
export const statements: ReadonlyArray<string> = [
  `drop index pagora.operation_wallet`,
  `drop index pagora.operation_account`
]
