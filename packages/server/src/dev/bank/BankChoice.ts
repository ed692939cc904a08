/** The banks that `pagora dev` can play: those whose payouts are known, too. */
export const bankChoices = ["efi", "inter"] as const
export type BankChoice = (typeof bankChoices)[number]
