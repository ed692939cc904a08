/** What a charge of the runs is about, in BRL. */
export const chargeAmount = 129.9
export const payer = { name: "Maria da Silva", document: "52998224725" }
