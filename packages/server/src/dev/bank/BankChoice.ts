/** Whom `pagora dev` can play: those whose payouts are known, too. */
export const bankChoices = ["efi", "inter", "woovi"] as const
export type BankChoice = (typeof bankChoices)[number]
