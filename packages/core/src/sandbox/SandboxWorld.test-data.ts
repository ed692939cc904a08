import { createHmac } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { PspCredentialId } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import { Ids } from "../ports/Ids.ts"
import type { PspCharge, PspOutcome, RawNotification } from "../ports/Psp.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import { StorageDriver } from "../ports/StorageDriver.ts"
import { layerMemory } from "../ports/StorageMemory.ts"
import type { SandboxPspOptions } from "./SandboxPsp.ts"
import { SandboxPsp } from "./SandboxPsp.ts"

const credential = PspCredentialId.make("019a2b3c-0000-7000-8000-000000000001")
export const otherCredential = PspCredentialId.make("019a2b3c-0000-7000-8000-000000000002")
const secret = Redacted.make("the secret of the simulated PSP")

const hmac = (key: Redacted.Redacted<string | Uint8Array>, text: string) =>
  createHmac("sha256", Redacted.value(key)).update(text).digest()

/** A notification as the simulated PSP sends it, signed with a key that may be wrong. */
export const signed = (body: string, key: Redacted.Redacted = secret): RawNotification => ({
  headers: { "x-sandbox-signature": hmac(key, body).toString("hex") },
  body: new TextEncoder().encode(body)
})

/** Only what the simulated PSP needs of it. */
const secretsLayer = Layer.mock(Secrets, {
  hmac: (key, text) => Effect.sync(() => hmac(key, text))
})

/** A simulated PSP with a lane and a clock of its own, over a driver that others may share. */
const layerOver = (driver: StorageDriver["Service"], options?: Partial<SandboxPspOptions>) =>
  SandboxPsp.layer({ credential, secret, ...options }).pipe(
    Layer.provide([Storage.layer(), Ids.layerSeeded, secretsLayer]),
    Layer.provideMerge(ServiceTime.layer),
    Layer.provide(Layer.succeed(StorageDriver, driver)),
    Layer.fresh
  )

export const aDriver = Effect.map(Layer.build(Layer.fresh(layerMemory)), (context) =>
  Context.get(context, StorageDriver)
)

/** One process of the simulated PSP; it ends with the scope. */
export const aProcess = Effect.fnUntraced(function* (
  driver: StorageDriver["Service"],
  options?: Partial<SandboxPspOptions>
) {
  const context = yield* Layer.build(layerOver(driver, options))
  const sandbox = Context.get(context, SandboxPsp)
  return { ...sandbox, time: Context.get(context, ServiceTime) }
})

/** A process with books of its own. */
export const aSandbox = Effect.flatMap(aDriver, (driver) => aProcess(driver))

export type Process = Effect.Success<ReturnType<typeof aProcess>>

export const centavos = (amount: bigint) => Centavos.make(amount)

export const reference = (number: number) => number.toString(16).padStart(32, "0")

/** A charge of 10.00 for an hour. */
export const open = (process: Process, number = 1) =>
  process.psp.createCharge({
    reference: reference(number),
    amount: centavos(1000n),
    expiresInSeconds: 3600
  })

/** What a question was answered; anything but `Done` ends the test. */
export const answered = <A, R>(call: Effect.Effect<PspOutcome<A>, never, R>) =>
  Effect.map(call, (outcome) => {
    if (outcome._tag !== "Done") throw new Error(`Done was expected, not ${outcome._tag}`)
    return outcome.value
  })

/** The charge as the PSP has it; it must be there. */
export const seen = (process: Process, number = 1): Effect.Effect<PspCharge> =>
  Effect.map(answered(process.psp.findCharge(reference(number))), (charge) => {
    if (charge === undefined) throw new Error(`Charge ${number} was not found`)
    return charge
  })

/** Takes notifications and keeps them; answers what it is told to. */
export const anInbox = (isAccepting = true) => {
  const received: Array<RawNotification> = []
  const inbox = {
    isAccepting,
    received,
    receive: (notification: RawNotification) =>
      Effect.sync(() => {
        received.push(notification)
        return inbox.isAccepting
      }),
    /** The payments that the notifications tell of, in the order they came. */
    get told(): ReadonlyArray<{ readonly endToEndId: string; readonly valor: string }> {
      return received.flatMap(({ body }) => JSON.parse(new TextDecoder().decode(body)).pix)
    }
  }
  return inbox
}

/** Starts something beside the test, and lets it go as far as it gets before time must pass. */
export const begun = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.tap(Effect.forkChild(effect), () =>
    Effect.replicateEffect(Effect.yieldNow, 200, { discard: true })
  )
