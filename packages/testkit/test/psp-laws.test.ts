import { assert, describe, it } from "@effect/vitest"
import type { PspShape } from "@pagora/core"
import { Ids, memory, PspCredentialId, SandboxPsp, ServiceTime, Storage, TxId } from "@pagora/core"
import { SecretsNode } from "@pagora/core/node"
import { Effect, Exit, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { payoutLaws } from "../src/contracts/PspPayoutLaws.ts"
import { refundLaws } from "../src/contracts/PspRefundLaws.ts"
import { PspUnderTest } from "../src/contracts/PspUnderTest.ts"

// Laws that nobody can break are no laws. So each PSP here is the simulated one with one fault planted, and the
// laws that it breaks must say so.

const secret = Redacted.make("a secret that is long enough for the simulated PSP")

const layer = SandboxPsp.layer({
  credential: PspCredentialId.make("00000000-0000-7000-8000-00000000007e"),
  secret
}).pipe(
  Layer.provide(Ids.layer),
  Layer.provide(ServiceTime.layer),
  Layer.provide(Storage.layer().pipe(Layer.provide(memory()))),
  Layer.provide(SecretsNode.layer({ secret })),
  Layer.orDie,
  Layer.fresh
)

const underTest = Effect.fnUntraced(function* (plant: (psp: PspShape) => Partial<PspShape>) {
  const sandbox = yield* SandboxPsp
  const received: Array<Parameters<PspShape["readNotification"]>[0]> = []
  yield* sandbox.attach((notification) =>
    Effect.sync(() => {
      received.push(notification)
      return true
    })
  )
  return PspUnderTest.of({
    psp: { ...sandbox.psp, ...plant(sandbox.psp) },
    pay: (reference, amount) =>
      Effect.orDie(Effect.asVoid(sandbox.pay(reference, amount === undefined ? {} : { amount }))),
    settlePayout: (reference, end) =>
      Effect.orDie(Effect.asVoid(sandbox.settlePayout(reference, { _tag: end }))),
    settleRefund: (reference, end) =>
      Effect.orDie(Effect.asVoid(sandbox.settleRefund(reference, end))),
    notifications: (reference) =>
      Effect.sync(() =>
        received.filter(({ body }) => new TextDecoder().decode(body).includes(reference))
      ),
    patience: "200 millis"
  })
})

const newReference = () => TxId.fromUuid(randomUUID() as never)

/** The titles of the laws that a PSP with this fault breaks. */
const brokenBy = (plant: (psp: PspShape) => Partial<PspShape>) =>
  Effect.gen(function* () {
    const psp = yield* underTest(plant)
    const broken: Array<string> = []
    for (const { proof, title } of [...payoutLaws, ...refundLaws]) {
      const exit = yield* Effect.exit(Effect.provideService(proof, PspUnderTest, psp))
      if (Exit.isFailure(exit)) broken.push(title)
    }
    return broken
  }).pipe(Effect.provide(layer))

describe("the laws of payouts and returns", () => {
  it.live("hold of the simulated PSP", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* brokenBy(() => ({})), [])
    })
  )

  it.live("catch a PSP that sends again whenever it is told again", () =>
    Effect.gen(function* () {
      const broken = yield* brokenBy((psp) => {
        const latest = new Map<string, string>()
        const inner = (reference: string) => latest.get(reference) ?? reference
        return {
          sendPayout: (payout) => {
            const reference = latest.has(payout.reference) ? newReference() : payout.reference
            latest.set(payout.reference, reference)
            return psp.sendPayout({ ...payout, reference })
          },
          findPayout: (reference) => psp.findPayout(inner(reference))
        }
      })
      assert.includeMembers(broken, [
        "sending again under a reference answers the first payout",
        "sending at once under a reference sends one payout",
        "sending again what has ended answers how it ended, and does not revive it"
      ])
    })
  )

  it.live("catch a PSP that gives back again whenever it is told again", () =>
    Effect.gen(function* () {
      const broken = yield* brokenBy((psp) => ({
        refund: (refund) =>
          Effect.andThen(psp.refund({ ...refund, reference: newReference() }), psp.refund(refund))
      }))
      assert.includeMembers(broken, [
        "returning again under a reference answers the first return, and takes no more",
        "a return of everything, asked for again, is answered and not refused"
      ])
    })
  )

  it.live("catch a PSP that forgets what it was told", () =>
    Effect.gen(function* () {
      const nothing = { _tag: "Done", value: undefined } as const
      const broken = yield* brokenBy(() => ({
        findPayout: () => Effect.succeed(nothing),
        findRefund: () => Effect.succeed(nothing)
      }))
      assert.includeMembers(broken, [
        "a payout is found as soon as it was sent, with what was asked",
        "a return is found as soon as it was asked for, with what was asked"
      ])
    })
  )

  it.live("catch a PSP that says it did what it refused", () =>
    Effect.gen(function* () {
      const broken = yield* brokenBy((psp) => ({
        sendPayout: (payout) =>
          Effect.map(psp.sendPayout(payout), (outcome) =>
            outcome._tag === "Rejected"
              ? {
                  _tag: "Done",
                  value: { ...payout, pspReference: "p", status: "rejected" as const }
                }
              : outcome
          ),
        refund: (refund) =>
          Effect.map(psp.refund(refund), (outcome) =>
            outcome._tag === "Rejected"
              ? { _tag: "Done", value: { ...refund, status: "processing" as const } }
              : outcome
          )
      }))
      assert.includeMembers(broken, [
        "impossible amounts are not sent, and leave nothing",
        "payouts under strange references are not sent and never found",
        "the returns of a payment never exceed it",
        "the returns of a payment never exceed it, asked for at once either",
        "what was never paid does not go back",
        "impossible returns are not made, and leave nothing"
      ])
    })
  )

  it.live("catch a PSP whose answers leave out what matters", () =>
    Effect.gen(function* () {
      const broken = yield* brokenBy((psp) => ({
        findPayout: (reference) =>
          Effect.map(psp.findPayout(reference), (outcome) => {
            if (outcome._tag !== "Done" || outcome.value === undefined) return outcome
            const { endToEndId: _, rejection: _why, reversal: _back, ...value } = outcome.value
            return { _tag: "Done", value }
          }),
        findRefund: (reference) =>
          Effect.map(psp.findRefund(reference), (outcome) => {
            if (outcome._tag !== "Done" || outcome.value === undefined) return outcome
            const { rejection: _why, returnId: _, ...value } = outcome.value
            return { _tag: "Done", value }
          }),
        readNotification: (notification) =>
          Effect.map(psp.readNotification(notification), (notices) =>
            notices.map(({ reference }) => ({ _tag: "Charge" as const, reference }))
          )
      }))
      assert.includeMembers(broken, [
        "a completed payout has what was asked, an end-to-end id of its own and a time",
        "a payout that failed is rejected, and says why",
        "a reversed payout keeps its end-to-end id, and has the id of its return",
        "a notification names the payout that has ended, and nothing else",
        "a confirmed return has what was asked, its id on the network and a time",
        "a return that failed is rejected, and the payment can go back under another reference",
        "a notification names the return that has ended"
      ])
    })
  )
})
