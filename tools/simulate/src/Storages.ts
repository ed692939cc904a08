import type { StorageDriverShape } from "@pagora/core"
import { memory, StorageDriver } from "@pagora/core"
import { pglite } from "@pagora/postgres/pglite"
import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const storageNames = ["memory", "pglite"] as const
export type StorageName = (typeof storageNames)[number]

/** An empty storage, gone with the scope. */
export const emptyStorage = (
  name: StorageName
): Effect.Effect<StorageDriverShape, never, Scope.Scope> =>
  Effect.gen(function* () {
    const layer =
      name === "memory" ? memory() : Layer.orDie(pglite({ templates: join(tmpdir(), folder()) }))
    const scope = yield* Effect.scope
    const context = yield* Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), scope)
    return Context.get(context, StorageDriver)
  })

/** Templates are of one user alone. */
const folder = (): string => `pagora-simulations-${process.getuid?.() ?? 0}`
