import { Context, Effect, Layer } from "effect"
import type { AccountId, ChargeId, Uuid } from "../kernel/Ids.ts"
import type { Ids } from "../time/Ids.ts"
import type { PspDirectory } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Storage } from "../storage/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { Look, ReconcilingWorker, Reconcilable } from "../reconciliation/Reconciler.ts"
import { pspWorker, reconciler } from "../reconciliation/Reconciler.ts"
import { together } from "../jobs/JobWorker.ts"
import { makeEventLoopThrottle } from "../jobs/EventLoopThrottle.ts"
import * as Kind from "../units/Kind.ts"
import { ChargeKind, isWatched } from "./Charge.ts"
import type { LoadedCharge } from "./ChargeWriter.ts"
import { ChargeWriter } from "./ChargeWriter.ts"
import { payersConfirmed } from "./PayerClaims.ts"
import { makeCloser } from "./ChargeCloser.ts"
import type { ChargeAnswer, ChargeConclusion, ChargeQuestion } from "./ChargeVerdict.ts"
import { decide, isQuestion, unlearnt } from "./ChargeVerdict.ts"

/**
 * Slots of charges whose time is over, which come by the thousand at once and nobody waits for. Each claim costs as much as
 * the work on several charges, so it takes many: of one account half of its slots.
 */
const deadlines = { slotsOfGroup: 128, freeOfGroup: 64, claimMax: 96 } as const

/**
 * Brings charges to where their PSP says they are. A notification, a deadline and an intent without an answer all come to
 * the same question; nothing but the PSP's own answer moves money. Those of closed sub-accounts are put in line first.
 */
export class ChargeWorker extends Context.Service<ChargeWorker, ReconcilingWorker>()(
  "@pagora/core/charges/ChargeWorker"
) {
  static readonly layer: Layer.Layer<
    ChargeWorker,
    never,
    Storage | PspDirectory | ChargeWriter | Ids | ServiceTime
  > = Layer.effect(
    ChargeWorker,
    Effect.gen(function* () {
      const reconcile = yield* reconciler(reconcilableCharge(yield* ChargeWriter))
      const close = yield* makeCloser
      const urgent = yield* pspWorker({
        queues: ["inbox", "closing"],
        work: (job) => (job.queue === "closing" ? close : reconcile)(job)
      })
      const patient = yield* pspWorker({ queues: ["charge"], work: reconcile, ...deadlines })
      return { ...together([urgent, patient]), reconcile }
    })
  )
}

/** How many jobs that nobody waits for go on in a turn of the event loop. */
const patientATurn = 8

const isPatient = ({ queue }: Claimed): boolean => queue !== "inbox"

const reconcilableCharge = (
  writer: ChargeWriter["Service"]
): Reconcilable<LoadedCharge, ChargeAnswer, ChargeQuestion, ChargeConclusion> => {
  const throttle = makeEventLoopThrottle(patientATurn)
  return {
    what: "charge",
    // The group of a job that asks a PSP is its account.
    load: (job) =>
      Effect.tap(writer.load(job.id as ChargeId, job.group as Uuid as AccountId), () =>
        isPatient(job) ? throttle : Effect.void
      ),
    pspOf: ({ charge }) => charge.value.pspCredentialId,
    expectation: ({ charge }) => Kind.expectation(ChargeKind, charge),
    isWatched: ({ charge }) => isWatched(charge.value),
    decide: (loaded, answer, look) =>
      decide(loaded.charge.value, answer, {
        ...whenOf(look),
        askedAt: look.askedAt,
        capabilities: look.capabilities,
        closedAt: closedAt(loaded)
      }),
    withoutPsp: ({ charge }, look) => unlearnt(charge.value, whenOf(look)),
    isQuestion,
    ask: (loaded, question, psp) => {
      const { reference } = loaded.charge.value
      switch (question._tag) {
        case "Ask":
          return callPsp("findCharge", psp.findCharge(reference), reference).pipe(
            Effect.flatMap((outcome) =>
              payersConfirmed(loaded.charge.value, outcome, psp, decidesByPayer(loaded))
            ),
            Effect.map((outcome) => [loaded, { _tag: "Found", question, outcome }] as const)
          )
        case "Cancel":
          return Effect.map(
            callPsp("cancelCharge", psp.cancelCharge(reference), reference),
            (outcome) => [loaded, { _tag: "CancelSent", question, outcome }] as const
          )
      }
    },
    commit: (loaded, conclusion, { environment, look: { job, now } }) =>
      writer.write(loaded, conclusion, { environment, job, now }),
    isPatient,
    leavesSlot: (question) => question._tag === "Cancel"
  }
}

/** Whether the account takes money from some payers only. */
const decidesByPayer = ({ account }: LoadedCharge): boolean => account.value.policy.blockCnpjPayers

const whenOf = ({ isLate, job: { due, queue }, now }: Look) => ({
  now,
  isLate,
  isNotice: queue === "inbox",
  due
})

/** Since when its wallet takes nothing any more. */
const closedAt = ({ account: { value: account }, subAccount }: LoadedCharge) =>
  account.status === "closed" || subAccount?.value.status === "closed"
    ? (subAccount?.value.closedAt ?? account.updatedAt)
    : undefined
