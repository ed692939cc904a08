import { Context, Effect, Layer, Result } from "effect"
import { mayStart } from "../accounts/NotActive.ts"
import type { WithdrawalId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { Ids } from "../time/Ids.ts"
import type { NewPspPayout, PspOutcome, PspPayout } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import { wasNotAsked } from "../psp-calls/PspCircuit.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { Storage } from "../storage/Storage.ts"
import { isLateLook } from "../reconciliation/LateLooks.ts"
import type { ReconcilingWorker, Reconcilable } from "../reconciliation/Reconciler.ts"
import { pspWorker, reconciler, sendIntended } from "../reconciliation/Reconciler.ts"
import * as Kind from "../units/Kind.ts"
import type { PayoutAnswer, PayoutConclusion, PayoutQuestion } from "./PayoutConclusion.ts"
import { isQuestion } from "./PayoutConclusion.ts"
import { askedFor, payoutBounds } from "./PayoutPsps.ts"
import type { PayoutCover } from "./PayoutCover.ts"
import { makePayoutCover } from "./PayoutCover.ts"
import { decide, withoutPsp } from "./PayoutVerdict.ts"
import type { Withdrawal } from "./Withdrawal.ts"
import { isWatched, sending, WithdrawalKind } from "./Withdrawal.ts"
import type { LoadedWithdrawal } from "./WithdrawalWriter.ts"
import { WithdrawalWriter } from "./WithdrawalWriter.ts"

/**
 * Brings withdrawals to their outcome. It is sent to the PSP once its intent is committed, always under the same reference, and
 * from then on asked before it is sent again; nothing but its own definite answer moves money.
 */
export class PayoutWorker extends Context.Service<PayoutWorker, ReconcilingWorker>()(
  "@pagora/core/withdrawals/PayoutWorker"
) {
  static readonly layer: Layer.Layer<
    PayoutWorker,
    never,
    Storage | PspDirectory | WithdrawalWriter | Ids | ServiceTime
  > = Layer.effect(
    PayoutWorker,
    Effect.gen(function* () {
      const time = yield* ServiceTime
      const cover = makePayoutCover(time)
      const reconcile = yield* reconciler(reconcilablePayout(yield* WithdrawalWriter, time, cover))
      const directory = yield* PspDirectory
      const bounds = () => payoutBounds(directory)
      const worker = yield* pspWorker({ queues: ["payout"], work: reconcile, bounds })
      return { ...worker, reconcile }
    })
  )
}

const reconcilablePayout = (
  writer: WithdrawalWriter["Service"],
  time: ServiceTime["Service"],
  cover: PayoutCover
): Reconcilable<LoadedWithdrawal, PayoutAnswer, PayoutQuestion, PayoutConclusion> => ({
  what: "withdrawal",
  // A late look may end without a write that would say that what was kept is outdated.
  load: (job) => {
    const id = job.id as WithdrawalId
    return isLateLook(job) ? writer.load(id) : writer.kept(id)
  },
  pspOf: ({ withdrawal }) => withdrawal.value.pspCredentialId,
  expectation: ({ withdrawal }) => Kind.expectation(WithdrawalKind, withdrawal),
  isWatched: ({ withdrawal }) => isWatched(withdrawal.value),
  decide: (loaded, answer, look) =>
    decide(loaded.withdrawal.value, answer, { ...look, mayPay: mayPay(loaded) }),
  withoutPsp: ({ withdrawal }, look) => withoutPsp(withdrawal.value, look),
  isQuestion,
  ask: (loaded, question, psp) => {
    const { value } = loaded.withdrawal
    const { netAmount: amount, pspCredentialId, reference } = value
    switch (question._tag) {
      case "Cover":
        return Effect.map(
          cover.take(pspCredentialId, psp, { reference, amount }),
          (found) => [loaded, { _tag: "Looked", cover: found }] as const
        )
      case "Ask":
        return Effect.map(
          callPsp("findPayout", psp.findPayout(askedFor(value))),
          (outcome) => [loaded, { _tag: "Found", outcome }] as const
        )
      case "Send":
        return sendIntended(
          time,
          (sentAt) => writer.intend(loaded, sending(value, sentAt)),
          ({ withdrawal }) =>
            Effect.map(
              callPsp("sendPayout", psp.sendPayout(payoutOf(withdrawal.value, value.sentAt))),
              (outcome) => sentOrNot(value.sentAt, outcome)
            )
        ).pipe(
          Effect.tap(([_, answer]) =>
            cover.sent(pspCredentialId, reference, "outcome" in answer ? answer.outcome : undefined)
          )
        )
    }
  },
  commit: writer.write
})

const sentOrNot = (before: Withdrawal["sentAt"], outcome: PspOutcome<PspPayout>) =>
  wasNotAsked(outcome)
    ? ({ _tag: "NotMade", before } as const)
    : ({ _tag: "Sent", before, outcome } as const)

/** Whether the account, and the sub-account whose wallet it is, may pay. */
const mayPay = ({ account, subAccount }: LoadedWithdrawal): boolean =>
  Result.isSuccess(mayStart({ account: account.value, subAccount: subAccount?.value }))

/** `before` is when it was sent before, where nobody knows what became of that. */
const payoutOf = (withdrawal: Withdrawal, before: Withdrawal["sentAt"]): NewPspPayout => ({
  reference: withdrawal.reference,
  amount: withdrawal.netAmount,
  pixKey: withdrawal.recipient,
  holder: present({ name: withdrawal.holderName, document: withdrawal.holderDocument }),
  ...(before === undefined ? {} : { isRepeat: true })
})
