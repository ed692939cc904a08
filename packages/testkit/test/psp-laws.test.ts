import { assert, describe, it } from "@effect/vitest"
import type { PspReceived, PspShape } from "@pagora/core"
import {
  Ids,
  Money,
  PspCredentialId,
  PspOutcome,
  SandboxPsp,
  ServiceTime,
  Storage,
  TxId,
  Uuid,
  memory
} from "@pagora/core"
import { SecretsNode } from "@pagora/core/node"
import { Clock, DateTime, Duration, Effect, Exit, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { pspContract } from "../src/contracts/PspContract.ts"
import { balanceLaws } from "../src/contracts/PspBalanceLaws.ts"
import { creationLaws } from "../src/contracts/PspChargeLaws.ts"
import type { Law } from "../src/contracts/PspLaws.ts"
import { payoutLaws } from "../src/contracts/PspPayoutLaws.ts"
import { receivedLaws } from "../src/contracts/PspReceivedLaws.ts"
import { refundLaws } from "../src/contracts/PspRefundLaws.ts"
import { PspUnderTest } from "../src/contracts/PspUnderTest.ts"
import { showingWithin } from "../src/contracts/PspVisibility.ts"

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

const underTest = Effect.fnUntraced(function* (
  plant: (psp: PspShape) => Partial<PspShape>,
  patience: Duration.Input = "200 millis"
) {
  const sandbox = yield* SandboxPsp
  const received: Array<Parameters<PspShape["readNotification"]>[0]> = []
  yield* sandbox.attach((notification) =>
    Effect.sync(() => {
      received.push(notification)
      return true
    })
  )
  yield* sandbox.setBalance({
    available: Money.Centavos.make(100_000_00n),
    blocked: Money.zero
  })
  return PspUnderTest.of({
    psp: { ...sandbox.psp, ...plant(sandbox.psp) },
    pay: (reference, amount) =>
      Effect.orDie(Effect.asVoid(sandbox.pay(reference, amount === undefined ? {} : { amount }))),
    settlePayout: (reference, end) =>
      Effect.orDie(Effect.asVoid(sandbox.settlePayout(reference, { _tag: end }))),
    settleRefund: (reference, end) =>
      Effect.orDie(Effect.asVoid(sandbox.settleRefund(reference, end))),
    payKey: () => Effect.orDie(Effect.map(sandbox.payKey({}), ({ endToEndId }) => endToEndId)),
    returnPayment: (endToEndId) => Effect.orDie(Effect.asVoid(sandbox.returnPayment(endToEndId))),
    reportInfraction: (endToEndId) =>
      Effect.orDie(Effect.map(sandbox.reportInfraction(endToEndId), ({ id }) => id)),
    notifications: (name) =>
      Effect.sync(() =>
        received.filter(({ body }) => new TextDecoder().decode(body).includes(name))
      ),
    patience
  })
})

const newReference = () => TxId.fromUuid(Uuid.make(randomUUID()))

/** The titles of the laws that a PSP with this fault breaks. */
const brokenBy = (
  plant: (psp: PspShape) => Partial<PspShape>,
  laws: ReadonlyArray<Law> = [...payoutLaws, ...refundLaws]
) =>
  Effect.gen(function* () {
    const psp = yield* underTest(plant)
    const broken: Array<string> = []
    for (const { proof, title } of laws) {
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
          findPayout: ({ reference }) => psp.findPayout({ reference: inner(reference) })
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

  it.live("catch a PSP that takes all parts of a payment for its first one", () =>
    Effect.gen(function* () {
      const broken = yield* brokenBy((psp) => {
        const first = new Map<string, string>()
        return {
          refund: (refund) => {
            if (!first.has(refund.endToEndId)) first.set(refund.endToEndId, refund.reference)
            return psp.refund(refund)
          },
          findRefund: ({ endToEndId, reference }) =>
            Effect.map(
              psp.findRefund({ reference: first.get(endToEndId) ?? reference, endToEndId }),
              (outcome) =>
                outcome._tag === "Done" && outcome.value !== undefined
                  ? PspOutcome.done({ ...outcome.value, reference })
                  : outcome
            )
        }
      })
      assert.include(
        broken,
        "parts of a payment end each for itself, and what came to nothing can go back again"
      )
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
        findRefund: (asked) =>
          Effect.map(psp.findRefund(asked), (outcome) => {
            if (outcome._tag !== "Done" || outcome.value === undefined) return outcome
            const { rejection: _why, returnId: _, ...value } = outcome.value
            return { _tag: "Done", value }
          }),
        readNotification: (notification) =>
          Effect.map(psp.readNotification(notification), (notices) =>
            notices.flatMap((notice) =>
              "reference" in notice
                ? [{ _tag: "Charge" as const, reference: notice.reference }]
                : []
            )
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

const lateMillis = 150

/** Finds what it did only some time after it did it, as a bank with a copy of its books for questions. */
describe("the laws of what a PSP has received", () => {
  const broken = (plant: (psp: PspShape) => Partial<PspShape>) => brokenBy(plant, receivedLaws)
  const faults: Readonly<
    Record<string, readonly [plant: (psp: PspShape) => Partial<PspShape>, law: string]>
  > = {
    "finds no payment": [
      () => ({ findPayment: () => Effect.succeed(PspOutcome.done(undefined)) }),
      "a payment is found by its end-to-end id, with the charge that it pays"
    ],
    "finds payments that nobody made": [
      ({ findPayment }) => {
        let last: PspOutcome<PspReceived | undefined> = PspOutcome.done(undefined)
        return {
          findPayment: (id) =>
            Effect.map(findPayment?.(id) ?? Effect.succeed(last), (found) => {
              if (found._tag === "Done" && found.value !== undefined) last = found
              return last
            })
        }
      },
      "no payment is found under an end-to-end id of none"
    ],
    "shows no returns": [
      ({ findPayment }) => ({
        findPayment: (id) =>
          Effect.map(findPayment?.(id) ?? Effect.never, (found) =>
            found._tag === "Done" && found.value !== undefined
              ? PspOutcome.done({ ...found.value, returns: [] })
              : found
          )
      }),
      "a payment shows each of its returns"
    ],
    "lists a payment on two pages": [
      ({ listPayments }) => ({
        listPayments: ({ cursor, ...period }) =>
          Effect.map(listPayments?.(period) ?? Effect.never, (page) =>
            page._tag === "Done" && cursor === undefined
              ? PspOutcome.done({ ...page.value, next: "more" })
              : page
          )
      }),
      "a list has each payment of its period once, over all of its pages"
    ],
    "lists a payment of nothing beside each": [
      ({ listPayments }) => ({
        listPayments: (query) =>
          Effect.map(listPayments?.(query) ?? Effect.never, (page) => {
            if (page._tag !== "Done") return page
            const { payments } = page.value
            const nothing = payments.map((payment) => ({
              ...payment,
              endToEndId: payment.endToEndId.replace(/.{4}$/, "zero"),
              amount: Money.zero
            }))
            return PspOutcome.done({ ...page.value, payments: [...payments, ...nothing] })
          })
      }),
      "whatever a list shows was paid, or given back, is more than nothing"
    ],
    "lists what it has, whatever the period": [
      ({ listPayments }) => ({
        listPayments: ({ from }) =>
          listPayments?.({
            from: DateTime.subtract(from, { hours: 1 }),
            to: DateTime.add(from, { hours: 1 })
          }) ?? Effect.never
      }),
      "a list has nothing that was paid before or after its period"
    ],
    "takes what was paid to the key for a charge": [
      ({ findPayment }) => ({
        findPayment: (id) =>
          Effect.map(findPayment?.(id) ?? Effect.never, (found) =>
            found._tag === "Done" && found.value !== undefined
              ? PspOutcome.done({ reference: newReference(), ...found.value })
              : found
          )
      }),
      "what is paid to the key itself is for no charge, and is named by its end-to-end id"
    ],
    "tells of nothing but charges": [
      ({ readNotification }) => ({
        readNotification: (notification) =>
          Effect.map(readNotification(notification), (notices) =>
            notices.filter(({ _tag }) => _tag === "Charge")
          )
      }),
      "a payment that the PSP gives back by itself shows so, and is named"
    ],
    "confirms whatever is claimed": [
      () => ({ confirmPayer: () => Effect.succeed(PspOutcome.done(true)) }),
      "who has paid is confirmed, and nobody else"
    ],
    "forgets infractions": [
      () => ({ findInfraction: () => Effect.succeed(PspOutcome.done(undefined)) }),
      "an infraction is found under the id that its notice names"
    ],
    "lists no infractions": [
      () => ({ listInfractions: () => Effect.succeed(PspOutcome.done({ infractions: [] })) }),
      "a list has each infraction of its period once, over all of its pages, and none of another"
    ],
    "finds something else with each check": [
      () => {
        let count = 0
        const finding = { state: "ok", message: "All is well." } as const
        return { check: () => Effect.sync(() => [{ ...finding, name: "abc".charAt(count++) }]) }
      },
      "a check tells the same when it is made again, with words for each thing that it finds"
    ],
    "cannot be prepared twice": [
      ({ prepare }) => {
        let count = 0
        const taken = { name: "webhook", state: "failed", message: "There is one." } as const
        return {
          prepare: (wanted) =>
            count++ === 0 ? (prepare?.(wanted) ?? Effect.never) : Effect.succeed([taken])
        }
      },
      "what was prepared can be prepared again, and leaves nothing amiss that it did not before"
    ]
  }

  it.live("hold of the simulated PSP", () =>
    Effect.map(
      broken(() => ({})),
      (laws) => assert.deepStrictEqual(laws, [])
    )
  )

  it.live.each(Object.entries(faults))("catch a PSP that %s", ([, [plant, law]]) =>
    Effect.map(broken(plant), (laws) => assert.include(laws, law))
  )

  it("are each broken by one of them", () =>
    assert.sameMembers(
      Object.values(faults).map(([, law]) => law),
      receivedLaws.map(({ title }) => title)
    ))
})

const showingLate = (psp: PspShape): Partial<PspShape> => {
  const shownAt = new Map<string, number>()
  const doing =
    <Order extends { readonly reference: string }, A>(
      run: (order: Order) => Effect.Effect<PspOutcome<A>>
    ) =>
    (order: Order) =>
      Effect.tap(run(order), ({ _tag }) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (_tag === "Done" && !shownAt.has(order.reference))
            shownAt.set(order.reference, now + lateMillis)
        })
      )
  const finding =
    <Asked extends { readonly reference: string }, A>(
      find: (asked: Asked) => Effect.Effect<PspOutcome<A | undefined>>
    ) =>
    (asked: Asked): Effect.Effect<PspOutcome<A | undefined>> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now < (shownAt.get(asked.reference) ?? 0)
          ? Effect.succeed({ _tag: "Done", value: undefined })
          : find(asked)
      )
  const findCharge = finding(({ reference }) => psp.findCharge(reference))
  return {
    capabilities: { ...psp.capabilities, notFoundIsFinalAfter: Duration.minutes(1) },
    createCharge: doing((charge) => psp.createCharge(charge)),
    sendPayout: doing((payout) => psp.sendPayout(payout)),
    refund: doing((refund) => psp.refund(refund)),
    findCharge: (reference) => findCharge({ reference }),
    findPayout: finding((payout) => psp.findPayout(payout)),
    findRefund: finding((refund) => psp.findRefund(refund))
  }
}

const late = Layer.provide(Layer.effect(PspUnderTest, underTest(showingLate, "5 seconds")), layer)

pspContract("one that shows what it did a little later, and says so", {
  layer: late,
  visibleWithin: "2 seconds",
  supports: {
    repeatedCreate: true,
    cancel: true,
    payments: true,
    repeatedPayments: true,
    otherAmounts: true,
    payer: true,
    payouts: true,
    settledPayouts: true,
    reversals: true,
    refunds: true,
    settledRefunds: true,
    notifications: true,
    authenticHeaders: true,
    signedBodies: true,
    receivedPayments: true,
    paymentLists: true,
    directPayments: true,
    ownReturns: true,
    payerClaims: true,
    infractions: true,
    infractionLists: true,
    balance: true,
    checks: true,
    preparation: true
  }
})

describe("the laws of amounts", () => {
  it.live("catch a PSP that counts a centavo less of some", () =>
    Effect.gen(function* () {
      const cut = (psp: PspShape): Partial<PspShape> => ({
        createCharge: (asked) => {
          const centavos = Math.floor((Number(asked.amount) / 100) * 100)
          return psp.createCharge({ ...asked, amount: Money.Centavos.make(BigInt(centavos)) })
        }
      })
      assert.deepStrictEqual(yield* brokenBy(cut, creationLaws), [
        "charges ask for what was asked, to the centavo"
      ])
    })
  )
})

describe("the laws of what a PSP holds", () => {
  const [moves = "", blocked = ""] = balanceLaws.map(({ title }) => title)

  it.live("catch a PSP that tells of what was there once", () =>
    Effect.gen(function* () {
      const stale = () => ({
        balance: () =>
          Effect.succeed(PspOutcome.done({ available: Money.zero, blocked: Money.zero }))
      })
      assert.deepStrictEqual(yield* brokenBy(stale, balanceLaws), [moves])
    })
  )

  it.live("catch a PSP that blocks less than nothing, and one that tells nothing", () =>
    Effect.gen(function* () {
      const overBlocking = (psp: PspShape) => ({
        balance: () =>
          Effect.map(psp.balance?.() ?? Effect.succeed(PspOutcome.unknown("none")), (told) =>
            told._tag === "Done"
              ? PspOutcome.done({ ...told.value, blocked: Money.negated(Money.oneCentavo) })
              : told
          )
      })
      assert.deepStrictEqual(yield* brokenBy(overBlocking, balanceLaws), [blocked])
      const silent = () => ({ balance: undefined })
      assert.deepStrictEqual(yield* brokenBy(silent, balanceLaws), [moves, blocked])
    })
  )
})

describe("a PSP that shows what it did a little later", () => {
  const shownTooLate = [
    "a payout is found as soon as it was sent, with what was asked",
    "a return is found as soon as it was asked for, with what was asked"
  ]

  it.live("breaks the laws where it does not say so, or needs longer than it says", () =>
    Effect.gen(function* () {
      const sayingLess = (psp: PspShape) =>
        showingWithin({ ...psp, ...showingLate(psp) }, Duration.millis(1))
      assert.includeMembers(yield* brokenBy(showingLate), shownTooLate)
      assert.includeMembers(yield* brokenBy(sayingLess), shownTooLate)
    })
  )
})
