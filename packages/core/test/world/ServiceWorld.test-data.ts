import type { Answer } from "@pagora/testkit"
import { layerPagora, RecordingTransport, TestPagora, testPspCredential } from "@pagora/testkit"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import { Uuid } from "../../src/kernel/Ids.ts"
import * as TxId from "../../src/kernel/TxId.ts"
import type { PspShape } from "../../src/ports/Psp.ts"
import { PspDirectory } from "../../src/ports/Psp.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import type { MergedUnit } from "../../src/units/MergedUnit.ts"

/** When every story begins. */
export const noon = Date.parse("2026-11-21T12:00:00.000Z")

/** Everything that went through the write door. */
export class Written extends Context.Service<
  Written,
  { readonly units: ReadonlyArray<MergedUnit> }
>()("@pagora/core/test/Written") {}

/** Shows what is written to the storage below. */
const watched: Layer.Layer<StorageDriver | Written, never, StorageDriver> = Layer.effectContext(
  Effect.gen(function* () {
    const driver = yield* StorageDriver
    const units: Array<MergedUnit> = []
    return Context.make(Written, { units }).pipe(
      Context.add(StorageDriver, {
        ...driver,
        write: (merged) =>
          Effect.tap(driver.write(merged), (failed) =>
            Effect.sync(() => {
              if (failed === null) units.push(merged)
            })
          )
      })
    )
  })
)

/** The whole service over memory, at noon. */
export const world = Layer.unwrap(
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const storage = yield* Layer.build(watched.pipe(Layer.provide(Layer.fresh(layerMemory))))
    const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
    return layerPagora(Layer.succeedContext(storage), Layer.succeedContext(transport)).pipe(
      Layer.provideMerge(Layer.succeedContext(storage)),
      Layer.provideMerge(Layer.succeedContext(transport))
    )
  })
)

/** Ids that belong to nothing. */
export const random = {
  uuid: "019a2b3c-dead-7000-8000-00000000beef",
  otherUuid: "019a2b3c-dead-7000-8000-00000000cafe"
} as const

/** What must be there. */
export const existing = <A>(value: A | null | undefined): A => {
  if (value === undefined || value === null) throw new Error("There is nothing.")
  return value
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The stable code of a refusal. */
export const codeOf = (answer: Answer<unknown>): string => String(answer.json.details?.code)

/** Puts other methods in the place of those of the simulated PSP; answers what was there. */
export const pspThat = (methods: Partial<PspShape>) =>
  Effect.map(PspDirectory, (directory) => {
    const psp = directory.find(directory.default) as PspShape
    const before = { ...psp }
    Object.assign(psp, methods)
    return before
  })

/** The PSP's name of a charge. */
export const txidOf = (id: string): string => TxId.fromUuid(Uuid.make(id))

/** The charge as the PSP has it. */
export const atPsp = Effect.fnUntraced(function* (id: string) {
  const directory = yield* PspDirectory
  const outcome = yield* (directory.find(directory.default) as PspShape).findCharge(txidOf(id))
  return outcome._tag === "Done" ? outcome.value : undefined
})

const pspSecret = "a master secret that is long enough for every test"

/** The signature that the simulated PSP would put on a notification. */
export const signatureOf = (body: string | Uint8Array, key = pspSecret): string =>
  createHmac("sha256", key).update(body).digest("hex")

/** What the simulated PSP says of a payment, in the form of the Pix API. */
export const noticeOf = (txid: string, valor = "10.00"): string =>
  JSON.stringify({
    pix: [
      {
        endToEndId: "E9999999920261121120099999999999",
        txid,
        valor,
        horario: "2026-11-21T12:00:00.000Z"
      }
    ]
  })

/** Calls the service back as a PSP does; signed as the simulated one unless told otherwise. */
export const callBack = (
  body: string | Uint8Array,
  options: { readonly signature?: string | undefined; readonly psp?: string } = {}
) =>
  Effect.flatMap(TestPagora, ({ api }) => {
    const signature = "signature" in options ? options.signature : signatureOf(body)
    return api("POST", `/psp/${options.psp ?? testPspCredential}/webhook`, {
      body,
      headers: signature === undefined ? {} : { "x-sandbox-signature": signature }
    })
  })
