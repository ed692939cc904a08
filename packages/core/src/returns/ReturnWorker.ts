import { Context, Effect, Layer } from "effect"
import type { ReturnId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { Ids } from "../time/Ids.ts"
import type { NewPspRefund, PspDirectory, PspShape } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { Storage } from "../storage/Storage.ts"
import type { ReconcilingWorker, Reconcilable } from "../reconciliation/Reconciler.ts"
import { pspWorker, reconciler, sendIntended } from "../reconciliation/Reconciler.ts"
import * as Kind from "../units/Kind.ts"
import type { Return } from "./Return.ts"
import { formersOf, isWatched, ReturnKind, sending } from "./Return.ts"
import { askedFor } from "./ReturnAtPsp.ts"
import type { LoadedReturn } from "./ReturnWriter.ts"
import { ReturnWriter } from "./ReturnWriter.ts"
import type { Formers, ReturnAnswer, ReturnConclusion, ReturnQuestion } from "./ReturnVerdict.ts"
import { decide, formerSays, isQuestion, withoutPsp } from "./ReturnVerdict.ts"

/**
 * Brings money back to its payer. The intent is committed before the request is sent, always under the return's
 * one reference. What the PSP took and then refused is replaced by a return with another. Whatever is not known for certain
 * is asked, and nothing but a definite answer moves money.
 */
export class ReturnWorker extends Context.Service<ReturnWorker, ReconcilingWorker>()(
  "@pagora/core/returns/ReturnWorker"
) {
  static readonly layer: Layer.Layer<
    ReturnWorker,
    never,
    Storage | PspDirectory | ReturnWriter | Ids | ServiceTime
  > = Layer.effect(
    ReturnWorker,
    Effect.gen(function* () {
      const reconcile = yield* reconciler(
        reconcilableReturn(yield* ReturnWriter, yield* ServiceTime)
      )
      const worker = yield* pspWorker({ queues: ["return"], work: reconcile })
      return { ...worker, reconcile }
    })
  )
}

const reconcilableReturn = (
  writer: ReturnWriter["Service"],
  time: ServiceTime["Service"]
): Reconcilable<LoadedReturn, ReturnAnswer, ReturnQuestion, ReturnConclusion> => ({
  what: "return",
  load: (job) => writer.load(job.id as ReturnId),
  pspOf: ({ value }) => value.pspCredentialId,
  expectation: (loaded) => Kind.expectation(ReturnKind, loaded),
  isWatched: ({ value }) => isWatched(value),
  decide: ({ value }, answer, look) => decide(value, answer, look),
  withoutPsp: ({ value }, look) => withoutPsp(value, look),
  isQuestion,
  ask: (loaded, question, psp) => {
    switch (question._tag) {
      case "Ask":
        return Effect.map(
          callPsp("findRefund", psp.findRefund(askedFor(loaded.value))),
          (outcome) => [loaded, { _tag: "Found", outcome }] as const
        )
      case "AskFormers":
        return Effect.map(
          askFormers(writer, time, loaded.value, psp),
          (said) => [loaded, { ...question, _tag: "Formers", said }] as const
        )
      case "Send": {
        const { isAlone } = question
        return sendIntended(
          time,
          (sentAt) => writer.intend(loaded, sending(loaded.value, sentAt)),
          ({ value }) =>
            Effect.map(
              callPsp("refund", psp.refund(requestOf(value))),
              (outcome) => ({ _tag: "Sent", isAlone, outcome }) as const
            )
        )
      }
    }
  },
  commit: writer.write
})

/** Asks about the returns before one that came to nothing: each of them, the ones in whose places they were, and so on. */
const askFormers = Effect.fnUntraced(function* (
  writer: ReturnWriter["Service"],
  time: ServiceTime["Service"],
  money: Return,
  psp: PspShape
): Effect.fn.Return<Formers, StorageError> {
  // A set that grows while it is gone through: no former is asked about twice.
  const formers = new Set(formersOf(money))
  for (const id of formers) {
    const former = yield* writer.load(id)
    if (former === undefined) continue
    const outcome = yield* callPsp("findRefund", psp.findRefund(askedFor(former.value)))
    const said = formerSays(former.value, outcome, yield* time.now)
    if (said._tag !== "Undone") return said
    // Not what was in doubt when it was asked for: whoever a person has looked at since is over, and whoever not is named already.
    const { replaces } = former.value
    if (replaces !== undefined) formers.add(replaces)
  }
  return { _tag: "Undone" }
})

const requestOf = (money: Return): NewPspRefund => ({
  reference: money.reference,
  endToEndId: money.endToEndId,
  amount: money.amount,
  purpose: money.purpose === "refund" ? "requested" : "automatic",
  ...present({ reason: money.reason })
})
