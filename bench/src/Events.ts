import type { Unit } from "@pagora/core"
import { LeaseToken } from "@pagora/core"
import { Console, DateTime, Duration, Effect } from "effect"
import type { SetUp } from "./Commits.ts"
import { prepare, setUp } from "./Commits.ts"
import type { Run } from "./Measure.ts"
import { drive, median, spread, table } from "./Measure.ts"
import { subscriptionsId } from "./World.ts"

const callers = 64
/** Of each kind in a round, done in slices that take turns: whatever else the machine does meets all kinds alike. */
const perRound = 3_000
const slice = 250

/** Nobody is told. */
const untold = (unit: Unit): Unit => ({
  ...unresting(unit),
  events: (unit.events ?? []).map(({ event }) => ({ event, deliveries: [] })),
  jobs: (unit.jobs ?? []).filter(({ _tag }) => _tag !== "Schedule")
})

/** It is told, and does not rest on the list of those who have subscribed. */
const unresting = (unit: Unit): Unit => ({
  ...unit,
  expects: (unit.expects ?? []).filter(({ id }) => id !== subscriptionsId)
})

/** As the service writes it: one endpoint, one subscriber. */
const asWritten = (unit: Unit): Unit => unit

const kinds = { untold, unresting, asWritten } as const
type Kind = keyof typeof kinds

/** Lets kinds of units take turns, slice by slice, and notes how fast each slice was. */
const takingTurns = Effect.fnUntraced(function* (
  { commits }: SetUp,
  sets: ReadonlyArray<readonly [name: string, units: ReadonlyArray<Unit>]>,
  note: (name: string, run: Run) => void
) {
  for (let from = 0; from < perRound; from += slice) {
    // Turned around every second time, so that no kind always comes first.
    const turn = (from / slice) % 2 === 0 ? sets : sets.toReversed()
    for (const [name, units] of turn) {
      note(name, yield* drive(units.slice(from, from + slice), callers, commits["group commit"]))
    }
  }
})

const settling = Effect.fnUntraced(function* (
  on: SetUp,
  wallets: number,
  note: (name: string, run: Run) => void
) {
  const names = Object.keys(kinds) as Array<Kind>
  const paid = yield* prepare(on, perRound * names.length, wallets)
  const sets = names.map((kind, rest) => {
    const own = paid.filter((_, index) => index % names.length === rest)
    return [`${kind} ${wallets}`, own.map(({ settlement }) => kinds[kind](settlement))] as const
  })
  yield* takingTurns(on, sets, note)
})

const lease = LeaseToken.make("00000000-0000-7000-8000-0000000000b3")

/** Records that deliveries were taken, as the dispatcher does, resting on their endpoint or not. */
const recording = Effect.fnUntraced(function* (on: SetUp, note: (name: string, run: Run) => void) {
  const now = yield* DateTime.now
  const claimed = yield* on.driver.claim([
    {
      queue: "webhook",
      now,
      lease: Duration.minutes(30),
      max: 2 * perRound,
      perGroup: 2 * perRound,
      token: lease
    }
  ])
  if (claimed.length !== 2 * perRound) return yield* Effect.die(new Error("A delivery is missing."))
  const units = claimed.map(({ group, id, queue }, index): Unit => ({
    id: id as never,
    at: now,
    attempts: [
      {
        delivery: id as never,
        number: 1,
        at: now,
        outcome: "answered",
        httpStatus: 200,
        durationMillis: 12,
        status: "delivered"
      }
    ],
    jobs: [{ _tag: "Finish", queue, id, token: lease }],
    expects: index % 2 === 0 ? [{ table: "registry", id: group, version: 1 }] : []
  }))
  const half = (rest: number) => units.filter((_, index) => index % 2 === rest)
  const sets = [["attempt true", half(0)] as const, ["attempt false", half(1)] as const]
  yield* takingTurns(on, sets, note)
})

/**
 * What events add to the settlement of a payment, and of that, what it costs that a settlement rests on the list of
 * subscriptions, and the record of a delivery on its endpoint.
 */
export const events = Effect.fnUntraced(function* (url: string, rounds: number) {
  const on = yield* setUp(url)
  const runs = new Map<string, Array<Run>>()
  const note = (name: string, run: Run) => runs.set(name, [...(runs.get(name) ?? []), run])
  for (let round = 0; round <= rounds; round++) {
    // The first round warms up.
    if (round === 1) runs.clear()
    for (const wallets of [1, 1_000]) yield* settling(on, wallets, note)
    yield* recording(on, note)
  }
  const rates = (name: string) => (runs.get(name) ?? []).map(({ perSecond }) => perSecond)
  const row = (title: string, slow: string, fast: string) => {
    const [left, right] = [rates(slow), rates(fast)]
    const ratios = left.map((rate, index) => rate / (right[index] ?? Number.NaN))
    return [title, median(left).toFixed(0), median(right).toFixed(0), spread(ratios, 2)]
  }
  yield* Console.log(
    `\nWhat events cost, at ${callers} callers\n${table([
      ["", "with/s", "without/s", "ratio"],
      row("settle, one hot wallet: being told of", "asWritten 1", "untold 1"),
      row("  of that, resting on the subscriptions", "asWritten 1", "unresting 1"),
      row("settle, 1000 wallets: being told of", "asWritten 1000", "untold 1000"),
      row("  of that, resting on the subscriptions", "asWritten 1000", "unresting 1000"),
      row("a delivery recorded: resting on its endpoint", "attempt true", "attempt false")
    ])}`
  )
})
