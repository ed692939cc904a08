import type { Audited, AuditRule, Booking } from "./AuditRule.ts"

/** Who has borne it. */
const borne = ({ account, amount, status, wallet }: Audited): ReadonlyArray<Booking> => {
  const toSuspense = { owner: account, bucket: "suspense", amount } as const
  switch (status) {
    case "charged":
      return [
        {
          kind: "chargeback",
          amount,
          moves: [{ owner: wallet, bucket: "available", amount: -amount }, toSuspense]
        }
      ]
    case "absorbed":
      return [
        {
          kind: "release",
          amount,
          moves: [{ owner: account, bucket: "equity", amount: -amount }, toSuspense]
        }
      ]
    default:
      return []
  }
}

/** What a PSP gave back by itself has left its account, and is missing in suspense until somebody has borne it. */
export const pspReturnAudit: AuditRule = {
  kind: "psp_return",
  booked: (money) => {
    const { account, amount, fields } = money
    return [
      {
        kind: "deposit_return",
        amount,
        moves: [
          { owner: account, bucket: "suspense", amount: -amount },
          { owner: fields["pspCredentialId"], bucket: "psp_clearing", amount }
        ]
      },
      ...borne(money)
    ]
  },
  lines: { open: ["review"] },
  claiming: { statuses: ["open"], claims: ({ amount }) => ({ suspense: -amount }) }
}
