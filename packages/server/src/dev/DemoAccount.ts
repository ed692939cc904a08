import { AccountId, Accounts, Kind, Storage, Uuid } from "@pagora/core"
import { Effect, Schema } from "effect"

const Demo = Schema.Struct({ account: AccountId })

const demoId = Uuid.make("00000000-0000-7000-8000-000000000003")

const DemoKind: Kind.Kind<typeof Demo.Type> = Kind.make({
  name: "dev_demo",
  table: "registry",
  schema: Demo,
  columns: ({ account }) => ({ id: demoId, account, wallet: null, status: "kept" })
})

/** The account that a sandbox starts with: made once, found again at every later start. */
export const demoAccount = Effect.gen(function* () {
  const storage = yield* Storage
  const accounts = yield* Accounts
  const read = storage.find(DemoKind, demoId)
  if ((yield* read) === undefined) {
    const account = yield* accounts.create({ name: "Loja Azul (demo)", document: "11222333000181" })
    yield* storage
      .commit({
        at: yield* storage.clock.now,
        inserts: [DemoKind.row({ account: account.id })]
      })
      // Another process was first: its account is everybody's.
      .pipe(Effect.catchTag("DuplicateKey", () => Effect.void))
  }
  const demo = yield* read
  if (demo === undefined) return yield* Effect.die(new Error("The demo account was not kept."))
  return (yield* accounts.find(demo.value.account)).value
})
