import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Exit } from "effect"
import { Engine, NeverEnds } from "./Engine.ts"
import { MachineClock } from "./MachineClock.ts"
import { MachineProcess } from "./MachineProcess.ts"

const random = { nextDoubleUnsafe: () => 0.5, nextIntUnsafe: () => 1 }

const world = (seed: number) => {
  const engine = new Engine(seed)
  const machine = (name: string, offset = 0, drift = 0) => {
    const clock = new MachineClock(engine.now, (millis, what) => engine.at(millis, what), {
      offset,
      drift
    })
    const process = new MachineProcess(name, clock, random, { stepsAtOnce: 64, unfairness: 0.5 })
    engine.add(process)
    return { clock, process }
  }
  return { engine, machine }
}

/** An answer from outside after so long. */
const asking = (engine: Engine, process: MachineProcess, millis: number) =>
  process.exchange<number>((reply) => engine.after(millis, () => reply(millis)))

describe("a process of a simulation", () => {
  it("waits by its own clock, and no time of the platform goes by", async () => {
    const { engine, machine } = world(1)
    const { process } = machine("one", 5_000, 1)
    let slept: number | undefined
    const begun = engine.now()
    process.begin(
      Effect.gen(function* () {
        const before = yield* Clock.currentTimeMillis
        yield* Effect.sleep(Duration.hours(2))
        return (yield* Clock.currentTimeMillis) - before
      }),
      Context.empty(),
      (exit) => {
        if (exit !== undefined && Exit.isSuccess(exit)) slept = exit.value
      }
    )
    await engine.run(() => slept !== undefined)
    assert.strictEqual(slept, Duration.toMillis("2 hours"))
    // Its clock goes twice as fast.
    assert.strictEqual(engine.now() - begun, Duration.toMillis("1 hour"))
  })

  it("does nothing any more from its death on, wherever that meets it", async () => {
    for (const side of ["before", "after"] as const) {
      const { engine, machine } = world(2)
      const { process } = machine("mortal")
      const done: Array<number> = []
      const asked: Array<number> = []
      let end: unknown = "none yet"
      process.befallAtCall({ calls: 2, kind: "any", side, by: () => process.die() })
      process.begin(
        Effect.forEach([1, 2, 3, 4], (nth) =>
          Effect.andThen(
            process.exchange<void>((reply) => {
              asked.push(nth)
              reply()
            }),
            Effect.sync(() => void done.push(nth))
          )
        ),
        Context.empty(),
        (exit) => {
          end = exit
        }
      )
      await engine.run(() => end !== "none yet")
      assert.strictEqual(end, undefined)
      assert.deepStrictEqual(done, [1, 2])
      assert.deepStrictEqual(asked, side === "before" ? [1, 2] : [1, 2, 3])
    }
  })

  it("stands still while others go on, and finds what came meanwhile", async () => {
    const { engine, machine } = world(3)
    const { process: still } = machine("still")
    const { process: other } = machine("other")
    const ends: Array<string> = []
    for (const process of [still, other])
      process.begin(asking(engine, process, 10), Context.empty(), () => {
        ends.push(`${process.name} ${engine.now()}`)
      })
    const begun = engine.now()
    engine.after(5, () => still.pause())
    engine.after(500, () => still.resume())
    await engine.run(() => ends.length === 2)
    assert.deepStrictEqual(ends, [`other ${begun + 10}`, `still ${begun + 500}`])
  })

  it("that goes round in a circle is found out", async () => {
    const { engine, machine } = world(4)
    machine("busy").process.begin(Effect.forever(Effect.yieldNow), Context.empty(), () => undefined)
    const ended = await engine
      .run(() => false)
      .then(
        () => "ended",
        (error: unknown) => error
      )
    assert.instanceOf(ended, NeverEnds)
  })

  it("takes turns as the seed has it, the same again for the same seed", async () => {
    const orderOf = async (seed: number) => {
      const { engine, machine } = world(seed)
      const order: Array<string> = []
      for (const name of ["a", "b", "c"])
        machine(name).process.begin(
          Effect.forEach([1, 2, 3], (nth) =>
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => void order.push(`${name}${nth}`))
            )
          ),
          Context.empty(),
          () => undefined
        )
      await engine.run(() => order.length === 9)
      return order.join(" ")
    }
    assert.strictEqual(await orderOf(5), await orderOf(5))
    const orders = new Set<string>()
    for (let seed = 0; seed < 20; seed++) orders.add(await orderOf(seed))
    assert.isAbove(orders.size, 10)
  })
})
