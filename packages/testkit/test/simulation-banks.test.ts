import { assert, describe, it } from "@effect/vitest"
import type { Centavos, NewPspPayout, PspOutcome, PspShape, RawNotification } from "@pagora/core"
import { BrCode, PixKey } from "@pagora/core"
import { Cause, Effect, Exit, Layer, Result } from "effect"
import { pspContract } from "../src/contracts/PspContract.ts"
import { leftOut, PspUnderTest } from "../src/contracts/PspUnderTest.ts"
import type { Bank, BankFaults, BankOptions, CallFault } from "../src/simulation/banks/index.ts"
import {
  bankMethods,
  callFaults,
  canMeet,
  lieReasons,
  moneyFaults,
  noticeFaults,
  roughFaults
} from "../src/simulation/banks/index.ts"
import { aBank, noReply } from "./BankWorld.test-data.ts"

const amount = 1234n as Centavos
const reference = (number: number): string => number.toString(16).padStart(32, "0")

const pixKey = Result.getOrThrow(PixKey.parse("email", "maria@example.com"))
const aPayout = (number: number): NewPspPayout => ({
  reference: reference(number),
  amount,
  pixKey,
  holder: {}
})

/** What a call came to: `NoReply` and `Defect` beside the outcomes. */
const came = <A>(call: Effect.Effect<PspOutcome<A>>) => {
  const exit = Effect.runSyncExit(call)
  if (Exit.isSuccess(exit)) return { tag: exit.value?._tag ?? "Garbage", outcome: exit.value }
  const tag = Cause.squash(exit.cause) === noReply ? "NoReply" : "Defect"
  return { tag, outcome: undefined }
}

const valueOf = <A>(call: Effect.Effect<PspOutcome<A>>): A => {
  const { outcome } = came(call)
  return outcome?._tag === "Done" ? outcome.value : assert.fail(`Done was expected.`)
}

const openCharge = (psp: PspShape, number: number, seconds = 3_600) =>
  valueOf(psp.createCharge({ reference: reference(number), amount, expiresInSeconds: seconds }))

const moved = ({ book }: Bank, tag: string) => book.movements.filter(({ _tag }) => _tag === tag)

pspContract("a calm simulated bank", {
  layer: Layer.sync(PspUnderTest, () => {
    const { bank, pass, psp, received, state } = aBank({ settling: "hands" })
    state.isFaulty = false
    const hand = (act: () => unknown) =>
      Effect.sync(() => {
        act()
        pass(1_000)
      })
    return PspUnderTest.of({
      psp,
      pay: (reference, amount) => hand(() => bank.pay(reference, amount)),
      settlePayout: (reference, end) => hand(() => bank.settlePayout(reference, end)),
      settleRefund: (reference, end) => hand(() => bank.settleRefund(reference, end)),
      notifications: (reference) =>
        Effect.sync(() =>
          received.filter(({ body }) => new TextDecoder().decode(body).includes(reference))
        )
    })
  }),
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
    ...leftOut("the simulated banks have no such call")
  }
})

describe("a call at a simulated bank", () => {
  const always = (fault: CallFault): BankFaults => ({ calls: { [fault]: 1 } })

  const rows: ReadonlyArray<readonly [CallFault, ReadonlyArray<string>, number]> = [
    ["untold", ["Unknown", "NoReply"], 1],
    ["late", ["Unknown", "NoReply"], 1],
    ["lost", ["Unknown", "NoReply", "NotSent"], 0],
    ["refused", ["Rejected"], 0],
    ["broken", ["Unknown"], 1],
    ["another", ["Done"], 1],
    ["garbage", ["Done", "Defect", "Garbage", "done"], 1]
  ]
  for (const [fault, tags, times] of rows) {
    it(`that is ${fault} moves money ${times === 0 ? "never" : "once"}`, () => {
      const seen = new Set<string>()
      for (let seed = 1; seed <= 40; seed++) {
        const { bank, cells, end, psp } = aBank({ seed, faults: always(fault) })
        seen.add(came(psp.sendPayout(aPayout(1))).tag)
        came(psp.sendPayout(aPayout(2)))
        end()
        assert.lengthOf(moved(bank, "Payout"), 2 * times)
        assert.strictEqual(bank.book.cash(), BigInt(-2 * times) * amount)
        assert.isTrue(cells.has(`fault: bank ${fault} of sendPayout`))
        assert.deepStrictEqual(bank.pending(), [])
        const found = valueOf(psp.findPayout({ reference: reference(1) }))
        assert.strictEqual(found?.status, times === 0 ? undefined : "completed")
      }
      assert.sameMembers([...seen], [...tags])
    })
  }

  it("that is late arrives later, and before that would be final", () => {
    const notYet = new Set<boolean>()
    for (let seed = 1; seed <= 40; seed++) {
      const { bank, pass, psp } = aBank({ seed, faults: always("late") })
      came(psp.sendPayout(aPayout(1)))
      notYet.add(bank.book.times("sendPayout", reference(1)).arrived === 0)
      pass(10 * 60_000 + 10_000)
      assert.strictEqual(bank.book.times("sendPayout", reference(1)).arrived, 1)
    }
    assert.isTrue(notYet.has(true))
  })

  it("that is made again while the first stands in line may be refused, and the first is done", () => {
    const tags = new Set<string>()
    for (let seed = 1; seed <= 40; seed++) {
      const { bank, end, psp } = aBank({ seed, faults: always("late") })
      came(psp.sendPayout(aPayout(1)))
      const isInLine = bank.book.times("sendPayout", reference(1)).arrived === 0
      const { tag } = came(psp.sendPayout(aPayout(1)))
      if (isInLine) tags.add(tag)
      else assert.notStrictEqual(tag, "Rejected")
      end()
      assert.lengthOf(moved(bank, "Payout"), 1)
    }
    assert.isTrue(tags.has("Rejected"))
    assert.isAbove(tags.size, 1)
  })

  it("that lies may show the payment of another charge beside those of a charge", () => {
    const shown = new Set<number>()
    for (let seed = 1; seed <= 40; seed++) {
      const { bank, pass, psp, state } = aBank({ seed, lies: true, faults: always("lie") })
      state.isFaulty = false
      for (const number of [1, 2]) openCharge(psp, number)
      const other = bank.pay(reference(1))
      pass(61_000)
      bank.pay(reference(2), 77n as Centavos)
      pass(1_000)
      state.isFaulty = true
      const { payments = [] } = valueOf(psp.findCharge(reference(2))) ?? {}
      if (!payments.some(({ endToEndId }) => endToEndId === other?.endToEndId)) continue
      shown.add(payments.length)
      assert.deepStrictEqual(
        bank.book.untruths.map(({ references }) => references),
        [[reference(2), reference(1)]]
      )
    }
    assert.deepStrictEqual([...shown], [2])
  })

  it("that is mixed up is answered with what another one was, and the book says so", () => {
    const { bank, psp } = aBank({ faults: always("another") })
    assert.strictEqual(valueOf(psp.sendPayout(aPayout(1))).reference, reference(1))
    assert.isEmpty(bank.book.untruths)
    assert.strictEqual(valueOf(psp.sendPayout(aPayout(2))).reference, reference(1))
    const [untruth] = bank.book.untruths
    assert.deepStrictEqual(untruth?.references, [reference(2), reference(1)])
    assert.strictEqual(bank.book.lastTold(reference(2))?.words, "Done processing")
  })

  it("alone may be what goes wrong", () => {
    const faults: BankFaults = { calls: { lost: 1 }, only: { findPayout: { broken: 1 } } }
    const { psp } = aBank({ faults })
    assert.strictEqual(came(psp.sendPayout(aPayout(1))).tag, "Done")
    assert.strictEqual(came(psp.findPayout(aPayout(1))).tag, "Unknown")
    assert.strictEqual(came(psp.findCharge(reference(2))).tag, "Done")
  })

  it("that asks may be answered as it was some time ago", () => {
    const seen = new Set<string | undefined>()
    for (let seed = 1; seed <= 40; seed++) {
      const { pass, psp } = aBank({ seed, faults: always("older") })
      valueOf(psp.sendPayout(aPayout(1)))
      pass(60_000)
      seen.add(valueOf(psp.findPayout({ reference: reference(1) }))?.status)
    }
    assert.sameMembers([...seen], ["processing", "completed"])
  })

  it("to a bank that is not idempotent moves money as often as it is made", () => {
    const { bank, pass, psp } = aBank({ capabilities: { idempotentByReference: false } })
    valueOf(psp.sendPayout(aPayout(1)))
    valueOf(psp.sendPayout(aPayout(1)))
    pass(60_000)
    assert.lengthOf(moved(bank, "Payout"), 2)
    assert.strictEqual(bank.book.cash(), -2n * amount)
    assert.deepStrictEqual(bank.book.times("sendPayout", reference(1)), { called: 2, arrived: 2 })
  })
})

describe("money at a simulated bank", () => {
  it("that was made is hidden for a while, and found before that would be final", () => {
    const waits = new Set<boolean>()
    for (let seed = 1; seed <= 40; seed++) {
      const { pass, psp } = aBank({ seed, faults: { money: { hidden: 1 } } })
      valueOf(psp.sendPayout(aPayout(1)))
      waits.add(valueOf(psp.findPayout({ reference: reference(1) })) === undefined)
      pass(10 * 60_000 + 10_000)
      assert.isDefined(valueOf(psp.findPayout({ reference: reference(1) })))
    }
    assert.isTrue(waits.has(true))
  })

  it("is in flight: it lands by the promised lag, on a removed charge too", () => {
    const { bank, pass, psp } = aBank({ faults: { money: { "in flight": 1 } } })
    const charge = openCharge(psp, 1, 60)
    const paid = bank.pay(charge.reference)
    assert.strictEqual(bank.book.cash(), 0n)
    assert.strictEqual(valueOf(psp.cancelCharge(charge.reference)).status, "removed")
    pass(60_000 + 120_000)
    const seen = valueOf(psp.findCharge(charge.reference))
    assert.strictEqual(seen?.status, "removed")
    assert.deepStrictEqual(
      seen?.payments.map(({ endToEndId }) => endToEndId),
      [paid?.endToEndId]
    )
    assert.strictEqual(bank.book.cash(), amount)
  })

  it("is not taken for a removed charge, nor for one that ended long ago", () => {
    const { bank, pass, psp } = aBank()
    openCharge(psp, 1, 60)
    openCharge(psp, 2, 60)
    valueOf(psp.cancelCharge(reference(1)))
    assert.isUndefined(bank.pay(reference(1)))
    assert.isUndefined(bank.pay(reference(3)))
    pass(90_000)
    assert.isDefined(bank.pay(reference(2), 1n as Centavos))
    pass(120_000)
    assert.isUndefined(bank.pay(reference(2)))
    assert.strictEqual(bank.book.cash(), 1n)
  })

  it("has codes that lead back to their charges", () => {
    const { bank, psp } = aBank()
    const { pixCopyPaste } = openCharge(psp, 1)
    assert.isTrue(Result.isSuccess(BrCode.parse(pixCopyPaste)))
    assert.strictEqual(bank.referenceOf(pixCopyPaste), reference(1))
  })

  it("comes back without a notice, or takes more than a day, or comes to nothing", () => {
    const silent = aBank({ faults: { money: { "reversed silently": 1 } } })
    valueOf(silent.psp.sendPayout(aPayout(1)))
    silent.pass(21 * 3_600_000)
    assert.strictEqual(
      valueOf(silent.psp.findPayout({ reference: reference(1) }))?.status,
      "reversed"
    )
    assert.lengthOf(silent.received, 1)
    assert.strictEqual(silent.bank.book.cash(), 0n)

    const slow = aBank({ faults: { money: { slow: 1, rejected: 1 } } })
    valueOf(slow.psp.sendPayout(aPayout(1)))
    slow.pass(9 * 60_000)
    assert.strictEqual(
      valueOf(slow.psp.findPayout({ reference: reference(1) }))?.status,
      "processing"
    )
    slow.pass(30 * 3_600_000)
    assert.strictEqual(
      valueOf(slow.psp.findPayout({ reference: reference(1) }))?.status,
      "rejected"
    )
    assert.isEmpty(slow.bank.book.movements)
  })
})

describe("a notification of a simulated bank", () => {
  const paidOnce = (options: Partial<BankOptions> & { readonly seed?: number }) => {
    const test = aBank(options)
    openCharge(test.psp, 1)
    test.bank.pay(reference(1))
    return test
  }
  const only = (fault: (typeof noticeFaults)[number]): BankFaults => ({ notices: { [fault]: 1 } })

  it("is dropped", () => {
    const { end, received } = paidOnce({ faults: only("dropped") })
    end()
    assert.isEmpty(received)
  })

  it("comes twice", () => {
    const { pass, received } = paidOnce({ faults: only("doubled") })
    pass(70_000)
    assert.lengthOf(received, 2)
  })

  it("comes a minute or more later", () => {
    const { pass, received } = paidOnce({ faults: only("delayed") })
    pass(59_000)
    assert.isEmpty(received)
    pass(361 * 60_000)
    assert.lengthOf(received, 1)
  })

  it("comes after the next one, or after a while", () => {
    const { bank, pass, received, state } = paidOnce({ faults: only("reordered") })
    pass(1_000)
    assert.isEmpty(received)
    state.isFaulty = false
    bank.pay(reference(1))
    pass(1_000)
    assert.deepStrictEqual(received.map(numberIn), [2, 1])
    pass(10 * 60_000)
    assert.lengthOf(received, 2)
  })

  it("comes before what it tells of", () => {
    const { bank, pass, psp, received } = paidOnce({ faults: only("early") })
    pass(300)
    assert.lengthOf(received, 1)
    assert.deepStrictEqual(valueOf(psp.findCharge(reference(1)))?.payments, [])
    pass(60_000)
    assert.lengthOf(valueOf(psp.findCharge(reference(1)))?.payments ?? [], 1)
    assert.lengthOf(moved(bank, "Deposit"), 1)
  })

  it("comes beside a forged one, which the bank's own seal tells from it", () => {
    const ways = new Set<string>()
    for (let seed = 1; seed <= 40; seed++) {
      const { bank, pass, psp, received } = paidOnce({ seed, faults: only("forged") })
      pass(300)
      const [forgery] = bank.book.forgeries
      ways.add(forgery?.how ?? "")
      const read = received.map((notification) =>
        Exit.isSuccess(Effect.runSyncExit(psp.readNotification(notification)))
      )
      assert.deepStrictEqual(read, [forgery?.mayBeTaken, true])
      assert.isTrue(forgery?.isTaken)
    }
    assert.strictEqual(ways.size, 5)
  })

  it("comes again while it is not taken, in the end until it is", () => {
    const { bank, end, inbox, pass, received } = paidOnce({})
    inbox.isTaking = false
    pass(24 * 3_600_000)
    assert.lengthOf(received, 5)
    assert.deepStrictEqual(bank.pending(), [`notice of Charge ${reference(1)}`])
    end(120_000)
    assert.isAbove(received.length, 6)
    // Once it is calm it never gives up: who sleeps for half a day finds it, and need not wait for it.
    pass(12 * 3_600_000)
    assert.isAbove(received.length, 12 * 60)
    inbox.isTaking = true
    pass(61_000)
    assert.deepStrictEqual(bank.pending(), [])
    const { length } = received
    pass(3_600_000)
    assert.lengthOf(received, length)
  })

  it("comes in the end about a payment that lands only then", () => {
    const { end, received } = paidOnce({
      faults: { ...only("dropped"), money: { "in flight": 1 } }
    })
    end()
    assert.lengthOf(received, 1)
  })

  it("comes once more in the end about a charge that was paid twice", () => {
    for (const tellsFurtherAgain of [true, false]) {
      const { bank, end, received } = paidOnce({ faults: only("dropped"), tellsFurtherAgain })
      bank.pay(reference(1))
      end()
      assert.lengthOf(received, tellsFurtherAgain ? 1 : 0)
    }
  })
})

const numberIn = ({ body }: RawNotification): unknown =>
  (JSON.parse(new TextDecoder().decode(body)) as { readonly number: unknown }).number

describe("a rough and lying bank", () => {
  const names = 12

  /** Somebody who asks a bank for everything there is, and hands that help. */
  const story = (seed: number, options: Partial<BankOptions> = {}) => {
    const test = aBank({ seed, faults: roughFaults, lies: true, ...options })
    const { bank, end, pass, psp, world } = test
    const chance = world.chance("story")
    for (let step = 1; step <= 120; step++) {
      const one = reference(1 + chance.below(names))
      const deposits = moved(bank, "Deposit")
      const acts = [
        () => came(psp.createCharge({ reference: one, amount, expiresInSeconds: 600 })),
        () => came(psp.findCharge(one)),
        () => came(psp.cancelCharge(one)),
        () => came(psp.sendPayout({ ...aPayout(1), reference: one })),
        () => came(psp.findPayout({ reference: one })),
        () => came(psp.findRefund({ reference: one, endToEndId: "" })),
        () =>
          came(
            psp.refund({
              reference: one,
              endToEndId: deposits.length === 0 ? "" : chance.pick(deposits).endToEndId,
              amount: 100n as Centavos,
              purpose: "automatic"
            })
          ),
        () => bank.pay(one),
        () => bank.settlePayout(one, chance.pick(["completed", "failed", "reversed"])),
        () => bank.settleRefund(one, chance.pick(["confirmed", "error"]))
      ]
      chance.pick(acts)()
      pass(chance.below(60_000))
    }
    end()
    return test
  }

  it("tells the truth in the end, and its book is that truth", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { bank, psp } = story(seed)
      const { book } = bank
      let cash = 0n
      for (const { _tag, amount } of book.movements)
        cash += _tag === "Deposit" || _tag === "Reversal" ? amount : -amount
      assert.strictEqual(book.cash(), cash)
      assert.deepStrictEqual(bank.pending(), [])
      const of = (tag: string, name: string) =>
        moved(bank, tag).filter((movement) => movement.reference === name)
      for (let number = 1; number <= names; number++) {
        const name = reference(number)
        const charge = valueOf(psp.findCharge(name))
        assert.lengthOf(of("Deposit", name), charge?.payments.length ?? 0)
        const payout = valueOf(psp.findPayout({ reference: name }))
        const isPaid = payout?.status === "completed" || payout?.status === "reversed"
        assert.lengthOf(of("Payout", name), isPaid ? 1 : 0)
        assert.lengthOf(of("Reversal", name), payout?.status === "reversed" ? 1 : 0)
        const isConfirmed =
          valueOf(psp.findRefund({ reference: name, endToEndId: "" }))?.status === "confirmed"
        assert.lengthOf(of("Return", name), isConfirmed ? 1 : 0)
      }
    }
  })

  it("does the same again under the same seed", () => {
    const { notes } = story(7)
    assert.isAbove(notes.length, 60)
    assert.deepStrictEqual(story(7).notes, notes)
    assert.notDeepEqual(story(8).notes, notes)
  })

  it("meets every fault and tells every lie, with what may follow from it", () => {
    const cells = new Set<string>()
    for (let seed = 1; seed <= 300; seed++) {
      const test = story(seed)
      for (const cell of test.cells) cells.add(cell)
      for (const { fault, lie, references } of test.bank.book.untruths) {
        assert.isNotEmpty(references)
        assert.strictEqual(fault === "lie", lie !== undefined)
      }
    }
    const all = [
      ...bankMethods.flatMap((method) =>
        callFaults
          .filter((fault) => canMeet(method, fault))
          .map((fault) => `fault: bank ${fault} of ${method}`)
      ),
      ...noticeFaults.map((fault) => `fault: bank notice ${fault}`),
      ...moneyFaults.map((fault) => `fault: bank ${fault}`),
      ...Object.keys(lieReasons).map((name) => `lie: ${name}`)
    ]
    assert.deepStrictEqual(
      all.filter((cell) => !cells.has(cell)),
      []
    )
  })

  it("moves nothing of what it calls completed and was not, and another amount where it says so", () => {
    for (let seed = 1; seed <= 100; seed++) {
      const { bank } = story(seed)
      for (const { lie, method, references } of bank.book.untruths) {
        const tag = method.endsWith("Payout") ? "Payout" : "Return"
        const amounts = moved(bank, tag)
          .filter((movement) => movement.reference === references[0])
          .map((movement) => movement.amount)
        if (lie === "completed, and was not") assert.isEmpty(amounts)
        if (lie === "moved another amount") assert.notInclude(amounts, amount)
      }
    }
  })

  it("keeps to its promises where it does not lie", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { bank } = story(seed, { lies: false })
      assert.isEmpty(bank.book.untruths.filter(({ fault }) => fault === "lie"))
    }
  })

  it("never gives back more than was paid, idempotent or not", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { bank } = story(seed, { capabilities: { idempotentByReference: false } })
      const sums = new Map<string, bigint>()
      for (const movement of moved(bank, "Return")) {
        const { amount, endToEndId } = movement
        sums.set(endToEndId, (sums.get(endToEndId) ?? 0n) + amount)
      }
      for (const sum of sums.values()) assert.isTrue(sum <= amount)
    }
  })
})
