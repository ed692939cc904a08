import { Effect, Layer } from "effect"
import type { RoutingTable } from "../accounts/RoutingTable.ts"
import { endpointsFor, tableIdOf } from "../accounts/RoutingTable.ts"
import type { WalletId } from "../kernel/Ids.ts"
import { Ids } from "../time/Ids.ts"
import type { Versioned } from "../units/Kind.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { EventRow, Expectation, NewUnit } from "../units/Unit.ts"
import { deliverTo } from "./Publisher.ts"
import type { Tables } from "./RoutingTables.ts"
import { makeRoutingTables } from "./RoutingTables.ts"

type Commit = Storage["Service"]["commit"]

/** Wallets whose tables a process remembers: those that were asked for last. */
const rememberedMax = 10_000

/**
 * Stands before the storage, and gives each event its deliveries: to the endpoints that its wallet has when it is
 * written. An event that brings deliveries goes to those only. Slices decide events and know no endpoint, so that
 * they need not decide anew when one changes (decision 0073).
 */
export const storage: Layer.Layer<Storage, never, Storage | Ids | ServiceTime> = Layer.effect(
  Storage,
  Effect.gen(function* () {
    const storage = yield* Storage
    const ids = yield* Ids
    const read = yield* makeRoutingTables
    const remembered = new Map<WalletId, Tables>()

    const remember = (wallet: WalletId, tables: Tables) => {
      remembered.delete(wallet)
      const [oldest] = remembered.size < rememberedMax ? [] : remembered.keys()
      if (oldest !== undefined) remembered.delete(oldest)
      remembered.set(wallet, tables)
    }

    const readNow = ({ account, wallet }: EventRow) =>
      Effect.tap(read(account, wallet), (tables) => Effect.sync(() => remember(wallet, tables)))
    const known = (event: EventRow) => {
      const tables = remembered.get(event.wallet)
      if (tables === undefined) return readNow(event)
      remember(event.wallet, tables)
      return Effect.succeed(tables)
    }

    const routed = Effect.fnUntraced(function* (unit: NewUnit, tablesOf: typeof readNow) {
      const rests: Array<Expectation> = []
      const publications = yield* Effect.forEach(unit.events ?? [], (published) =>
        Effect.gen(function* () {
          const { deliveries, event } = published
          if (deliveries.length > 0) return { events: [published], jobs: [] }
          const { main, own } = yield* tablesOf(event)
          // Of a wallet that has endpoints those of the main account do not matter.
          const rested = own === main || own.value.routes.length > 0 ? [own] : [own, main]
          rests.push(...rested.map(expectationOf))
          const endpoints = endpointsFor(own.value, main.value, event.type)
          return yield* deliverTo(ids, event, endpoints)
        })
      )
      const next: NewUnit = {
        ...unit,
        events: publications.flatMap(({ events }) => events),
        jobs: [...(unit.jobs ?? []), ...publications.flatMap(({ jobs }) => jobs)]
      }
      return { next, rests }
    })

    const isRested = (rests: ReadonlyArray<Expectation>, id: string) =>
      rests.some((rest) => rest.id === id)

    const commit: Commit = (unit) =>
      (unit.events ?? []).every(({ deliveries }) => deliveries.length > 0)
        ? storage.commit(unit)
        : Effect.gen(function* () {
            const { next, rests } = yield* routed(unit, known)
            const resting = { ...next, expects: [...(unit.expects ?? []), ...rests] }
            yield* storage
              .commit(resting)
              .pipe(
                Effect.catchTag("StaleVersion", (stale) =>
                  isRested(rests, stale.id) ? commitAnew(unit) : Effect.fail(stale)
                )
              )
          })

    // What is read now shows every endpoint that was acknowledged before this commit was asked for, and no more is
    // promised: so this write rests on no table, and whoever changes endpoints without end holds up nobody's money.
    const commitAnew = (unit: NewUnit): ReturnType<Commit> =>
      Effect.gen(function* () {
        const { next } = yield* routed(unit, readNow)
        yield* storage.commit(next)
      })

    return Storage.of({ ...storage, commit })
  })
)

const expectationOf = ({ value, version }: Versioned<RoutingTable>): Expectation => ({
  table: "registry",
  id: tableIdOf(value.wallet),
  version
})
