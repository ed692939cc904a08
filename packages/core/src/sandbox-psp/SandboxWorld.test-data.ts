import { createHmac } from "node:crypto"
import { Context, Duration, Effect, Layer, Redacted, Result } from "effect"
import { PspCredentialId } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import * as PixKey from "../kernel/PixKey.ts"
import { Ids } from "../time/Ids.ts"
import type {
  NewPspPayout,
  NewPspRefund,
  PspCharge,
  PspNotice,
  PspOutcome,
  PspPayment,
  PspPayout,
  PspRefund,
  RawNotification
} from "../ports/Psp.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { StorageDriver } from "../ports/StorageDriver.ts"
import { layerMemory } from "../storage-memory/StorageMemory.ts"
import type { SandboxPspOptions } from "./SandboxPsp.ts"
import { SandboxPsp } from "./SandboxPsp.ts"

const credential = PspCredentialId.make("019a2b3c-0000-7000-8000-000000000001")
export const otherCredential = PspCredentialId.make("019a2b3c-0000-7000-8000-000000000002")
const secret = Redacted.make("the secret of the simulated PSP")

const hmac = (key: Redacted.Redacted<string | Uint8Array>, text: string) =>
  createHmac("sha256", Redacted.value(key)).update(text).digest()

/** What a notice is about, without what it claims. */
export const about = (notices: ReadonlyArray<PspNotice>) =>
  notices.map((notice) =>
    notice._tag === "Charge" ? { _tag: notice._tag, reference: notice.reference } : notice
  )

/** A notification as the simulated PSP sends it, signed with a key that may be wrong. */
export const signed = (body: string, key: Redacted.Redacted = secret): RawNotification => ({
  headers: { "x-sandbox-signature": hmac(key, body).toString("hex") },
  body: new TextEncoder().encode(body),
  query: {},
  path: ""
})

/** Only what the simulated PSP needs of it. */
const secretsLayer = Layer.mock(Secrets, {
  hmac: (key, text) => Effect.sync(() => hmac(key, text))
})

/** A simulated PSP with a lane and a clock of its own, over a driver that others may share. */
const layerOver = (driver: StorageDriver["Service"], options?: Partial<SandboxPspOptions>) =>
  SandboxPsp.layer({ credential, secret, ...options }).pipe(
    Layer.provide([Ids.layerSeeded, secretsLayer]),
    Layer.provideMerge(ServiceTime.layer),
    Layer.provide(Layer.orDie(Storage.layer())),
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

/** Moves business time to this long after its beginning. */
export const later = ({ time }: Process, by: Duration.Input) =>
  time.setOffset(Duration.fromInputUnsafe(by))

/** A payout of 10.00 to Rita. */
export const send = (process: Process, asked: Partial<NewPspPayout> = {}) =>
  process.psp.sendPayout({
    reference: reference(1),
    amount: centavos(1000n),
    pixKey: Result.getOrThrow(PixKey.parse("email", "rita@example.com")),
    holder: {},
    ...asked
  })

/** The payout as the PSP has it; it must be there. */
export const seenPayout = (process: Process, number = 1): Effect.Effect<PspPayout> =>
  Effect.map(answered(process.psp.findPayout({ reference: reference(number) })), (payout) => {
    if (payout === undefined) throw new Error(`Payout ${number} was not found`)
    return payout
  })

/** A payment of 10.00 for a new charge. */
export const aPayment = Effect.fnUntraced(function* (process: Process, number = 1) {
  yield* answered(open(process, number))
  const [payment] = yield* process.pay(reference(number))
  if (payment === undefined) throw new Error("Nobody paid")
  return payment
})

/** Asks for this payment, or for the part of it that the amount says, to go back. */
export const giveBack = (
  process: Process,
  { amount, endToEndId }: Pick<PspPayment, "amount" | "endToEndId">,
  number = 101,
  purpose: NewPspRefund["purpose"] = "requested"
) => process.psp.refund({ reference: reference(number), endToEndId, amount, purpose })

/** The return as the PSP has it; it must be there. */
export const seenRefund = (process: Process, number = 101): Effect.Effect<PspRefund> =>
  Effect.map(
    answered(process.psp.findRefund({ reference: reference(number), endToEndId: "" })),
    (refund) => {
      if (refund === undefined) throw new Error(`Return ${number} was not found`)
      return refund
    }
  )

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
