import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Random, Schema } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { SandboxFault } from "./SandboxFault.ts"
import type { Process } from "./SandboxWorld.test-data.ts"
import {
  about,
  anInbox,
  answered,
  aSandbox,
  begun,
  centavos,
  open,
  reference,
  seen
} from "./SandboxWorld.test-data.ts"

/** One fault, and no other. */
const only = (process: Process, fault: SandboxFault) => process.setFaults([fault])

const tags = (outcomes: ReadonlyArray<{ readonly _tag: string }>) =>
  outcomes.map((outcome) => outcome._tag)

const endToEndIds = (payments: ReadonlyArray<{ readonly endToEndId: string }>) =>
  payments.map((payment) => payment.endToEndId)

describe("faults of a call", () => {
  it.effect("dropRequest does nothing and leaves the outcome unknown", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* only(process, { operation: "createCharge", kind: "dropRequest" })
      assert.strictEqual((yield* open(process))._tag, "Unknown")
      assert.isUndefined(yield* answered(process.psp.findCharge(reference(1))))
    })
  )

  it.effect("dropAnswer and errorAfterDoing do it and leave the outcome unknown", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      for (const [number, kind] of [
        [1, "dropAnswer"],
        [2, "errorAfterDoing"]
      ] as const) {
        yield* only(process, { operation: "createCharge", kind })
        const outcome = yield* open(process, number)
        const detail = outcome._tag === "Unknown" ? outcome.detail : outcome._tag
        assert.match(detail, kind === "dropAnswer" ? /lost/ : /500/)
        yield* only(process, { operation: "cancelCharge", kind })
        assert.strictEqual((yield* process.psp.cancelCharge(reference(number)))._tag, "Unknown")
        assert.strictEqual((yield* seen(process, number)).status, "removed")
      }
    })
  )

  it.effect("delay does it at once and answers late on the real clock", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* only(process, { operation: "createCharge", kind: "delay", delaySeconds: 3 })
      const opening = yield* begun(open(process))
      yield* TestClock.adjust("2999 millis")
      assert.isUndefined(opening.pollUnsafe())
      assert.strictEqual((yield* seen(process)).status, "active")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(opening))._tag, "Done")
    })
  )

  it.effect("a caller who gives up during a delay finds it done", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* only(process, { operation: "createCharge", kind: "delay", delaySeconds: 60 })
      const opening = yield* begun(open(process))
      yield* TestClock.adjust("15 seconds")
      yield* Fiber.interrupt(opening)
      assert.strictEqual((yield* seen(process)).status, "active")
    })
  )

  it.effect("lie makes a create answer another amount, and the book stays true", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* only(process, { operation: "createCharge", kind: "lie" })
      const charge = yield* answered(open(process))
      assert.strictEqual(charge.amount, centavos(1001n))
      assert.strictEqual((yield* seen(process)).amount, centavos(1000n))
    })
  )

  it.effect("lie makes a find say of a paid charge that nobody paid", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* open(process)
      yield* only(process, { operation: "findCharge", kind: "lie", times: 1 })
      yield* seen(process)
      assert.deepStrictEqual(yield* process.faults, [
        { operation: "findCharge", kind: "lie", times: 1 }
      ])
      const payments = yield* process.pay(reference(1))
      const lie = yield* seen(process)
      assert.strictEqual(lie.status, "active")
      assert.deepStrictEqual(lie.payments, [])
      assert.deepStrictEqual((yield* seen(process)).payments, payments)
    })
  )

  it.effect("strike at every operation unless one is named", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const inbox = anInbox()
      yield* process.attach(inbox.receive)
      yield* open(process)
      yield* process.setFaults([{ kind: "dropRequest" }])
      assert.deepStrictEqual(
        tags([
          yield* open(process, 2),
          yield* process.psp.findCharge(reference(1)),
          yield* process.psp.cancelCharge(reference(1))
        ]),
        ["Unknown", "Unknown", "Unknown"]
      )
      yield* process.pay(reference(1))
      assert.strictEqual(inbox.received.length, 0)
      yield* process.setFaults([])
      assert.strictEqual((yield* seen(process)).status, "paid")
    })
  )

  it.effect("together spoil one call together", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* process.setFaults([{ kind: "dropAnswer" }, { kind: "delay", delaySeconds: 2 }])
      const opening = yield* begun(open(process))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(opening.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(opening))._tag, "Unknown")
    })
  )
})

describe("how often faults strike", () => {
  it.effect("times counts down, reads back, and ends at nothing", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      yield* process.setFaults([
        { operation: "createCharge", kind: "dropRequest", times: 2 },
        { operation: "findCharge", kind: "dropAnswer", probability: 0 }
      ])
      const outcomes = [yield* open(process)]
      const [left] = yield* process.faults
      assert.strictEqual(left?.times, 1)
      outcomes.push(yield* open(process), yield* open(process))
      assert.deepStrictEqual(tags(outcomes), ["Unknown", "Unknown", "Done"])
      assert.deepStrictEqual(yield* process.faults, [
        { operation: "createCharge", kind: "dropRequest", times: 0 },
        { operation: "findCharge", kind: "dropAnswer", probability: 0 }
      ])
    })
  )

  it.effect("what is read back can be set again", () =>
    Effect.gen(function* () {
      const process = yield* aSandbox
      const faults: ReadonlyArray<SandboxFault> = [
        { kind: "delay", probability: 0.5, times: 3, delaySeconds: 0.25 },
        { operation: "notify", kind: "duplicate" }
      ]
      yield* process.setFaults(faults)
      const read = yield* process.faults
      assert.deepStrictEqual(read, faults)
      assert.deepStrictEqual(Schema.decodeUnknownSync(Schema.Array(SandboxFault))(read), faults)
    })
  )

  it.effect("one seed strikes alike again, about as often as the probability says", () =>
    Effect.gen(function* () {
      const story = Effect.gen(function* () {
        const process = yield* aSandbox
        yield* process.setFaults([{ kind: "dropRequest", probability: 0.25 }])
        return tags(yield* Effect.forEach(Array(200).keys(), (number) => open(process, number)))
      }).pipe(Random.withSeed("a quarter"))
      const outcomes = yield* story
      const lost = outcomes.filter((tag) => tag === "Unknown").length
      assert.isTrue(lost > 30 && lost < 70, `${lost} of 200`)
      assert.deepStrictEqual(yield* story, outcomes)
    })
  )
})

describe("faults of a notification", () => {
  const start = Effect.gen(function* () {
    const process = yield* aSandbox
    const inbox = anInbox()
    yield* process.attach(inbox.receive)
    yield* open(process)
    return { process, inbox }
  })

  it.effect("dropRequest loses it, and it is sent again later", () =>
    Effect.gen(function* () {
      const { inbox, process } = yield* start
      yield* only(process, { operation: "notify", kind: "dropRequest", times: 1 })
      const payments = yield* process.pay(reference(1))
      assert.strictEqual(inbox.received.length, 0)
      yield* process.resend
      assert.deepStrictEqual(endToEndIds(inbox.told), endToEndIds(payments))
    })
  )

  it.effect("dropAnswer and errorAfterDoing deliver it, and again later, for nobody said yes", () =>
    Effect.gen(function* () {
      for (const kind of ["dropAnswer", "errorAfterDoing"] as const) {
        const { inbox, process } = yield* start
        yield* only(process, { operation: "notify", kind, times: 1 })
        yield* process.pay(reference(1))
        assert.strictEqual(inbox.received.length, 1)
        yield* process.resend
        yield* process.resend
        assert.strictEqual(inbox.received.length, 2)
      }
    })
  )

  it.effect("delay lets the payer go at once", () =>
    Effect.gen(function* () {
      const { inbox, process } = yield* start
      yield* only(process, { operation: "notify", kind: "delay", delaySeconds: 30 })
      yield* process.pay(reference(1))
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(inbox.received.length, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(inbox.received.length, 1)
    })
  )

  it.effect("duplicate sends it two or three times", () =>
    Effect.gen(function* () {
      const { inbox, process } = yield* start
      yield* only(process, { operation: "notify", kind: "duplicate" })
      const counts = new Set<number>()
      for (let number = 2; number < 22; number++) {
        yield* open(process, number)
        yield* process.pay(reference(number))
        counts.add(inbox.received.splice(0).length)
      }
      assert.deepStrictEqual([...counts].toSorted(), [2, 3])
    }).pipe(Random.withSeed("twice or thrice"))
  )

  it.effect("reorder sends the notice of the later payment first", () =>
    Effect.gen(function* () {
      const { inbox, process } = yield* start
      yield* open(process, 2)
      yield* only(process, { operation: "notify", kind: "reorder" })
      const first = yield* process.pay(reference(1))
      assert.strictEqual(inbox.received.length, 0)
      const second = yield* process.pay(reference(2))
      assert.deepStrictEqual(endToEndIds(inbox.told), endToEndIds([...second, ...first]))
      yield* TestClock.adjust("1 minute")
      yield* process.resend
      assert.strictEqual(inbox.received.length, 2)
    })
  )

  it.effect("reorder does not wait for ever for a later payment", () =>
    Effect.gen(function* () {
      const { inbox, process } = yield* start
      yield* only(process, { operation: "notify", kind: "reorder" })
      yield* process.pay(reference(1))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(inbox.received.length, 1)
    })
  )

  it.effect("reorder turns the notices of payments at once around", () =>
    Effect.gen(function* () {
      const { inbox, process } = yield* start
      yield* only(process, { operation: "notify", kind: "reorder", times: 1 })
      const [one, two, three] = endToEndIds(yield* process.pay(reference(1), { times: 3 }))
      assert.deepStrictEqual(endToEndIds(inbox.told), [two, one, three])
    })
  )

  it.effect("lie tells another amount, authentically, and only the reference is believed", () =>
    Effect.gen(function* () {
      const { inbox, process } = yield* start
      yield* only(process, { operation: "notify", kind: "lie" })
      yield* process.pay(reference(1))
      assert.deepStrictEqual(
        inbox.told.map((pix) => pix.valor),
        ["10.01"]
      )
      for (const notification of inbox.received) {
        assert.deepStrictEqual(about(yield* process.psp.readNotification(notification)), [
          { _tag: "Charge", reference: reference(1) }
        ])
      }
      assert.strictEqual((yield* seen(process)).payments[0]?.amount, centavos(1000n))
    })
  )
})
