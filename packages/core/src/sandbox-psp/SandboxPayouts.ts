import { Effect, Result } from "effect"
import * as Document from "../kernel/Document.ts"
import type { PspCredentialId } from "../kernel/Ids.ts"
import * as PixKey from "../kernel/PixKey.ts"
import { negated } from "../kernel/Money.ts"
import type { NewPspPayout, PspPayout, PspShape } from "../ports/Psp.ts"
import { done, PspOutcome } from "../ports/Psp.ts"
import type { SandboxAccount } from "./SandboxAccount.ts"
import type { SandboxRejected } from "./SandboxAnswers.ts"
import { amountRefusal, nothingThere, referenceRefusal, reject, spoiled } from "./SandboxAnswers.ts"
import type { SandboxBook } from "./SandboxBooks.ts"
import { forEachListed, makeBook } from "./SandboxBooks.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"
import { aPerson } from "./SandboxNetwork.ts"
import type { SandboxNotice, UntoldNotices } from "./SandboxNotices.ts"
import { writePayout } from "./SandboxNotification.ts"
import { SandboxPayout, SandboxPayoutKind, told, toPspPayout } from "./SandboxPayout.ts"

/** The payouts of the simulated PSP. */
export type SandboxPayouts = SandboxBook<SandboxPayout>

export const makePayouts = (credential: PspCredentialId) =>
  makeBook({ credential, kind: SandboxPayoutKind, space: "sandbox_payout_reference" })

/** The calls about payouts, each of which the faults may spoil. */
export const makePayoutCalls = (options: {
  readonly credential: PspCredentialId
  readonly payouts: SandboxPayouts
  readonly faults: SandboxFaults
  readonly account: SandboxAccount
}): Pick<PspShape, "sendPayout" | "findPayout"> => {
  const { account, credential, faults, payouts } = options

  /** Whether it is a new one, which takes its money from what is kept; there must be enough. */
  const takesMoney = Effect.fnUntraced(function* ({ amount, reference }: NewPspPayout) {
    const kept = yield* account.current
    if (kept === undefined || (yield* payouts.find(reference)) !== undefined) return false
    return kept.available < amount ? yield* tooLittle : true
  })

  const send = (asked: NewPspPayout) =>
    Effect.gen(function* () {
      const refused = refusalOf(asked)
      if (refused !== undefined) return yield* refused
      const { amount, pixKey, reference } = asked
      const isNew = yield* takesMoney(asked)
      const payout = yield* payouts.open(reference, (id, now) =>
        Effect.map(recipientOf(asked), (recipient) => ({
          entry: new SandboxPayout({
            id,
            credential,
            reference,
            status: "processing",
            amount,
            pixKey,
            recipient,
            createdAt: now,
            isTold: false
          })
        }))
      )
      if (isNew) yield* account.moved(`payout ${reference}`, negated(amount))
      return toPspPayout(payout)
    })

  const find = (reference: string) =>
    Effect.map(payouts.find(reference), (found) =>
      found === undefined ? undefined : toPspPayout(found.value)
    )

  /** The answer, or another payout's where a fault mixes them up. */
  const mixed = Effect.fnUntraced(function* <A extends PspPayout | undefined>(
    operation: "sendPayout" | "findPayout",
    reference: string,
    answer: PspOutcome<A>
  ) {
    const isQuiet = (yield* faults.current).every(({ kind }) => kind !== "answerAnother")
    if (isQuiet || answer._tag !== "Done") return answer
    const page = yield* Effect.orDie(payouts.list(undefined, undefined))
    const other = page.find(({ value }) => value.reference !== reference)
    if (other === undefined) return answer
    const isStruck = (yield* faults.strike(operation, "answerAnother")) !== undefined
    return isStruck ? done(toPspPayout(other.value)) : answer
  })

  return {
    sendPayout: Effect.fn("SandboxPsp.sendPayout")((payout) =>
      Effect.flatMap(spoiled<PspPayout>(faults, "sendPayout", send(payout)), (answer) =>
        mixed("sendPayout", payout.reference, waitingForMoney(answer))
      )
    ),
    findPayout: Effect.fn("SandboxPsp.findPayout")(({ reference }) =>
      Effect.flatMap(
        spoiled<PspPayout | undefined>(faults, "findPayout", find(reference), nothingThere),
        (answer) => mixed("findPayout", reference, answer)
      )
    )
  }
}

/** The notice of the status that a payout has. */
export const noticeOf = (payouts: SandboxPayouts, payout: SandboxPayout): SandboxNotice => ({
  amount: payout.amount,
  write: (amount) => writePayout({ ...payout, amount }),
  accepted: payouts.change(payout.reference, (now) =>
    Effect.succeed({ entry: told(now, payout.status) })
  )
})

/** Of every payout whose notice was not accepted yet. */
export const untoldOf =
  (payouts: SandboxPayouts): UntoldNotices =>
  (send) =>
    forEachListed(payouts, "untold", (page) =>
      send(page.map(({ value }) => noticeOf(payouts, value)))
    )

const refusalOf = ({ amount, pixKey, reference }: NewPspPayout): SandboxRejected | undefined => {
  const refused = referenceRefusal(reference) ?? amountRefusal(amount)
  if (refused !== undefined) return refused
  return Result.isFailure(PixKey.parse(pixKey.type, pixKey.value))
    ? reject("INVALID_KEY", "The Pix key has not the form of its type.")
    : undefined
}

const tooLittle = reject("INSUFFICIENT_FUNDS", "The account holds too little.")

/** A PSP that holds too little has done nothing, and takes it once there is more. */
const waitingForMoney = (answer: PspOutcome<PspPayout>): PspOutcome<PspPayout> =>
  answer._tag === "Rejected" && answer.code === tooLittle.code
    ? PspOutcome.needsMoney(tooLittle.message, "1 second")
    : answer

/** Whom the key belongs to: whoever was expected, and somebody plausible where nobody was. */
const recipientOf = Effect.fnUntraced(function* ({ holder, pixKey }: NewPspPayout) {
  const isDocument = pixKey.type === "cpf" || pixKey.type === "cnpj"
  const given = holder.document ?? (isDocument ? pixKey.value : undefined)
  const known = given === undefined ? undefined : Result.getOrUndefined(Document.parse(given))
  const person = yield* aPerson(known)
  return { name: holder.name ?? person.name, document: person.document }
})
