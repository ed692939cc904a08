import type { PagoraInstance, PagoraOptions, PspShape } from "@pagora/core"
import { memory, Pagora, PagoraError, StorageDriver } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { Duration, Effect, Layer } from "effect"

/** Options of a small service in memory that says nothing. */
export const small: PagoraOptions = {
  storage: memory(),
  psp: sandbox({ settleAfter: "manual" }),
  logger: false
}

/** A bank, for what never calls it. */
export const bank = "00000000-0000-7000-8000-0000000000ba"
const never = () => Effect.never
export const bankPsp: PspShape = {
  provider: "bank",
  environment: "production",
  capabilities: {
    idempotentByReference: true,
    knowsPayer: true,
    notFoundIsFinalAfter: Duration.minutes(1),
    settlementLag: Duration.minutes(1)
  },
  createCharge: never,
  findCharge: never,
  cancelCharge: never,
  sendPayout: never,
  findPayout: never,
  refund: never,
  findRefund: never,
  readNotification: never
}

export const secret = "a master secret that is long enough for every test"

/** Starts a service, lends it, and stops it whatever happens. */
export const withPagora = async <A>(
  options: Partial<PagoraOptions>,
  use: (pagora: PagoraInstance) => Promise<A>
): Promise<A> => {
  const pagora = await Pagora.start({ ...small, ...options })
  try {
    return await use(pagora)
  } finally {
    await pagora.stop()
  }
}

/** One memory that outlives the services that use it, as a database does. */
export const sharedMemory = async (): Promise<Layer.Layer<StorageDriver>> => {
  const driver = await Effect.runPromise(Effect.provide(StorageDriver, memory()))
  return Layer.succeed(StorageDriver, driver)
}

/** What a promise rejects with, which must be a PagoraError. */
export const refusalOf = async (promise: Promise<unknown>): Promise<PagoraError> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown
  )
  if (error instanceof PagoraError) return error
  throw new Error(`No PagoraError: ${String(error)}`)
}

/** Asks until it is so; a test waits for real work here. */
export const until = async (isSo: () => boolean): Promise<void> => {
  for (let looks = 0; looks < 500; looks++) {
    if (isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error("It did not come about within 10 seconds.")
}
/** The stable code of a refusal over HTTP. */
export const codeOf = async (response: Response): Promise<unknown> => {
  const { details } = (await response.json()) as { readonly details?: { readonly code?: string } }
  return details?.code
}
