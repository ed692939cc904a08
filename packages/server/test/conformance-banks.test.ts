import { describe } from "@effect/vitest"
import { startPagora } from "@pagora/testkit"
import type { BankChoice } from "../src/dev/bank/BankChoice.ts"
import { holdsTheSpecification } from "./Specification.test-data.ts"

const at = (bank: BankChoice) => async () => {
  const pagora = await startPagora(["--manual", "--bank", bank])
  return { pagora, end: async () => void (await pagora.kill()) }
}

/** Inter tells nobody who has paid, so no payer is shown, and none is known to be a company. */
const noPayer = /counterpart|nothing came within/
/** Inter's API does not show that a payout which had arrived has come back. */
const noReversal = /reversed/

const beyondInter = {
  "GET /transactions/{id} of a paid charge tells who paid and when, and shows no code any more":
    noPayer,
  "a deposit blocked by the account's policy fails, is not credited, costs no fee and says why":
    noPayer,
  "the money of a blocked deposit goes back to the payer by itself, and the transaction tells so":
    noPayer,
  "payment_completed is one signed POST with the envelope, headers and data of the specification":
    noPayer,
  "payment_failed of a blocked payer carries blockedDeposit.refund as it is at sending time":
    noPayer,
  "the return of a blocked deposit reaches the payer once, although the PSP's answers are lost":
    noPayer,
  "a completed withdrawal that the PSP reverses gives the gross amount back": noReversal,
  "withdrawal_reversed follows withdrawal_completed, with an eventId of its own": noReversal
}

/** No PSP has a part in them: `conformance.test.ts` holds them on both storages. */
const elsewhere = ["authentication", "permissions", "delivery", "errors"]

const minutes = 60_000

describe("the specification at a fake Efí", { timeout: 10 * minutes }, () => {
  holdsTheSpecification(at("efi"), { elsewhere })
})

describe("the specification at a fake Inter", { timeout: 10 * minutes }, () => {
  holdsTheSpecification(at("inter"), { cannot: beyondInter, elsewhere })
})

describe("the specification at a fake Woovi", { timeout: 10 * minutes }, () => {
  holdsTheSpecification(at("woovi"), { elsewhere })
})
