import type { PspProviders, PspSetup, PspShape, StoredRow } from "@pagora/core"
import { StorageDriver } from "@pagora/core"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { bankA, plainBank } from "./PlainBank.test-data.ts"

export const acmeSettings = {
  clientId: "loja",
  account: "11222333000181",
  clientSecret: "segredo-do-banco-0001"
}

/** When the certificate of whatever Acme makes ends. */
export const acmeEndsAt = DateTime.makeUnsafe("2027-05-01T00:00:00Z")

/** A bank that is configured, beside which others are kept. */
export const configured = (): { readonly psp: PspSetup } => ({
  psp: { default: bankA, psps: { [bankA]: plainBank({ provider: "plain" }).psp } }
})

/** A bank whose adapter asks it by itself every few milliseconds, for as long as its scope is open. */
export const makePollingAcme = (parts: Partial<PspShape> = {}) => {
  const bank = plainBank({ provider: "acme" })
  /** The secrets of the adapters that are open, each as often as there are. */
  const open: Array<string> = []
  const polls: Array<string> = []
  const providers: PspProviders = {
    acme: {
      make: Effect.fnUntraced(function* ({ environment, settings }) {
        const { account = "", clientId = "", clientSecret = "" } = Redacted.value(settings)
        yield* Effect.acquireRelease(
          Effect.sync(() => open.push(clientSecret)),
          () => Effect.sync(() => open.splice(open.indexOf(clientSecret), 1))
        )
        const poll = Effect.sync(() => polls.push(clientSecret))
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(poll, Effect.sleep("20 millis"))))
        return {
          psp: { ...bank.psp, environment, identity: { clientId, account }, ...parts },
          certificateEndsAt: acmeEndsAt
        }
      })
    }
  }
  return { bank, open, polls, options: { ...configured(), pspProviders: providers } }
}

/** A row like this one, of a PSP and an account of its own. */
const other = (like: StoredRow, status: string, index: number): StoredRow => {
  const digits = String(index).padStart(12, "0")
  const document = {
    ...(JSON.parse(like.document) as object),
    psp: `00000000-0000-7000-8001-${digits}`,
    clientId: `other-${digits}`,
    pspAccount: `other-${digits}@example.com`,
    status
  }
  return { ...like, document: JSON.stringify(document) }
}

/** The same storage, in which so many others are kept beside what is there, all in one status. */
export const crowded = async (
  storage: Layer.Layer<StorageDriver>,
  crowd: { readonly status: "active" | "revoked"; readonly count: number }
): Promise<Layer.Layer<StorageDriver>> => {
  const driver = await Effect.runPromise(Effect.provide(StorageDriver, storage))
  return Layer.succeed(StorageDriver, {
    ...driver,
    list: (query) =>
      Effect.map(driver.list(query), (rows) => {
        const [like] = rows
        const isAsked = query.status === undefined || query.status === crowd.status
        if (query.kind !== "psp_credential" || like === undefined || !isAsked) return rows
        const others = Array.from({ length: crowd.count }, (_, index) =>
          other(like, crowd.status, index)
        )
        return [...rows, ...others].slice(0, query.limit)
      })
  })
}
