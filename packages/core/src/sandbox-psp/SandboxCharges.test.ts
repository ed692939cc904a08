import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"
import { StorageError } from "../units/Refused.ts"
import {
  about,
  aDriver,
  anInbox,
  answered,
  aProcess,
  centavos,
  open,
  reference,
  seen,
  signed
} from "./SandboxWorld.test-data.ts"

const endToEndIds = (payments: ReadonlyArray<{ readonly endToEndId: string }>) =>
  payments.map((payment) => payment.endToEndId)

describe("the books of the sandbox PSP after a restart", () => {
  it.effect("have every charge and payment", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const process = yield* aProcess(driver)
          yield* open(process, 1)
          yield* open(process, 2)
          yield* process.pay(reference(1))
          yield* process.psp.cancelCharge(reference(2))
          return [yield* seen(process, 1), yield* seen(process, 2)]
        })
      )
      const process = yield* aProcess(driver)
      assert.deepStrictEqual([yield* seen(process, 1), yield* seen(process, 2)], before)
      assert.deepStrictEqual(yield* answered(open(process, 1)), before[0])
    })
  )

  it.effect("send again what nobody had accepted, once a receiver is attached", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const first = anInbox()
      const waiting = yield* Effect.scoped(
        Effect.gen(function* () {
          const process = yield* aProcess(driver)
          for (const number of [1, 2, 3, 4]) yield* open(process, number)
          const nobody = yield* process.pay(reference(1))
          yield* process.attach(first.receive)
          yield* process.pay(reference(2))
          first.isAccepting = false
          const refused = yield* process.pay(reference(3), { times: 2 })
          // The process ends while this one still waits for its later one.
          yield* process.setFaults([{ kind: "reorder" }])
          const held = yield* process.pay(reference(4))
          return { nobody, later: [...refused, ...held] }
        })
      )
      assert.strictEqual(first.received.length, 4)
      assert.deepStrictEqual(endToEndIds(first.told.slice(0, 1)), endToEndIds(waiting.nobody))

      const second = anInbox()
      const process = yield* aProcess(driver)
      assert.strictEqual(second.received.length, 0)
      yield* process.attach(second.receive)
      assert.deepStrictEqual(endToEndIds(second.told), endToEndIds(waiting.later))
      yield* process.attach(second.receive)
      assert.strictEqual(second.received.length, 3)
    })
  )

  it.effect("send again however many they are", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const process = yield* aProcess(driver)
      for (let number = 0; number < 250; number++) {
        yield* open(process, number)
        yield* process.pay(reference(number))
      }
      const inbox = anInbox()
      yield* process.attach(inbox.receive)
      assert.strictEqual(new Set(endToEndIds(inbox.told)).size, 250)
      yield* process.resend
      assert.strictEqual(inbox.received.length, 250)
    })
  )

  it.effect("are without faults again", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const process = yield* aProcess(driver)
      yield* process.setFaults([{ kind: "dropRequest" }])
      const next = yield* aProcess(driver)
      assert.deepStrictEqual(yield* next.faults, [])
    })
  )
})

describe("two processes with the same books", () => {
  it.effect("see the charges of each other, and notify each to their own receiver", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const one = yield* aProcess(driver)
      const two = yield* aProcess(driver)
      const inbox = anInbox()
      yield* two.attach(inbox.receive)
      const charge = yield* answered(open(one))
      assert.deepStrictEqual(yield* seen(two), charge)
      const payments = yield* two.pay(reference(1))
      assert.deepStrictEqual((yield* seen(one)).payments, payments)
      assert.deepStrictEqual(
        about(yield* one.psp.readNotification(inbox.received[0] ?? signed(""))),
        [{ _tag: "Charge", reference: reference(1) }]
      )
    })
  )

  it.effect("make one charge of a reference that both create at once", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const processes = [yield* aProcess(driver), yield* aProcess(driver)]
      const charges = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) => answered(open(processes[index % 2] ?? processes[0]!, index >> 2)),
        { concurrency: "unbounded" }
      )
      for (const [index, charge] of charges.entries()) {
        assert.deepStrictEqual(charge, charges[index - (index % 4)])
      }
      assert.strictEqual(new Set(charges.map((charge) => charge.pspPaymentId)).size, 10)
    })
  )

  it.effect("lose no payment when everybody pays one charge at once", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const processes = [yield* aProcess(driver), yield* aProcess(driver)]
      const inbox = anInbox()
      for (const process of processes) yield* process.attach(inbox.receive)
      yield* open(processes[0]!)
      const paid = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => index),
        (index) => processes[index % 2]!.pay(reference(1), { amount: centavos(BigInt(index + 1)) }),
        { concurrency: "unbounded" }
      )
      const { payments } = yield* seen(processes[0]!)
      assert.strictEqual(new Set(endToEndIds(payments)).size, 30)
      assert.sameMembers(endToEndIds(payments), endToEndIds(paid.flat()))
      assert.sameMembers(endToEndIds(inbox.told), endToEndIds(payments))
      for (const process of processes) yield* process.resend
      assert.strictEqual(inbox.received.length, 30)
    })
  )

  it.effect("agree on whether a charge was removed or paid first", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const one = yield* aProcess(driver)
      const two = yield* aProcess(driver)
      for (let number = 0; number < 20; number++) {
        yield* open(one, number)
        const [cancelled] = yield* Effect.all(
          [answered(one.psp.cancelCharge(reference(number))), two.pay(reference(number))],
          { concurrency: "unbounded" }
        )
        const charge = yield* seen(two, number)
        assert.strictEqual(charge.status, cancelled.status)
        assert.strictEqual(charge.payments.length, 1)
      }
    })
  )

  it.effect("never give two payments one end-to-end id, even when both draw the same", () =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const one = yield* aProcess(driver)
      const two = yield* aProcess(driver)
      const story = (process: typeof one, number: number) =>
        Effect.gen(function* () {
          yield* open(process, number)
          return yield* process.pay(reference(number))
        }).pipe(Random.withSeed("the same dice"))
      const [first] = yield* story(one, 1)
      const [second] = yield* story(two, 2)
      assert.notStrictEqual(first?.endToEndId, second?.endToEndId)
    })
  )
})

describe("a sandbox PSP whose storage fails", () => {
  const failing = (reason: StorageError["reason"]) =>
    Effect.gen(function* () {
      const driver = yield* aDriver
      const fail = Effect.fail(new StorageError({ reason }))
      return yield* aProcess({
        ...driver,
        write: () => fail,
        facts: () => fail,
        look: () => fail,
        rows: () => fail,
        list: () => fail
      })
    })

  it.effect("was not reached when nothing was written", () =>
    Effect.gen(function* () {
      const process = yield* failing("Unavailable")
      assert.strictEqual((yield* open(process))._tag, "NotSent")
      assert.strictEqual((yield* process.psp.findCharge(reference(1)))._tag, "NotSent")
      assert.strictEqual((yield* process.psp.cancelCharge(reference(1)))._tag, "NotSent")
      assert.strictEqual((yield* Effect.flip(process.pay(reference(1))))._tag, "StorageError")
      const inbox = anInbox()
      assert.strictEqual((yield* Effect.flip(process.attach(inbox.receive)))._tag, "StorageError")
    })
  )

  it.effect(
    "leaves the outcome unknown when it may have been written, and when it breaks down",
    () =>
      Effect.gen(function* () {
        const driver = yield* aDriver
        const unknown = Effect.fail(new StorageError({ reason: "OutcomeUnknown" }))
        const lost = yield* aProcess({
          ...driver,
          write: () => unknown,
          resolveWrite: () => Effect.fail(new StorageError({ reason: "Unavailable" }))
        })
        const opening = yield* Effect.forkChild(open(lost), { startImmediately: true })
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* Fiber.join(opening))._tag, "Unknown")
        const broken = yield* aProcess({ ...driver, look: () => Effect.die("damaged") })
        assert.strictEqual((yield* broken.psp.findCharge(reference(1)))._tag, "Unknown")
      })
  )
})
