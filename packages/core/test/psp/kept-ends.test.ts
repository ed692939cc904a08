import { assert, describe, it } from "@effect/vitest"
import type { Centavos, PspFinding, PspPreparation, PspProviders } from "@pagora/core"
import {
  KeptPsps,
  memory,
  Pagora,
  PspCredentialId,
  PspDirectory,
  PspOutcome,
  PspSettingsRefused,
  pspsOf,
  Storage
} from "@pagora/core"
import { SecretsNode } from "@pagora/core/node"
import { Clock, Context, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { pspPreparation } from "../../src/operator/PspChecks.ts"
import { PspCredentials } from "../../src/psp-vault/PspCredentials.ts"
import {
  bankPsp,
  refusalOf,
  secret,
  sharedMemory,
  until,
  withPagora
} from "../world/Embedding.test-data.ts"
import { bankA, plainBank } from "./PlainBank.test-data.ts"
import { acmeEndsAt, acmeSettings, configured, crowded, makePollingAcme } from "./Kept.test-data.ts"

const settings = acmeSettings
const first = settings.clientSecret
const next = "segredo-do-banco-0002"
const added = { provider: "acme", settings } as const
const { done } = PspOutcome

/** Time enough for something that would still go on. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 200))

describe("an adapter of credentials that are kept", { timeout: 180_000 }, () => {
  it("is let go by every process at once when they are rotated or revoked, and when the service stops", async () => {
    const { open, options, polls } = makePollingAcme()
    const storage = await sharedMemory()
    const shared = { ...options, storage, secret }
    const quiet = async () => {
      polls.length = 0
      await aWhile()
      return [...new Set(polls)]
    }
    await withPagora(shared, (one) =>
      withPagora(shared, async (another) => {
        const { pspCredentialId: psp } = await one.pspCredentials.add(added)
        // What was made only to be looked at is gone already.
        assert.deepStrictEqual(open, [first, first])
        assert.deepStrictEqual(await quiet(), [first])
        await one.pspCredentials.rotate(psp, { settings: { ...settings, clientSecret: next } })
        assert.deepStrictEqual(open, [next, next])
        assert.deepStrictEqual(await quiet(), [next])
        await another.pspCredentials.revoke(psp)
        assert.deepStrictEqual(open, [])
        assert.deepStrictEqual(await quiet(), [])
        await one.pspCredentials.rotate(psp, { settings })
        assert.deepStrictEqual(open, [first, first])
      })
    )
    assert.deepStrictEqual(open, [])
    assert.deepStrictEqual(await quiet(), [])
  })

  it("is asked nothing more by whoever had it in hand when it was revoked", async () => {
    const asked: Array<string | undefined> = []
    const gate = Promise.withResolvers<void>()
    const { options } = makePollingAcme({
      listInfractions: ({ cursor }) =>
        Effect.promise(async () => {
          asked.push(cursor)
          await gate.promise
          return done({ infractions: [], ...(asked.length < 3 ? { next: "more" } : {}) })
        })
    })
    await withPagora(options, async (pagora) => {
      const { pspCredentialId: psp } = await pagora.pspCredentials.add(added)
      await until(() => asked.length === 1)
      await pagora.pspCredentials.revoke(psp)
      gate.resolve()
      await aWhile()
      assert.deepStrictEqual(asked, [undefined])
    })
  })
})

describe("what is measured of a PSP that is kept", { timeout: 180_000 }, () => {
  const measured = (text: string, psp: string) =>
    text.split("\n").flatMap((line) => {
      const [, name = "", of, value] = /^(\w+)\{.*psp="([^"]+)".*\} (\S+)$/.exec(line) ?? []
      return of === psp ? [`${name} ${value}`] : []
    })

  it("is there as soon as it is added, and ends when it is revoked, whatever was under way", async () => {
    const gate = Promise.withResolvers<void>()
    let balances = 0
    const balance = () =>
      Effect.promise(async () => {
        balances++
        if (balances > 1) await gate.promise
        return done({ available: 1000n as Centavos, blocked: 200n as Centavos })
      })
    const { options } = makePollingAcme({
      balance,
      certificateEnds: () => Effect.succeed(acmeEndsAt)
    })
    const plays = { [bankA]: plainBank({ environment: "sandbox" }).psp }
    const sandbox = { ...options, psp: { default: bankA, psps: plays } }
    await withPagora(sandbox, async (pagora) => {
      const { pspCredentialId: psp } = await pagora.pspCredentials.add(added)
      let all: ReadonlyArray<string> = []
      const look = async () => {
        all = measured(await pagora.metrics(), psp)
      }
      await pagora.advanceTime({ seconds: 61 * 60 })
      await until(() => {
        void look()
        return all.some((line) => line.startsWith("pagora_psp_balance_centavos"))
      })
      assert.includeMembers(
        [...all],
        [
          "pagora_psp_circuit_open 0",
          `pagora_psp_certificate_end_timestamp_seconds ${acmeEndsAt.epochMilliseconds / 1_000}`,
          "pagora_psp_balance_centavos 1000",
          "pagora_psp_balance_centavos 200",
          "pagora_psp_balance_difference_centavos 1200"
        ]
      )
      // It ends when all that is due is done.
      const passing = pagora.advanceTime({ seconds: 61 * 60 })
      await until(() => balances === 2)
      await pagora.pspCredentials.revoke(psp)
      gate.resolve()
      await passing
      await look()
      assert.deepStrictEqual(all, [])
    })
  })
})

describe("so many credentials of PSPs", { timeout: 180_000 }, () => {
  it("are kept, and those that are revoked do not count", async () => {
    const { options } = makePollingAcme()
    const storage = await sharedMemory()
    const account = (name: string) => ({
      provider: "acme",
      settings: { ...settings, clientId: name, account: `${name}@example.com` }
    })
    let one = ""
    await withPagora({ ...options, storage, secret }, async ({ pspCredentials }) => {
      one = (await pspCredentials.add(account("one"))).pspCredentialId
      await pspCredentials.revoke(one)
    })
    const among = async (status: "active" | "revoked", count: number) => ({
      ...options,
      secret,
      storage: await crowded(storage, { status, count })
    })
    await withPagora(await among("revoked", 150), async ({ pspCredentials }) => {
      const { pspCredentialId } = await pspCredentials.add(account("two"))
      assert.lengthOf((await pspCredentials.list()).data, 152)
      await pspCredentials.revoke(pspCredentialId)
    })
    await withPagora(await among("revoked", 1_000), async ({ pspCredentials }) => {
      const { code, message } = await refusalOf(pspCredentials.add(account("three")))
      assert.strictEqual(code, "TOO_MANY_PSP_CREDENTIALS")
      assert.match(message, /of 1000 PSPs are kept, revoked ones included.*rotate one/)
    })
    await withPagora(await among("active", 100), async ({ pspCredentials }) => {
      const again = pspCredentials.rotate(one, { settings: account("one").settings })
      for (const refused of [pspCredentials.add(account("three")), again]) {
        const { code, message } = await refusalOf(refused)
        assert.strictEqual(code, "TOO_MANY_PSP_CREDENTIALS")
        assert.match(message, /of 100 PSPs are kept.*revoke those of one that nobody needs/)
      }
    })
  })
})

describe("credentials that are given for a PSP that is kept", { timeout: 180_000 }, () => {
  it("are refused where they are of another bank, environment or account, with what to do", async () => {
    const { open, options } = makePollingAcme()
    await withPagora(options, async ({ pspCredentials }) => {
      const { pspCredentialId: psp } = await pspCredentials.add(added)
      const given = { provider: "acme", environment: "production", settings } as const
      const elsewhere = { ...settings, account: "maria@example.com" }
      for (const [rotation, code, sentence] of [
        [
          { ...given, provider: "inter" },
          "PSP_PROVIDER_CHANGED",
          /^provider: the credentials under this id are of acme.*give others of acme, or add these/
        ],
        [
          { ...given, environment: "sandbox" },
          "PSP_ENVIRONMENT_MISMATCH",
          /^environment: this deployment is one of production.*the bank's production environment \(PAGORA_BANK_ENV/
        ],
        [
          { ...given, settings: elsewhere },
          "PSP_ACCOUNT_CHANGED",
          /than the one that is kept \(.+\), and nothing.*give others of the same account, or add/
        ]
      ] as const) {
        const refusal = await refusalOf(pspCredentials.rotate(psp, rotation))
        assert.strictEqual(refusal.code, code)
        assert.match(refusal.message, sentence)
      }
      await pspCredentials.revoke(psp)
      const revoked = await refusalOf(pspCredentials.rotate(psp, { settings: elsewhere }))
      assert.strictEqual(revoked.code, "PSP_ACCOUNT_CHANGED")
      assert.strictEqual((await pspCredentials.rotate(psp, given)).status, "active")
      assert.deepStrictEqual(open, [first])
    })
  })

  it("are not told in a refusal, also where one secret is a part of another", async () => {
    const { options } = makePollingAcme()
    const pspProviders = {
      acme: {
        make: () =>
          Effect.fail(
            new PspSettingsRefused({
              faults: [
                "Acme knows neither hunter2-of-acme nor hunter2.",
                "MIIBhunter2Line of the key is none."
              ]
            })
          )
      }
    }
    await withPagora({ ...options, pspProviders }, async ({ pspCredentials }) => {
      const refused = pspCredentials.add({
        provider: "acme",
        settings: {
          short: "hunter2",
          long: "hunter2-of-acme",
          key: "-----BEGIN KEY-----\nMIIBhunter2Line\r\nother\n-----END KEY-----\n"
        }
      })
      assert.strictEqual(
        (await refusalOf(refused)).message,
        "Acme knows neither … nor …. … of the key is none."
      )
    })
  })
})

/** A machine whose clock is a day ahead until it is set right; what goes by no date goes on steadily. */
const fastClock = Effect.map(Clock.Clock, (clock) => {
  let ahead = 24 * 60 * 60 * 1_000
  const millis = () => clock.currentTimeMillisUnsafe() + ahead
  const nanos = () => BigInt(millis()) * 1_000_000n
  const machine: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
  return {
    on: Effect.provideService(Clock.Clock, machine),
    setRight: () => {
      ahead = 0
    }
  }
})

describe("a PSP that is kept, and could not be made", { timeout: 180_000 }, () => {
  it.effect(
    "is tried again after a minute, whatever the clock is set to, and is told of once",
    () =>
      Effect.gen(function* () {
        const { options } = makePollingAcme()
        const storage = yield* Effect.promise(sharedMemory)
        const psp = yield* Effect.promise(() =>
          withPagora({ ...options, storage, secret }, async ({ pspCredentials }) =>
            PspCredentialId.make((await pspCredentials.add(added)).pspCredentialId)
          )
        )
        let isAway = true
        const { acme } = options.pspProviders
        const flaky: PspProviders = {
          acme: {
            make: (given) =>
              isAway || acme === undefined
                ? new PspSettingsRefused({ faults: ["The vault is away."] })
                : acme.make(given)
          }
        }
        const told: Array<string> = []
        const logger = Logger.make(({ message }) => told.push(String(message)))
        const kept = KeptPsps.layer(flaky).pipe(
          Layer.provide(pspsOf(configured().psp)),
          Layer.provide(Storage.layer()),
          Layer.provide(storage),
          Layer.provide(SecretsNode.layer({ secret: Redacted.make(secret) })),
          Layer.provide(Logger.layer([logger]))
        )
        const machine = yield* fastClock
        const { find } = Context.get(yield* machine.on(Layer.build(kept)), PspDirectory)
        assert.isUndefined(find(psp))
        yield* TestClock.adjust("90 seconds")
        assert.isUndefined(find(psp))
        assert.match(
          told.join(),
          /^A PSP whose credentials are kept .* tried again every minute\.$/
        )
        isAway = false
        machine.setRight()
        yield* TestClock.adjust("90 seconds")
        assert.strictEqual(find(psp)?.provider, "acme")
      }).pipe(Effect.scoped)
  )
})

describe("whoever adds a PSP and leaves before the answer", { timeout: 180_000 }, () => {
  it.live("has it looked at all the same", () => {
    let looks = 0
    const { options } = makePollingAcme({
      listInfractions: () =>
        Effect.sync(() => {
          looks++
          return done({ infractions: [] })
        })
    })
    return Effect.gen(function* () {
      const { add, list } = yield* PspCredentials
      const request = { provider: "acme", settings: Redacted.make(settings) }
      const adding = yield* Effect.forkChild(add(request))
      yield* Effect.repeat(list, { until: (all) => all.length === 1 })
      yield* Effect.sleep("200 millis")
      yield* Fiber.interrupt(adding)
      yield* Effect.promise(() => until(() => looks === 1))
    }).pipe(Effect.provide(Pagora.layer({ ...options, storage: memory(), logger: false })))
  })
})

describe("the setup of a PSP that is kept", { timeout: 180_000 }, () => {
  it("that breaks down is a finding that says so", async () => {
    const { options } = makePollingAcme({ prepare: () => Effect.die(new Error("no route")) })
    await withPagora(options, async ({ pspCredentials }) => {
      const { pspCredentialId: psp } = await pspCredentials.add(added)
      const publicUrl = "https://pay.example.com/v2"
      const [finding] = (await pspCredentials.setUp(psp, { publicUrl })).findings
      assert.include(finding ?? {}, { name: "setup", state: "failed" })
      assert.match(finding?.message ?? "", /^It broke down.*the log tells/)
    })
  })

  it.effect("that hangs is one, too, after two minutes", () =>
    Effect.gen(function* () {
      const prepare = () => Effect.never
      const webhookUrl = "https://pay.example.com/v2/psp/1/webhook"
      const asked = yield* Effect.forkChild(pspPreparation({ ...bankPsp, prepare }, { webhookUrl }))
      yield* TestClock.adjust("2 minutes")
      const [finding] = yield* Fiber.join(asked)
      assert.match(finding?.message ?? "", /^It did not come to its end in 2 minutes/)
    })
  )
})

describe("the check of a PSP that is kept", { timeout: 180_000 }, () => {
  it("is told where its notifications are to go, where that is known", async () => {
    const wanted: Array<PspPreparation | undefined> = []
    const fine: PspFinding = { name: "webhook", state: "ok", message: "It is registered." }
    const check = (asked?: PspPreparation) =>
      Effect.sync(() => {
        wanted.push(asked)
        return [fine]
      })
    const { options } = makePollingAcme({ check })
    await withPagora(options, async ({ pspCredentials }) => {
      const { pspCredentialId: psp } = await pspCredentials.add(added)
      const [end, ...own] = (await pspCredentials.check(psp)).findings
      assert.match(end?.message ?? "", /^The certificate .* 2027-05-01/)
      assert.deepStrictEqual(own, [fine])
      await pspCredentials.check(psp, { publicUrl: "https://pay.example.com/v2/" })
      const webhookUrl = `https://pay.example.com/v2/psp/${psp}/webhook`
      assert.deepStrictEqual(wanted, [undefined, { webhookUrl }])
      const wrong = pspCredentials.check(psp, { publicUrl: "pay.example.com" })
      assert.match((await refusalOf(wrong)).message, /address of the tenants' API/)
    })
  })
})
