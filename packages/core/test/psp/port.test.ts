import { assert, describe, it } from "@effect/vitest"
import { journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import type {
  PayerClaim,
  PspCharge,
  PspOutcome as Outcome,
  RawNotification
} from "../../src/ports/Psp.ts"
import { done, PspDirectory, PspOutcome } from "../../src/ports/Psp.ts"
import { PspCredentialId } from "../../src/kernel/Ids.ts"
import { TrustedProxies } from "../../src/http/ClientAddress.ts"
import { CertificateHeader, CertificateReading } from "../../src/http/Sender.ts"
import { rowsOf } from "../reviews/Reviews.test-data.ts"
import {
  callBack,
  codeOf,
  existing,
  pspThat,
  random,
  txidOf,
  world,
  Written
} from "../world/ServiceWorld.test-data.ts"

const statusOf = (story: Effect.Success<ReturnType<typeof journey>>, id: string) =>
  Effect.map(story.transaction(id), ({ status }) => status)

describe("a PSP that takes nothing now", () => {
  it.effect("is asked again when its pause is over, and refuses nothing by it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      let sent = 0
      const { sendPayout } = yield* pspThat({})
      yield* pspThat({
        sendPayout: (payout) => {
          sent++
          return sent === 1
            ? Effect.succeed(PspOutcome.notNow("a transfer like one just made", "15 minutes"))
            : sendPayout(payout)
        }
      })
      const { id } = yield* story.withdraw()
      yield* story.drain
      for (let minute = 1; minute < 15; minute++) yield* story.advance("1 minute")
      assert.strictEqual(sent, 1)
      assert.strictEqual(yield* statusOf(story, id), "pending")
      yield* story.advance("2 minutes")
      assert.strictEqual(sent, 2)
      yield* story.settleWithdrawal({ id }, "completed")
      assert.strictEqual(yield* statusOf(story, id), "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("opens no charge, and the caller may try again", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.faults({ kind: "notNow", operation: "createCharge", times: 1 })
      const refused = yield* story.shop.call("POST", "/pix", { body: { amount: 10 } })
      assert.strictEqual(refused.status, 500)
      assert.strictEqual(codeOf(refused), "PSP_UNAVAILABLE")
      yield* story.charge()
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a PSP that sends no money", () => {
  it.effect("has withdrawals refused, and nothing is held", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const { capabilities } = yield* pspThat({})
      yield* pspThat({ capabilities: { ...capabilities, payouts: "none" } })
      const before = yield* story.figures
      const body = { amount: 10, pixKey: "ana@example.com", pixKeyType: "email" }
      const refused = yield* story.shop.call("POST", "/withdrawals", { body })
      assert.strictEqual(refused.status, 403, refused.text)
      assert.strictEqual(codeOf(refused), "PAYOUTS_NOT_OFFERED")
      assert.deepStrictEqual(yield* story.figures, before)
    }).pipe(Effect.provide(world))
  )
})

describe("a PSP that takes one payout at once", () => {
  it.effect("is never told of two at the same time, of whichever accounts", () =>
    Effect.gen(function* () {
      const stories = [yield* journey(), yield* journey()]
      const { capabilities, findPayout, sendPayout } = yield* pspThat({})
      let underWay = 0
      let most = 0
      const alone = <A>(call: Effect.Effect<A>) =>
        Effect.acquireUseRelease(
          Effect.sync(() => (most = Math.max(most, ++underWay))),
          () => Effect.andThen(Effect.yieldNow, call),
          () => Effect.sync(() => underWay--)
        )
      yield* pspThat({
        capabilities: { ...capabilities, payoutsAtOnce: 1 },
        sendPayout: (payout) => alone(sendPayout(payout)),
        findPayout: (payout) => alone(findPayout(payout))
      })
      const sent: Array<string> = []
      for (const story of stories) {
        yield* story.fund(100)
        for (let count = 0; count < 3; count++) sent.push((yield* story.withdraw()).id)
      }
      for (let round = 0; round < 10; round++) yield* stories[0]?.advance("1 second") ?? Effect.void
      assert.strictEqual(most, 1)
      const { find } = yield* PspDirectory
      const psp = find((yield* PspDirectory).default)
      for (const id of sent) {
        const payout = yield* psp?.findPayout({ reference: txidOf(id) }) ?? Effect.never
        assert.isTrue(payout._tag === "Done" && payout.value !== undefined)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is never asked about two at the same time, also where another PSP names them", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { capabilities, findPayout } = yield* pspThat({})
      let underWay = 0
      let most = 0
      let looks = 0
      yield* pspThat({
        capabilities: { ...capabilities, payoutsAtOnce: 1 },
        findPayout: (payout) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              looks++
              most = Math.max(most, ++underWay)
            }),
            () => Effect.andThen(Effect.yieldNow, findPayout(payout)),
            () => Effect.sync(() => underWay--)
          )
      })
      const directory = yield* PspDirectory
      const { find } = directory
      const psp = existing(find(directory.default))
      const other = PspCredentialId.make(random.uuid)
      const others = { ...psp, capabilities, readNotification: psp.readNotification }
      Object.assign(directory, {
        find: (id: PspCredentialId) => (id === other ? others : find(id))
      })
      yield* story.fund(100)
      const sent: Array<string> = []
      for (let count = 0; count < 4; count++) sent.push((yield* story.withdraw()).id)
      yield* story.drain
      looks = 0
      yield* pspThat({
        readNotification: () =>
          Effect.succeed(sent.map((id) => ({ _tag: "Payout", reference: txidOf(id) }) as const))
      })
      others.readNotification = psp.readNotification
      assert.strictEqual((yield* callBack("{}", { psp: other })).status, 200)
      yield* story.drain
      assert.strictEqual(looks, 4)
      assert.strictEqual(most, 1)
    }).pipe(Effect.provide(world))
  )
})

const cnpj = "11222333000181"

/** A PSP whose charges do not tell who paid; its callbacks claim it, and it says whether that is so. */
const claiming = (confirms: (claim: Omit<PayerClaim, "name">) => Outcome<boolean>) =>
  Effect.gen(function* () {
    const { capabilities, findCharge, readNotification } = yield* pspThat({})
    const withoutPayer = ({ payments, ...charge }: PspCharge): PspCharge => ({
      ...charge,
      payments: payments.map(({ payer: _, ...payment }) => payment)
    })
    yield* pspThat({
      capabilities: { ...capabilities, knowsPayer: false },
      findCharge: (reference) =>
        Effect.map(findCharge(reference), (outcome) =>
          outcome._tag === "Done" && outcome.value !== undefined
            ? done(withoutPayer(outcome.value))
            : outcome
        ),
      readNotification: (notification) => readNotification(notification),
      confirmPayer: (claim) => Effect.sync(() => confirms(claim))
    })
  })

describe("a payer that only the callback tells of", () => {
  const policy = { blockCnpjPayers: true, onUnknownPayer: "accept" }

  it.effect("has the money back where the PSP confirms that it is one the account refuses", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ policy })
      const asked: Array<string> = []
      yield* claiming(({ document }) => {
        asked.push(document)
        return done(document === cnpj)
      })
      const charge = yield* story.charge()
      yield* story.payAtBank(charge, { payerDocument: cnpj })
      yield* story.drain
      assert.strictEqual(yield* statusOf(story, charge.id), "failed")
      assert.include(asked, cnpj)
      const suspense = yield* rowsOf(`/suspense?account=${story.shop.id}`)
      assert.deepStrictEqual(
        suspense.map(({ reason }) => reason),
        ["payer_cnpj_not_allowed"]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is nobody where the PSP denies it: a forged claim sends no money back", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ policy })
      yield* claiming(() => done(false))
      const charge = yield* story.charge()
      yield* story.payAtBank(charge, { payerDocument: cnpj })
      yield* story.drain
      const { counterpartDocument, status } = yield* story.transaction(charge.id)
      assert.strictEqual(status, "completed")
      assert.notStrictEqual(counterpartDocument, cnpj)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is waited for where the account takes money from some only", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ policy })
      let isSilent = true
      yield* claiming(() => (isSilent ? PspOutcome.unknown("silent") : done(true)))
      const charge = yield* story.charge()
      yield* story.payAtBank(charge, { payerDocument: cnpj })
      yield* story.drain
      assert.strictEqual(yield* statusOf(story, charge.id), "pending")
      isSilent = false
      yield* story.advance("1 minute")
      assert.strictEqual(yield* statusOf(story, charge.id), "failed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is not waited for elsewhere", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* claiming(() => PspOutcome.unknown("silent"))
      const charge = yield* story.charge()
      yield* story.payAtBank(charge, { payerDocument: cnpj })
      yield* story.drain
      assert.strictEqual(yield* statusOf(story, charge.id), "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a notification", () => {
  /** What the PSP layer is given of the calls from here on. */
  const heard = Effect.gen(function* () {
    const notifications: Array<RawNotification> = []
    yield* pspThat({
      readNotification: (notification) =>
        Effect.sync(() => {
          notifications.push(notification)
          return []
        })
    })
    return notifications
  })

  it.effect("comes with its query, and from the address to which a bank has added /pix", () =>
    Effect.gen(function* () {
      const notifications = yield* heard
      const { api } = yield* TestPagora
      const { default: psp } = yield* PspDirectory
      for (const path of ["", "/pix"]) {
        const query = "?hmac=a%20b&ignorar=&hmac=other"
        const answer = yield* api("POST", `/psp/${psp}/webhook${path}${query}`, { body: "{}" })
        assert.strictEqual(answer.status, 200, answer.text)
      }
      assert.strictEqual(
        (yield* api("POST", `/psp/${psp}/webhook/rec`, { body: "{}" })).status,
        404
      )
      assert.deepStrictEqual(
        notifications.map(({ path, query }) => [path, query]),
        [
          ["", { hmac: "a b", ignorar: "" }],
          ["/pix", { hmac: "a b", ignorar: "" }]
        ]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("that is authentic and names nothing is answered, and stores nothing", () =>
    Effect.gen(function* () {
      yield* heard
      const { api } = yield* TestPagora
      const { units } = yield* Written
      const before = units.length
      const { default: psp } = yield* PspDirectory
      assert.strictEqual((yield* api("POST", `/psp/${psp}/webhook`, { body: "" })).status, 200)
      assert.strictEqual(units.length, before)
    }).pipe(Effect.provide(world))
  )

  const certificate = { verified: true, subject: "CN=bank", fingerprint: "ab" }
  const reading = {
    ofConnection: () => ({ ...certificate, subject: "CN=on the connection" }),
    ofHeader: (value: string) => ({ ...certificate, subject: value })
  }
  const behindProxy = <A, E, R>(story: Effect.Effect<A, E, R>, header?: string) =>
    story.pipe(
      Effect.provide(world),
      Effect.provideService(TrustedProxies, ["10.0.0.0/8"]),
      Effect.provideService(CertificateHeader, header),
      Effect.provideService(CertificateReading, reading)
    )

  /** Who sent a call from an address, as the PSP layer is told. */
  const sentFrom = (from: string, headers: Readonly<Record<string, string>> = {}) =>
    Effect.gen(function* () {
      const notifications = yield* heard
      const { api } = yield* TestPagora
      const { default: psp } = yield* PspDirectory
      yield* api("POST", `/psp/${psp}/webhook`, { body: "{}", from, headers })
      const [{ clientCertificate, remoteAddress } = assert.fail("Nobody was heard.")] =
        notifications
      return [remoteAddress, clientCertificate?.subject]
    })
  const proxy = "10.1.2.3"
  const headers = { "client-cert": "CN=passed on", "x-forwarded-for": "2001:DB8::0:1" }

  it.effect("comes with whom a trusted proxy tells of", () =>
    Effect.gen(function* () {
      const told = yield* behindProxy(sentFrom(proxy, headers), "Client-Cert")
      assert.deepStrictEqual(told, ["2001:db8::1", "CN=passed on"])
    })
  )

  it.effect("comes with its own connection where nobody is between, whatever its headers say", () =>
    Effect.gen(function* () {
      const told = yield* behindProxy(sentFrom("192.0.2.9", headers), "Client-Cert")
      assert.deepStrictEqual(told, ["192.0.2.9", "CN=on the connection"])
    })
  )

  it.effect("never comes with the certificate of the proxy itself", () =>
    Effect.gen(function* () {
      const from = { "x-forwarded-for": "192.0.2.9" }
      for (const told of [
        yield* behindProxy(sentFrom(proxy, from), "Client-Cert"),
        yield* behindProxy(sentFrom(proxy, from)),
        yield* behindProxy(sentFrom(proxy, { ...from, "client-cert": "CN=forged" }))
      ])
        assert.deepStrictEqual(told, ["192.0.2.9", undefined])
    })
  )
})
