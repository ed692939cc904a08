import type { BankName } from "@pagora/psp-bacen"
import { banks } from "@pagora/psp-bacen"
import type { PspAbilities } from "@pagora/testkit"
import { pspContract } from "@pagora/testkit"
import { underTest } from "./FakeBankWorld.test-data.ts"

const noPayouts = { no: "the bank sends no money by this API" }
const unsigned = { no: "the connection proves who sends a callback, and nothing in it" }

/** What each bank of the Central Bank's API can do. */
const supports: PspAbilities = {
  repeatedCreate: true,
  cancel: true,
  payments: true,
  repeatedPayments: true,
  otherAmounts: true,
  payer: { no: "the file has no payer; callbacks claim one, and the filter confirms it" },
  payouts: noPayouts,
  settledPayouts: noPayouts,
  reversals: noPayouts,
  refunds: true,
  settledRefunds: true,
  notifications: true,
  authenticHeaders: unsigned,
  signedBodies: unsigned,
  receivedPayments: true,
  paymentLists: true,
  directPayments: true,
  ownReturns: true,
  payerClaims: true,
  infractions: { no: "the bank tells of none" },
  infractionLists: { no: "the bank shows none" },
  balance: { no: "the file has none" },
  checks: true,
  preparation: { no: "it would lead the bank's callbacks away from this suite; journey.test.ts" }
}

/** What those can do besides that send money. */
const sending: Readonly<Partial<Record<BankName, Partial<PspAbilities>>>> = {
  efi: {
    payouts: true,
    settledPayouts: true,
    reversals: true,
    infractionLists: true,
    balance: true
  },
  inter: {
    balance: true,
    payouts: true,
    settledPayouts: true,
    reversals: { no: "no state of Inter's says that a payout came back" }
  }
}

for (const name of Object.keys(banks) as ReadonlyArray<BankName>) {
  pspContract(name, { layer: underTest(name), supports: { ...supports, ...sending[name] } })
}
