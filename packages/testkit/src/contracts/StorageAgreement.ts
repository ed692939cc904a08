import { assert, layer } from "@effect/vitest"
import type { JobRef, Row, StorageDriverShape, Unit, Uuid, WalletId } from "@pagora/core"
import { completeAudit, Decision, Facts, GroupCommit, Storage, StorageDriver } from "@pagora/core"
import { DateTime, Duration, Effect, Exit, Layer } from "effect"
import type { AgreementWorld } from "./StorageAgreementWorld.ts"
import { aWorld, Dice, throwUnit } from "./StorageAgreementWorld.ts"
import { anEra, idsOf } from "./StorageJobs.ts"
import { ledgerRules } from "./StorageAuditReturnLaws.ts"
import { assertSame, at, byId, commit, eventOf, exits, newId, rowOf, times } from "./StorageLaws.ts"

/**
 * Sends random units, many at once, to a storage and to a model that decides them one by one by the rules of
 * the write door, and compares every answer and all that is left. One seed is one test, and makes the same
 * units again; run a failing one alone to look at it.
 */
export const storageAgreement = <E>(
  name: string,
  driver: Layer.Layer<StorageDriver, E>,
  options: {
    readonly seeds: ReadonlyArray<number>
    /** How many groups of up to 16 units each seed sends. Default 60. */
    readonly groups?: number
    readonly startsIn?: Duration.Input
    readonly seedMillis?: number
  }
): void => {
  const storage = Storage.layer().pipe(Layer.provideMerge(driver))
  const timeout = options.startsIn ?? "60 seconds"
  layer(storage, { excludeTestServices: true, timeout })(`Storage agreement: ${name}`, (it) => {
    for (const seed of options.seeds) {
      it.effect(
        `seed ${seed} ends as the model says`,
        () => agree(seed, options.groups ?? 60),
        options.seedMillis ?? 60_000
      )
    }
  })
}

/** What the rules of the write door say is stored. */
interface Model {
  readonly facts: Facts.Facts
  readonly rows: Map<Uuid, Row & { readonly version: number }>
  readonly movedAt: Map<WalletId, DateTime.Utc>
  readonly jobs: Map<string, ModelJob>
  /** All units that were accepted. */
  readonly history: Array<Unit>
}

interface ModelJob extends JobRef {
  readonly due: DateTime.Utc
  readonly isHeld: boolean
}

const copyOf = (facts: Facts.Facts): Facts.Facts => ({
  rows: new Map(facts.rows),
  keys: new Set(facts.keys),
  idempotency: new Map(facts.idempotency),
  jobs: new Map(facts.jobs),
  events: new Set(facts.events),
  ledger: new Set(facts.ledger),
  attempts: new Set(facts.attempts),
  counters: new Map(facts.counters),
  wallets: new Map(facts.wallets)
})

/** Decides every unit of a group by itself; what a storage may do in one step changes nothing. */
const modelDriver = (model: Model, driver: StorageDriverShape): StorageDriverShape => ({
  ...driver,
  facts: () => Effect.sync(() => copyOf(model.facts)),
  write: ({ units }) =>
    Effect.sync(() => {
      const refused = Decision.decideAll(copyOf(model.facts), units).some(
        (refusal) => refusal !== undefined
      )
      if (refused) return { expectation: "a rule" }
      Decision.decideAll(model.facts, units)
      for (const unit of units) record(model, unit)
      return null
    })
})

const record = (model: Model, unit: Unit): void => {
  model.history.push(unit)
  for (const row of unit.inserts ?? []) model.rows.set(row.id, { ...row, version: 1 })
  for (const { expected, row } of unit.updates ?? []) {
    model.rows.set(row.id, { ...row, version: expected + 1 })
  }
  for (const wallet of [...(unit.opens ?? []), ...Decision.walletChanges(unit).keys()]) {
    const before = model.movedAt.get(wallet)
    model.movedAt.set(wallet, before === undefined ? unit.at : DateTime.max(before, unit.at))
  }
  for (const job of unit.jobs ?? []) {
    const { id, queue } = job
    if (job._tag === "Schedule" || job._tag === "Retry") {
      model.jobs.set(Facts.jobName(job), { id, queue, due: job.due, isHeld: false })
    } else model.jobs.delete(Facts.jobName(job))
  }
}

const agree = Effect.fnUntraced(function* (seed: number, groups: number) {
  const driver = yield* StorageDriver
  const storage = yield* Storage
  const dice = new Dice(seed)
  const world = aWorld(anEra())
  const model: Model = {
    facts: Facts.emptyFacts(),
    rows: new Map(),
    movedAt: new Map(),
    jobs: new Map(),
    history: []
  }
  const oracle = yield* GroupCommit.groupCommit(modelDriver(model, driver))
  yield* Effect.addFinalizer(() =>
    Effect.forEach(world.jobs, (job) =>
      Effect.ignore(commit({ jobs: [{ _tag: "Cancel", ...job }] }))
    )
  )
  const seen = { done: 0, refused: 0 }
  for (let group = 0; group < groups; group++) {
    const units =
      group === 0
        ? beginningOf(world)
        : times(1 + dice.roll(16), () => throwUnit(dice, world, model.facts, group))
    // After a unit that is surely written, both write the next group at once and hope; else they ask first.
    if (dice.chance(60)) {
      const calm: Unit = { id: newId(), at: at(group), inserts: [rowOf()] }
      yield* oracle(calm)
      yield* storage.commit(calm)
    }
    const expected = yield* exits(units.map((unit) => oracle(unit)))
    const answers = yield* exits(units.map((unit) => storage.commit(unit)))
    const place = `seed ${seed}, group ${group}`
    assertSame(answers, expected, place)
    seen.done += answers.filter(Exit.isSuccess).length
    seen.refused += answers.filter(Exit.isFailure).length
    if (dice.chance(40)) yield* claimBoth(model, world, { dice, place })
  }
  assert.isAbove(seen.done, groups, `seed ${seed} wrote too little`)
  assert.isAbove(seen.refused, groups / 2, `seed ${seed} was refused too little`)
  yield* compare(model, world, `seed ${seed}, at the end`)
})

/** Most wallets, some rows and the deliveries are there from the start. */
const beginningOf = (world: AgreementWorld): ReadonlyArray<Unit> => [
  { id: newId(), at: at(0), opens: world.wallets.slice(1) },
  { id: newId(), at: at(0), inserts: world.rows.slice(2) },
  {
    id: newId(),
    at: at(0),
    events: [
      { event: eventOf(), deliveries: world.deliveries.map((id) => ({ id, endpoint: newId() })) }
    ]
  }
]

/** Claims what is due from both; every other lease is over at once, before its job is done. */
const claimBoth = Effect.fnUntraced(function* (
  model: Model,
  world: AgreementWorld,
  now: { readonly dice: Dice; readonly place: string }
) {
  const storage = yield* Storage
  const [due, isHeld, token] = [world.due(now.dice.roll(9)), now.dice.chance(50), newId<never>()]
  const lease = isHeld ? Duration.hours(1) : Duration.zero
  const request = { queue: "inbox", now: due, lease, max: 99, perGroup: 99, token } as const
  const claimed = yield* storage.claim(request)
  const free = [...model.jobs.values()].filter(
    (job) => DateTime.isLessThanOrEqualTo(job.due, due) && !job.isHeld
  )
  const inOrder = byId(free).toSorted((one, other) => DateTime.Order(one.due, other.due))
  assert.deepStrictEqual(idsOf(claimed), idsOf(inOrder), now.place)
  for (const job of free) {
    model.jobs.set(Facts.jobName(job), { ...job, isHeld })
    model.facts.jobs.set(Facts.jobName(job), token)
  }
})

const compare = Effect.fnUntraced(function* (model: Model, world: AgreementWorld, place: string) {
  const driver = yield* StorageDriver
  const { history } = model
  const all: Unit = { id: newId(), at: at(0), empty: world.wallets, inserts: world.rows }
  const facts = yield* driver.facts(Facts.factKeys([...history, all]))
  assert.deepStrictEqual(sorted(facts), sorted(model.facts), place)

  const ids = [...new Set([...model.rows.keys(), ...world.rows.map(({ id }) => id)])]
  const rows = [...(yield* driver.rows("operation", ids)), ...(yield* driver.rows("registry", ids))]
  assertSame(byId(rows), byId([...model.rows.values()]), place)

  const wallets = yield* driver.wallets(world.wallets)
  assertSame(
    byId(wallets).map(({ id, updatedAt }) => ({ id, updatedAt })),
    byId([...model.movedAt].map(([id, updatedAt]) => ({ id, updatedAt }))),
    place
  )

  const txs = history.flatMap((unit) => unit.ledger ?? [])
  assertSame(byId(yield* driver.ledgerTxs(txs.map(({ id }) => id))), byId(txs), place)

  const attempts = history.flatMap((unit) => unit.attempts ?? [])
  for (const delivery of world.deliveries) {
    const own = attempts.filter((attempt) => attempt.delivery === delivery)
    const inOrder = own.toSorted((one, other) => one.number - other.number)
    assertSame(yield* driver.attempts([delivery]), inOrder, place)
    const [stored] = yield* driver.deliveries({ ids: [delivery] })
    assert.strictEqual(stored?.attempts, own.length, place)
  }
  // The model's units are sound by the rules of the write door; what they mean is nobody's entity.
  const { violations } = yield* completeAudit(driver)
  assertSame(
    violations.filter(({ rule }) => ledgerRules.includes(rule)),
    [],
    place
  )
})

/** Maps and sets compare in the order they were filled, which is nobody's promise. */
const sorted = (facts: Facts.Facts) =>
  Object.fromEntries(
    Object.entries(facts).map(([name, members]) => [
      name,
      [...(members as Iterable<unknown>)].map((member) => JSON.stringify(member, exact)).toSorted()
    ])
  )

const exact = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? value.toString() : value
