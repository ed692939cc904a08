import type { Uuid, WalletId } from "@pagora/core"
import { Storage } from "@pagora/core"
import { Effect } from "effect"
import type { StorageLaw } from "./StorageLaws.ts"
import { assertSame, commit, newId, newName, rowOf, times } from "./StorageLaws.ts"

type PositionQuery = Parameters<Storage["Service"]["positions"]>[0]

const positions = (query: PositionQuery) => Storage.use((storage) => storage.positions(query))

/** Every page of a list, two at a time, in both orders: each id once, in the order that is asked for. */
const walked = Effect.fnUntraced(function* (
  of:
    | { readonly space: string; readonly under: string }
    | { readonly wallet: WalletId; readonly kind: string },
  expected: ReadonlyArray<Uuid>
) {
  for (const order of ["asc", "desc"] as const) {
    const pages: Array<ReadonlyArray<Uuid>> = []
    for (let skip = 0; skip < expected.length + 2; skip += 2) {
      pages.push(yield* positions({ ...of, order, skip, limit: 2 }))
    }
    assertSame(pages.at(-1), [])
    assertSame(pages.flat(), order === "asc" ? expected : expected.toReversed())
  }
})

/** Lists that are counted from their beginning. */
export const positionLaws: ReadonlyArray<StorageLaw> = [
  {
    title:
      "names below one another are walked by their positions in the order of code points, each once",
    proof: Effect.gen(function* () {
      const [space, under] = [newName(), newName()]
      // UTF-16 would have the last but one after the last.
      const names = ["", " ", "/", "0", "A", "AB", "B", "Z", "a", "é", "ﬀ", "\u{10FFFF}"]
      const held = names.map((name) => ({ space, key: `${under}/${name}`, holder: newId() }))
      const others = [
        { space, key: under, holder: newId() },
        { space, key: `${under}0`, holder: newId() },
        { space, key: `${under}.`, holder: newId() },
        { space: newName(), key: `${under}/A`, holder: newId() },
        { space, key: `${newName()}/A`, holder: newId() }
      ]
      yield* commit({ keys: [...held.toReversed(), ...others] })
      yield* walked(
        { space, under },
        held.map(({ holder }) => holder)
      )
    })
  },
  {
    title:
      "rows of a wallet in the registry are walked by their positions, those of one kind, each once",
    proof: Effect.gen(function* () {
      const [wallet, kind] = [newId<WalletId>(), newName()]
      const rows = times(5, () => rowOf({ table: "registry", kind, wallet }))
      const others = [
        rowOf({ table: "registry", kind: newName(), wallet }),
        rowOf({ table: "registry", kind, wallet: newId() }),
        rowOf({ table: "registry", kind }),
        rowOf({ kind, wallet })
      ]
      yield* commit({ inserts: [...others, ...rows.toReversed()] })
      yield* walked(
        { wallet, kind },
        rows.map(({ id }) => id)
      )
    })
  },
  {
    title: "a counter is read as it stands, and as nothing where nobody counted",
    proof: Effect.gen(function* () {
      const storage = yield* Storage
      const key = newName()
      assertSame(yield* storage.counter(key), 0n)
      yield* commit({ counters: [{ key, add: 3n as never }] })
      yield* commit({ counters: [{ key, add: -1n as never }] })
      assertSame(yield* storage.counter(key), 2n)
    })
  }
]
