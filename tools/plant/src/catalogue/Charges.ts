import type { Plant } from "../Plant.ts"
import { inCore } from "../Plant.ts"

/** Money in: what a payment has to be, what is booked for it, and who looks for it. */
export const charges: ReadonlyArray<Plant> = [
  {
    name: "charge-amount-not-compared",
    what: "Whatever was paid, the amount of the charge is credited.",
    storage: "memory",
    edits: [
      inCore(
        "charges/PaymentBooking.ts",
        '  if (payment.amount !== charge.amount) return "amount_mismatch"\n',
        ""
      )
    ]
  },
  {
    name: "payment-booked-twice",
    what: "The end-to-end id of a payment is not taken: shown under two charges, it is credited twice.",
    storage: "memory",
    edits: [
      inCore(
        "charges/ChargeWriter.ts",
        'keys: [{ space: "e2e", key: payment.endToEndId, holder: booking.charge.id }]',
        "keys: []"
      )
    ]
  },
  {
    name: "forged-notice-believed",
    what: "A notice of a payment is believed where the PSP shows none yet: whoever forges one has money.",
    storage: "memory",
    edits: [
      inCore(
        "charges/ChargeVerdict.ts",
        "const booked = bookedOf(charge, known, look)\n  if (booked !== undefined) return booked\n  switch (charge.status) {",
        `const isTold = look.isNotice && charge.status === "pending"
  const told = { endToEndId: \`E\${charge.reference}\`, amount: charge.amount }
  const payments = [{ ...told, paidAt: charge.createdAt }]
  const isShown = (known?.payments ?? []).length > 0
  const believed = known !== undefined && isTold && !isShown ? { ...known, payments } : known
  const booked = bookedOf(charge, believed, look)
  if (booked !== undefined) return booked
  switch (charge.status) {`
      )
    ]
  },
  {
    name: "expired-by-the-clock-alone",
    what: "A charge ends by the clock, without asking its PSP then or later: who paid in time, and whose notice was lost, has paid for nothing.",
    storage: "memory",
    edits: [
      inCore(
        "charges/ChargeVerdict.ts",
        '? { _tag: "Cancel", why: "over" }\n        : { _tag: "Ask" }',
        '? endedUnpaid(charge, undefined, look)\n        : { _tag: "Ask" }'
      ),
      inCore(
        "charges/ChargeWriter.ts",
        "jobs: hasEnded ? [...jobs, watchEnd(charge)] : jobs",
        'jobs: hasEnded && charge.status !== "expired" ? [...jobs, watchEnd(charge)] : jobs'
      )
    ]
  },
  {
    name: "charge-end-not-watched",
    what: "A charge that has ended is never looked at again: a payment that comes after it without a notice stays at the PSP, and nobody knows.",
    storage: "memory",
    since: 5,
    edits: [
      inCore(
        "charges/ChargeWriter.ts",
        "jobs: hasEnded ? [...jobs, watchEnd(charge)] : jobs",
        "jobs"
      )
    ]
  },
  {
    name: "silent-charge-dropped",
    what: "A charge whose PSP does not answer is not asked about again: it stays pending for ever, and its payment unbooked.",
    storage: "memory",
    edits: [
      inCore(
        "charges/ChargeVerdict.ts",
        "again: when.isLate ? notTold(charge, when) : nextLook(charge, when)",
        "again: when.isLate ? notTold(charge, when) : undefined"
      )
    ]
  },
  {
    name: "split-to-a-closed-wallet",
    what: "A leg of a split is paid to a sub-account that was closed meanwhile, where nobody can take it from.",
    storage: "memory",
    edits: [inCore("charges/Split.ts", "(closed.has(wallet) ? zero : amount)", "amount")]
  },
  {
    name: "charge-fee-not-booked",
    what: "The fee of a payment is told and not booked, but where promotional balance pays it: the merchant keeps what he was charged.",
    storage: "memory",
    edits: [
      inCore("charges/PaymentBooking.ts", "  if (fee > 0n) {", "  if (fromPromotional > 0n) {")
    ]
  },
  {
    name: "fee-rounded-down",
    what: "The part of an amount is cut off at the centavo instead of rounded half up: a centavo less of every other fee.",
    storage: "memory",
    edits: [inCore("kernel/Money.ts", "product + (product < 0n ? -500_000n : 500_000n)", "product")]
  },
  {
    name: "payment-on-an-old-owner",
    what: "A payment does not rest on its account and its wallets as they were read: it is credited to a sub-account that was closed while the PSP was asked.",
    storage: "memory",
    edits: [
      inCore(
        "charges/ChargeWriter.ts",
        `    expects: [
      ...expectationsOf(loaded),
      ...loaded.destinations.map((owner) => Kind.expectation(SubAccountKind, owner))
    ],
`,
        ""
      )
    ]
  },
  {
    name: "charge-event-apart",
    what: "The event of a payment is written after the payment: a process that dies between the two has told nobody.",
    storage: "memory",
    edits: [
      inCore(
        "charges/ChargeWriter.ts",
        "const { outcome, status } = yield* commit(unit).pipe(",
        `const { events, ...silent } = unit
    const { outcome, status } = yield* Effect.andThen(
      commit(silent),
      events.length === 0 ? Effect.void : commit({ at, events })
    ).pipe(`
      )
    ]
  },
  {
    name: "deposit-return-without-a-job",
    what: "The return of a payment that was not credited is written, and nobody is put in line for it: the payer's money stays in suspense.",
    storage: "memory",
    edits: [inCore("charges/ChargeWriter.ts", "jobs: returning.jobs,", "jobs: [],")]
  },
  {
    name: "any-psp-for-all",
    what: "An account may use every PSP that is configured, whatever the operator allows it.",
    storage: "memory",
    since: 12,
    edits: [
      inCore("accounts/Account.ts", "return allowed.includes(id) ? id : undefined", "return id")
    ]
  },
  {
    name: "charge-failed-over-after-its-intent",
    what: "A new charge that its PSP does not take is asked for at another one: the code that is shown is that one's, and nobody asks there who has paid.",
    storage: "memory",
    edits: [
      inCore(
        "charges/Charges.ts",
        "return yield* intents.ask(intent, routed.psp)",
        `const { psp } = routed
        const other = directory.find(directory.all.find((one) => one !== routed.id) ?? routed.id)
        const createCharge: typeof psp.createCharge = (charge) =>
          Effect.flatMap(psp.createCharge(charge), (outcome) =>
            outcome._tag === "Done" || outcome._tag === "Rejected" || other === undefined
              ? Effect.succeed(outcome)
              : other.createCharge(charge)
          )
        return yield* intents.ask(intent, { ...psp, createCharge })`
      )
    ]
  },
  {
    name: "repeat-asked-at-the-usual-psp",
    what: "A repeat under an Idempotency-Key goes on at the deployment's usual PSP, wherever the charge was intended: two PSPs have it.",
    storage: "memory",
    edits: [
      inCore(
        "charges/Charges.ts",
        "const psp = directory.find(found.value.pspCredentialId)",
        "const psp = directory.find(directory.default)"
      )
    ]
  },
  {
    name: "drawn-psp-not-stored",
    what: "The PSP that the rules have drawn is asked, and the account's default is stored: who pays has paid where nobody looks.",
    storage: "memory",
    edits: [
      inCore(
        "charges/Charges.ts",
        "pspCredentialId: routed.id,",
        "pspCredentialId: current.account.value.psps?.default ?? routed.id,"
      )
    ]
  }
]
