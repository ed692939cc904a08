import { assert, describe, it } from "@effect/vitest"
import { journey, testPspCredential } from "@pagora/testkit"
import { DateTime, Effect } from "effect"
import { Uuid } from "../../src/kernel/Ids.ts"
import type { ReturnId, AccountId } from "../../src/kernel/Ids.ts"
import { Centavos } from "../../src/kernel/Money.ts"
import * as TxId from "../../src/kernel/TxId.ts"
import { Ids } from "../../src/time/Ids.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { Return, ReturnKind } from "../../src/returns/Return.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import { PspDirectory } from "../../src/ports/Psp.ts"
import {
  callBack,
  noticeOf,
  pspThat,
  random,
  txidOf,
  world,
  Written
} from "../world/ServiceWorld.test-data.ts"

/** The jobs that are put in line meanwhile: in which line, and whose. */
const scheduledBy = <A, E, R>(doing: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { units } = yield* Written
    const before = units.length
    yield* doing
    return units
      .slice(before)
      .flatMap(({ jobs }) => jobs.filter(({ op }) => op === "Schedule"))
      .map(({ id, queue }) => [queue, id])
  })

/** A return of ours, as its slice stores it. */
const aReturn = Effect.fnUntraced(function* (account: AccountId) {
  const ids = yield* Ids
  const storage = yield* Storage
  const now = yield* DateTime.now
  const money = new Return({
    id: yield* ids.next<ReturnId>(),
    account,
    wallet: account,
    purpose: "refund",
    source: random.uuid as Uuid,
    status: "requested",
    amount: Centavos.make(1000n),
    pspCredentialId: testPspCredential,
    endToEndId: "E9999999920261121120099999999999",
    createdAt: now,
    updatedAt: now
  })
  yield* storage.commit({
    at: now,
    inserts: [ReturnKind.row(money)]
  })
  return money
})

const refundNotice = (...references: ReadonlyArray<string>) =>
  JSON.stringify({
    pix: [
      {
        endToEndId: "E9999999920261121120099999999999",
        devolucoes: references.map((id) => ({ id, valor: "10.00", status: "DEVOLVIDO" }))
      }
    ]
  })

describe("the inbox for what PSPs send", () => {
  it.effect("puts a return that is ours in the line of returns", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { id, reference } = yield* aReturn(story.shop.id)
      const jobs = yield* scheduledBy(callBack(refundNotice(reference)))
      assert.deepStrictEqual(jobs, [["return", id]])
    }).pipe(Effect.provide(world))
  )

  it.effect("asks about everything that one notification names, once each", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const one = yield* aReturn(story.shop.id)
      const two = yield* aReturn(story.shop.id)
      const body = JSON.parse(noticeOf(txidOf(charge.id)))
      body.pix.push(...JSON.parse(refundNotice(one.reference, two.reference, one.reference)).pix)
      const jobs = yield* scheduledBy(callBack(JSON.stringify(body)))
      assert.sameDeepMembers(jobs, [
        ["inbox", Uuid.make(charge.id)],
        ["return", one.id],
        ["return", two.id]
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("takes what is not ours, and asks nobody about it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const { reference } = yield* aReturn(story.shop.id)
      const strange = TxId.fromUuid(random.uuid as Uuid)
      // A charge is no return, and a return is no charge, whatever the notification says.
      for (const body of [
        refundNotice(strange),
        refundNotice(txidOf(charge.id)),
        noticeOf(reference),
        JSON.stringify({ payouts: [{ reference: strange, status: "completed" }] }),
        JSON.stringify({ payouts: [{ reference, status: "completed" }] })
      ]) {
        const jobs = yield* scheduledBy(
          Effect.map(callBack(body), ({ status }) => assert.strictEqual(status, 200))
        )
        assert.deepStrictEqual(jobs, [], body)
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a notice that names a payout by the PSP's own id", () => {
  it.effect("is about the withdrawal to which that id was told, and of its credential alone", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(50)
      const { id } = yield* story.withdraw()
      yield* story.drain
      const { psp } = yield* SandboxPsp
      const found = yield* psp.findPayout({ reference: txidOf(id) })
      const pspReference = found._tag === "Done" ? (found.value?.pspReference ?? "") : ""
      assert.notStrictEqual(pspReference, "")
      const told = Effect.fnUntraced(function* (name: string, credential?: string) {
        yield* pspThat({
          readNotification: () => Effect.succeed([{ _tag: "PspPayout", pspReference: name }])
        })
        const options = credential === undefined ? {} : { psp: credential }
        return yield* scheduledBy(
          Effect.map(callBack("{}", options), ({ status }) => assert.strictEqual(status, 200))
        )
      })
      assert.deepStrictEqual(yield* told(pspReference), [["payout", Uuid.make(id)]])
      assert.deepStrictEqual(yield* told(`${pspReference}0`), [])
      assert.deepStrictEqual(yield* told("not a name"), [])
      const directory = yield* PspDirectory
      const other = random.otherUuid
      const { find } = directory
      Object.assign(directory, {
        find: (one: typeof directory.default) => find(one === other ? directory.default : one)
      })
      assert.deepStrictEqual(yield* told(pspReference, other), [])
    }).pipe(Effect.provide(world))
  )
})

describe("an advance of business time", () => {
  it.effect("brings what ends by itself at the PSP to its end", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { psp } = yield* SandboxPsp
      const [endToEndId = ""] = yield* story.payAtBank(yield* story.charge())
      const reference = TxId.fromUuid(random.uuid as Uuid)
      const amount = Centavos.make(1000n)
      yield* psp.refund({ reference, endToEndId, amount, purpose: "automatic" })
      const status = Effect.map(psp.findRefund({ reference, endToEndId }), (outcome) =>
        outcome._tag === "Done" ? outcome.value?.status : outcome._tag
      )
      assert.strictEqual(yield* status, "processing")
      yield* story.advance("2 seconds")
      assert.strictEqual(yield* status, "confirmed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
