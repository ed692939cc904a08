import type { LedgerAccount } from "@pagora/core"

/** Numbers below 100 are parts of a wallet, and have a balance row. */
const codes: Readonly<Record<LedgerAccount.Bucket, number>> = {
  available: 0,
  held: 1,
  promotional: 2,
  psp_clearing: 100,
  fee_revenue: 101,
  suspense: 102,
  equity: 103
}

const names = new Map(
  Object.entries(codes).map(([name, code]) => [code, name as LedgerAccount.Bucket])
)

export const bucketCode = (bucket: LedgerAccount.Bucket): number => codes[bucket]

export const bucketOf = (code: number): LedgerAccount.Bucket => {
  const name = names.get(code)
  if (name === undefined)
    throw new Error(
      `The database holds a posting in bucket ${code}, which this version does not know.`
    )
  return name
}
