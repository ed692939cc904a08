import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { givingWayAt, stepsMax } from "../kernel/GivingWay.test-data.ts"
import { PspCredentialId } from "../kernel/Ids.ts"
import type { PspOutcome } from "../ports/Psp.ts"
import { done } from "../ports/Psp.ts"
import { circuitLimits, makeCircuit } from "./PspCircuit.ts"

const id = PspCredentialId.make("00000000-0000-7000-8000-0000000000ba")
const answers = Effect.succeed(done("here"))
const silent: Effect.Effect<PspOutcome<string>> = Effect.never

const setUp = () => {
  const made = makeCircuit(id)
  let asked = 0
  const ask = (answer: Effect.Effect<PspOutcome<string>>) =>
    made.call(() => {
      asked++
      return answer
    })
  /** As callers do: they wait for 15 seconds. */
  const askInVain = Effect.gen(function* () {
    const call = yield* Effect.forkChild(Effect.timeoutOption(ask(silent), "15 seconds"))
    yield* TestClock.adjust("15 seconds")
    return yield* Fiber.join(call)
  })
  const open = Effect.forEach(Array.from({ length: circuitLimits.silencesMax }), () => askInVain)
  return { ...made, ask, askInVain, open, asked: () => asked }
}

describe("the circuit of a PSP", () => {
  it.effect("opens after five silences on end, and nobody asks while it is open", () =>
    Effect.gen(function* () {
      const { ask, askInVain, asked, circuit } = setUp()
      for (let silences = 0; silences < 4; silences++) yield* askInVain
      assert.strictEqual((yield* ask(answers))._tag, "Done")
      for (let silences = 0; silences < 4; silences++) yield* askInVain
      assert.isUndefined(yield* circuit.openFor)
      yield* askInVain
      assert.deepStrictEqual(yield* circuit.openFor, Duration.seconds(5))
      const before = asked()
      assert.strictEqual((yield* ask(answers))._tag, "NotSent")
      assert.strictEqual(asked(), before)
    })
  )

  it.effect("lets one probe through, which closes it, or opens it for twice as long", () =>
    Effect.gen(function* () {
      const { ask, askInVain, asked, circuit, open } = setUp()
      yield* open
      for (const seconds of [10, 20, 40, 60, 60]) {
        yield* TestClock.adjust("60 seconds")
        assert.isUndefined(yield* circuit.openFor)
        yield* askInVain
        assert.deepStrictEqual(yield* circuit.openFor, Duration.seconds(seconds))
      }
      yield* TestClock.adjust("60 seconds")
      const before = asked()
      const probe = yield* Effect.forkChild(ask(Effect.delay(answers, "2 seconds")))
      yield* Effect.yieldNow
      assert.strictEqual((yield* ask(answers))._tag, "NotSent")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(probe))._tag, "Done")
      assert.strictEqual(asked(), before + 1)
      assert.isUndefined(yield* circuit.openFor)
      // Closed means closed: it takes five again.
      yield* askInVain
      assert.isUndefined(yield* circuit.openFor)
    })
  )

  it.effect("a probe that its caller takes back decides nothing, and the next is one", () =>
    Effect.gen(function* () {
      const { ask, circuit, open } = setUp()
      yield* open
      yield* TestClock.adjust("5 seconds")
      const probe = yield* Effect.forkChild(ask(silent))
      yield* Effect.yieldNow
      assert.isDefined(yield* circuit.openFor)
      yield* Fiber.interrupt(probe)
      assert.isUndefined(yield* circuit.openFor)
      assert.strictEqual((yield* ask(answers))._tag, "Done")
    })
  )

  it.effect("a probe that is cut off at any step leaves the next one to others", () =>
    Effect.gen(function* () {
      for (let step = 1; step < stepsMax; step++) {
        const { ask, circuit, open } = setUp()
        yield* open
        yield* TestClock.adjust("5 seconds")
        const probe = yield* Effect.forkChild(givingWayAt(step)(ask(silent)), {
          startImmediately: true
        })
        yield* Fiber.interrupt(probe)
        assert.isUndefined(yield* circuit.openFor, `before step ${step}`)
        assert.strictEqual((yield* ask(answers))._tag, "Done")
      }
    })
  )

  it.effect("of two who come when it may be probed one does, wherever the first gives way", () =>
    Effect.gen(function* () {
      for (let step = 1; step < stepsMax; step++) {
        const { ask, asked, open } = setUp()
        yield* open
        yield* TestClock.adjust("5 seconds")
        const before = asked()
        const one = yield* Effect.forkChild(givingWayAt(step)(ask(silent)), {
          startImmediately: true
        })
        const other = yield* Effect.forkChild(ask(silent), { startImmediately: true })
        for (let turns = 0; turns < 3; turns++) yield* Effect.yieldNow
        assert.strictEqual(asked(), before + 1, `before step ${step}`)
        yield* Fiber.interruptAll([one, other])
      }
    })
  )

  it.effect("quick troubles do not open it: they hold nobody up", () =>
    Effect.gen(function* () {
      const { ask, circuit } = setUp()
      for (let troubles = 0; troubles < 50; troubles++) {
        yield* ask(Effect.succeed({ _tag: "Unknown", detail: "502" }))
        yield* ask(Effect.succeed({ _tag: "NotSent", detail: "refused" }))
        yield* Effect.exit(ask(Effect.die(new Error("broken"))))
      }
      assert.isUndefined(yield* circuit.openFor)
    })
  )

  it.effect("a slow trouble is silence, however its adapter words it", () =>
    Effect.gen(function* () {
      const { ask, circuit } = setUp()
      for (let troubles = 0; troubles < circuitLimits.silencesMax; troubles++) {
        const call = yield* Effect.forkChild(
          ask(Effect.delay(Effect.succeed({ _tag: "Unknown", detail: "time-out" }), "6 seconds"))
        )
        yield* TestClock.adjust("6 seconds")
        yield* Fiber.join(call)
      }
      assert.isDefined(yield* circuit.openFor)
    })
  )

  it.effect("gives a slot that is free again to whoever waits for one", () =>
    Effect.gen(function* () {
      const { circuit } = setUp()
      const told: Array<Duration.Duration> = []
      let ended = 0
      const job = circuit.admit(
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => void ended++)
        ),
        (wait) => Effect.sync(() => void told.push(wait))
      )
      yield* Effect.all(
        Array.from({ length: 8 * circuitLimits.jobsAtOnce }, () => job),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([ended, told], [8 * circuitLimits.jobsAtOnce, []])
    })
  )

  it.effect("has slots for so many jobs, and tells the others to come again", () =>
    Effect.gen(function* () {
      const { circuit } = setUp()
      const told: Array<Duration.Duration> = []
      const job = circuit.admit(Effect.never, (wait) =>
        Effect.sync(() => {
          told.push(wait)
        })
      )
      const running = yield* Effect.forEach(Array.from({ length: circuitLimits.jobsAtOnce }), () =>
        Effect.forkChild(job)
      )
      yield* Effect.yieldNow
      const waiting = yield* Effect.forkChild(job)
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(told, [])
      yield* TestClock.adjust("1 milli")
      assert.deepStrictEqual(told, [circuitLimits.slotWait])
      yield* Fiber.join(waiting)
      yield* Fiber.interruptAll(running)
      assert.strictEqual(
        yield* circuit.admit(Effect.succeed("in"), () => Effect.succeed("out")),
        "in"
      )
    })
  )

  it.effect("keeps some of its slots from jobs that nobody waits for", () =>
    Effect.gen(function* () {
      const { circuit } = setUp()
      const { jobsAtOnce, patientAtOnce, patientWait, slotWait } = circuitLimits
      const at = { patient: 0, others: 0, late: 0 }
      const late = () => Effect.sync(() => void at.late++)
      const admitted = (kind: "patient" | "others") =>
        circuit.admit(
          Effect.andThen(
            Effect.sync(() => void at[kind]++),
            Effect.never
          ),
          late,
          kind === "patient"
        )
      const many = (kind: "patient" | "others", count: number) =>
        Effect.forEach(Array.from({ length: count }), () => Effect.forkChild(admitted(kind)))
      const patient = yield* many("patient", 2 * jobsAtOnce)
      yield* many("others", jobsAtOnce - patientAtOnce)
      yield* Effect.yieldNow
      assert.deepStrictEqual(at, {
        patient: patientAtOnce,
        others: jobsAtOnce - patientAtOnce,
        late: 0
      })
      // Those that found none come again, and whoever has one leaves both of them.
      yield* TestClock.adjust(slotWait)
      assert.strictEqual(at.late, 0)
      yield* TestClock.adjust(Duration.subtract(patientWait, slotWait))
      assert.strictEqual(at.late, 2 * jobsAtOnce - patientAtOnce)
      yield* Fiber.interruptAll(patient)
      yield* many("patient", patientAtOnce)
      yield* Effect.yieldNow
      assert.strictEqual(at.patient, 2 * patientAtOnce)
    })
  )
})
