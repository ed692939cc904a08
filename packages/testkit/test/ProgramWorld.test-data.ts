import { memory, Money, SandboxPsp, Workers } from "@pagora/core"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Chance } from "../src/fuzz/Chance.ts"
import { chanceOf } from "../src/fuzz/Chance.ts"
import { RecordingTransport } from "../src/RecordingTransport.ts"
import { Client } from "../src/simulation/programs/Client.ts"
import type { Answered, DoorAnswer, DoorRequest, Payers } from "../src/simulation/programs/Door.ts"
import type { Program } from "../src/simulation/programs/Operation.ts"
import type { ApiCaller } from "../src/simulation/SimulatedRequest.ts"
import type { World } from "../src/simulation/World.ts"
import type { Answer } from "../src/AnswerTypes.ts"
import { layerPagora, TestPagora } from "../src/TestPagora.ts"

const noon = Date.parse("2026-11-21T12:00:00.000Z")
const operatorKey = "operator-key-of-tests"

/** A world in which nothing goes wrong but what its test makes go wrong. */
class PlainWorld implements World {
  readonly cells = new Map<string, number>()
  private readonly seed: number
  private readonly due: Array<{ readonly at: number; readonly what: () => void }> = []
  private readonly chances = new Map<string, Chance>()
  private time = noon

  constructor(seed: number) {
    this.seed = seed
  }

  readonly now = (): number => this.time
  /** How often an answer is lost, of 1: half of the time with its request. */
  losses = 0
  readonly isFaulty = (): boolean => this.losses > 0
  readonly note = (): void => undefined

  readonly after: World["after"] = (delay, what) => {
    const at = this.time + Number(delay)
    const place = this.due.findIndex((other) => other.at > at)
    this.due.splice(place < 0 ? this.due.length : place, 0, { at, what })
  }

  readonly reached = (cell: string): void => {
    this.cells.set(cell, (this.cells.get(cell) ?? 0) + 1)
  }

  readonly chance = (purpose: string): Chance => {
    const known = this.chances.get(purpose)
    if (known !== undefined) return known
    const made = chanceOf(this.seed, 1 + this.chances.size)
    this.chances.set(purpose, made)
    return made
  }

  /** Goes on to the next instant at which something is due, and does all of it; false where nothing is. */
  step(): boolean {
    const [next] = this.due
    if (next === undefined) return false
    this.time = next.at
    while (this.due[0]?.at === this.time) this.due.shift()?.what()
    return true
  }

  pass(millis: number): void {
    this.time += millis
  }
}

const shownBy = (answer: Answer): DoorAnswer => ({
  status: answer.status,
  headers: (name) => answer.headers.get(name) ?? undefined,
  text: answer.text,
  json: answer.text === "" ? undefined : answer.json
})

/** Things that are done side by side in the service, as they were asked for outside. */
type Acts = Array<Effect.Effect<void>>

/** The hands of payers at the simulated PSP. What has ended there is remembered, for whoever looks it up. */
const payersAt = (psp: SandboxPsp["Service"], acts: Acts): Payers => {
  const ended = new Map<string, "completed" | "failed">()
  const act = (effect: Effect.Effect<unknown, unknown>) => void acts.push(Effect.ignore(effect))
  return {
    pay: (reference, { amount, document, times }) =>
      act(
        psp.pay(reference, {
          ...(amount === undefined ? {} : { amount: Money.Centavos.make(BigInt(amount)) }),
          ...(document === undefined ? {} : { payerDocument: document }),
          ...(times === undefined ? {} : { times })
        })
      ),
    settlePayout: (reference, outcome) => {
      const _tag = outcome === "rejected" ? "failed" : outcome
      const settled = psp.settlePayout(reference, { _tag })
      act(Effect.tap(settled, () => Effect.sync(() => ended.set(reference, "completed"))))
    },
    settleRefund: (reference, outcome) =>
      act(psp.settleRefund(reference, outcome === "rejected" ? "error" : outcome)),
    found: (reference) => ended.get(reference)
  }
}

const drainEvery = 1_500

/**
 * Does a program with a service over memory to which nothing happens, while so many of the answers are lost, and holds it
 * against what was told.
 */
export const run = (program: Program, seed: number, losses = 0) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const pagora = yield* TestPagora
    const psp = yield* SandboxPsp
    const workers = yield* Workers
    const world = new PlainWorld(seed)
    world.losses = losses
    const acts: Acts = []
    const drain = Effect.gen(function* () {
      while ((yield* workers.drain) > 0);
    }).pipe(Effect.orDie)

    const call = (
      api: ApiCaller,
      { body, headers, method, path }: DoorRequest,
      answered: (answer: Answered) => void
    ) =>
      Effect.flatMap(
        (api === "tenant" ? pagora.api : pagora.operator)(method, path, { headers, body }),
        (answer) => Effect.sync(() => answered(shownBy(answer)))
      )
    const client = new Client({
      world,
      payers: payersAt(psp, acts),
      door: {
        call: (_, api, request, answered) => {
          const fate = world.chance("door")
          if (!fate.happens(world.losses)) acts.push(call(api, request, answered))
          else if (fate.happens(0.5)) acts.push(Effect.sync(() => answered("lost")))
          else acts.push(call(api, request, () => answered("lost")))
        }
      },
      program,
      processes: 3,
      operatorKey
    })

    /** What was asked for in one turn is done side by side. */
    const settle = Effect.gen(function* () {
      while (acts.length > 0)
        yield* Effect.forEach(acts.splice(0), (act) => act, {
          concurrency: "unbounded",
          discard: true
        })
    })
    const until = Effect.fnUntraced(function* (begin: (end: () => void) => void) {
      let isOver = false
      begin(() => {
        isOver = true
      })
      yield* settle
      let drained = world.now()
      while (!isOver) {
        assert(world.step(), "Nothing is due, and somebody waits.")
        yield* TestClock.setTime(world.now())
        yield* settle
        if (world.now() - drained < drainEvery) continue
        drained = world.now()
        yield* drain
      }
    })

    yield* until((end) => client.start(end))
    world.losses = 0
    for (const millis of [1_000, 120_000, 7_200_000]) {
      world.pass(millis)
      yield* TestClock.setTime(world.now())
      yield* Effect.orDie(psp.settleDue)
      yield* drain
    }
    yield* until((end) => client.conclude(end))
    let violations: ReadonlyArray<string> = []
    yield* until((end) =>
      client.judge((found) => {
        violations = found
        end()
      })
    )
    return { violations, cells: world.cells, client }
  }).pipe(
    Effect.provide(
      Layer.unwrap(
        Effect.gen(function* () {
          yield* TestClock.setTime(noon)
          const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
          return layerPagora(Layer.fresh(memory()), Layer.succeedContext(transport))
        })
      )
    )
  )

function assert(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new Error(otherwise)
}
