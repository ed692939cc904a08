import { assert, describe, it } from "@effect/vitest"
import type {
  LogEntry,
  PagoraInstance,
  PagoraOptions,
  PspInfraction,
  PspProviders
} from "@pagora/core"
import { memory, Pagora, PspOutcome, PspSettingsRefused, StorageDriver } from "@pagora/core"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { refusalOf, secret, sharedMemory, until, withPagora } from "../world/Embedding.test-data.ts"
import type { PlainBank } from "./PlainBank.test-data.ts"
import { bankA, bankB, plainBank } from "./PlainBank.test-data.ts"

const hidden = "segredo-do-banco-0001"
const next = "segredo-do-banco-0002"
const endsAt = DateTime.makeUnsafe("2027-05-01T00:00:00Z")

/** A bank that is asked with the secret of its settings; it knows one account by many. */
const makeAcme = () => {
  const bank = plainBank({ provider: "acme" })
  const askedWith: Array<string> = []
  /** What was reported to it, of which no notice tells. */
  const reports: Array<PspInfraction> = []
  const providers: PspProviders = {
    acme: {
      make: ({ environment, settings }) => {
        const { account = "", clientId = "", clientSecret = "" } = Redacted.value(settings)
        if (clientSecret === "")
          return Effect.fail(
            new PspSettingsRefused({ faults: ["settings.clientSecret is missing."] })
          )
        if (clientSecret.startsWith("quote"))
          return Effect.fail(
            new PspSettingsRefused({ faults: [`${clientSecret} is none that Acme gives out.`] })
          )
        if (clientSecret.startsWith("throw")) return Effect.die(new Error(clientSecret))
        return Effect.succeed({
          psp: {
            ...bank.psp,
            environment,
            identity: { clientId, account },
            createCharge: (charge) => {
              askedWith.push(clientSecret)
              return bank.psp.createCharge(charge)
            },
            findCharge: (reference) => {
              askedWith.push(clientSecret)
              return bank.psp.findCharge(reference)
            },
            listInfractions: () => Effect.succeed(PspOutcome.done({ infractions: reports })),
            findInfraction: (id) =>
              Effect.succeed(PspOutcome.done(reports.find((report) => report.id === id)))
          },
          certificateEndsAt: endsAt
        })
      }
    }
  }
  return { bank, askedWith, reports, providers }
}

const settings = { clientId: "loja", account: "11222333000181", clientSecret: hidden }

const configured = (): Pick<PagoraOptions, "psp"> => ({
  psp: { default: bankA, psps: { [bankA]: plainBank({ provider: "plain" }).psp } }
})

/** A service at a bank that is configured, with Acme among those that can be kept. */
const world = () => {
  const acme = makeAcme()
  return { ...acme, options: { ...configured(), pspProviders: acme.providers } }
}

const charge = (pagora: PagoraInstance, account: string) =>
  pagora.charges.create(account, { amount: 10 })

/** Somebody pays, the bank tells of it, and it is in the wallet. */
const paid = async (
  pagora: PagoraInstance,
  bank: PlainBank,
  account: string,
  made: Awaited<ReturnType<typeof charge>>
) => {
  bank.pay(made.pspPaymentId)
  await notified(pagora, made)
  let isIn = false
  await until(() => {
    void pagora.transactions.find(account, made.id).then(({ status }) => {
      isIn = status === "completed"
    })
    return isIn
  })
}

const notified = (pagora: PagoraInstance, made: Awaited<ReturnType<typeof charge>>) =>
  pagora.fetch(
    new Request(`http://pagora.test/psp/${made.pspCredentialId}/webhook`, {
      method: "POST",
      body: made.pspPaymentId
    })
  )

/** Everything that the storage has of what is kept. */
const rowsOf = (storage: PagoraOptions["storage"]) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const driver = yield* StorageDriver
      return yield* driver.list({
        table: "registry",
        kind: "psp_credential",
        order: "asc",
        limit: 100
      })
    }).pipe(Effect.provide(storage))
  )

describe("credentials of a PSP that are kept", { timeout: 60_000 }, () => {
  it("are added while the service runs: an account charges there, and is paid", async () => {
    const { askedWith, bank, options } = world()
    await withPagora(options, async (pagora) => {
      assert.deepStrictEqual(await pagora.pspCredentials.list(), { data: [], providers: ["acme"] })
      const added = await pagora.pspCredentials.add({ provider: "acme", label: "Matriz", settings })
      const { createdAt, fingerprint, pspCredentialId: psp, ...shown } = added
      assert.deepStrictEqual(shown, {
        provider: "acme",
        environment: "production",
        status: "active",
        label: "Matriz",
        clientId: "loja",
        pspAccount: "11222333000181",
        certificateEndsAt: "2027-05-01T00:00:00.000Z"
      })
      assert.match(fingerprint, /^[0-9a-f]{16}$/)
      assert.deepStrictEqual((await pagora.pspCredentials.list()).data, [added])
      assert.isAbove(Date.parse(createdAt), 0)

      const { id } = await pagora.accounts.create({ name: "Loja", psps: { default: psp } })
      const made = await charge(pagora, id)
      assert.strictEqual(made.pspCredentialId, psp)
      assert.deepStrictEqual(askedWith, [hidden])
      await paid(pagora, bank, id, made)
    })
  })

  it("are rotated while a charge is open, which goes on with the new ones", async () => {
    const { askedWith, bank, options } = world()
    await withPagora(options, async (pagora) => {
      const { fingerprint, pspCredentialId: psp } = await pagora.pspCredentials.add({
        provider: "acme",
        settings
      })
      const { id } = await pagora.accounts.create({ name: "Loja", psps: { default: psp } })
      const open = await charge(pagora, id)
      const rotated = await pagora.pspCredentials.rotate(psp, {
        settings: { ...settings, clientId: "loja-2", clientSecret: next }
      })
      assert.notStrictEqual(rotated.fingerprint, fingerprint)
      assert.strictEqual(rotated.clientId, "loja-2")
      assert.isDefined(rotated.rotatedAt)
      askedWith.length = 0
      await paid(pagora, bank, id, open)
      assert.deepStrictEqual([...new Set(askedWith)], [next])

      const other = pagora.pspCredentials.rotate(psp, {
        settings: { ...settings, account: "maria@example.com" }
      })
      assert.strictEqual((await refusalOf(other)).code, "PSP_ACCOUNT_CHANGED")
    })
  })

  it("are destroyed where they are revoked: what was begun waits, until there are others", async () => {
    const { bank, options } = world()
    const storage = await sharedMemory()
    await withPagora({ ...options, storage, secret }, async (pagora) => {
      const { pspCredentialId: psp } = await pagora.pspCredentials.add({
        provider: "acme",
        settings
      })
      const { id } = await pagora.accounts.create({ name: "Loja", psps: { default: psp } })
      const open = await charge(pagora, id)
      await pagora.pspCredentials.revoke(psp)
      await pagora.pspCredentials.revoke(psp)
      const [kept] = (await pagora.pspCredentials.list()).data
      assert.strictEqual(kept?.status, "revoked")
      assert.notInclude(JSON.stringify(await rowsOf(storage)), "sealedSettings")
      assert.strictEqual((await refusalOf(charge(pagora, id))).code, "PSP_UNAVAILABLE")
      const check = pagora.pspCredentials.check(psp)
      assert.strictEqual((await refusalOf(check)).code, "PSP_UNAVAILABLE")
      bank.pay(open.pspPaymentId)
      assert.strictEqual((await notified(pagora, open)).status, 404)
      assert.strictEqual((await pagora.transactions.find(id, open.id)).status, "pending")

      const again = await pagora.pspCredentials.rotate(psp, {
        settings: { ...settings, clientSecret: next }
      })
      assert.strictEqual(again.status, "active")
      assert.isUndefined(again.revokedAt)
      await paid(pagora, bank, id, open)
      // Its layer looks at nothing; when its certificate ends is known all the same.
      const { findings } = await pagora.pspCredentials.check(psp)
      assert.deepStrictEqual(
        findings.map(({ name }) => name),
        ["certificate"]
      )
    })
  })

  it("are known to every process once the one that was asked has answered", async () => {
    const { askedWith, options } = world()
    const storage = await sharedMemory()
    const shared = { ...options, storage, secret }
    await withPagora(shared, (one) =>
      withPagora(shared, async (other) => {
        const { pspCredentialId: psp } = await one.pspCredentials.add({
          provider: "acme",
          settings
        })
        const { id } = await other.accounts.create({ name: "Loja", psps: { default: psp } })
        await charge(other, id)
        await one.pspCredentials.rotate(psp, { settings: { ...settings, clientSecret: next } })
        await charge(other, id)
        assert.deepStrictEqual(askedWith, [hidden, next])
        await one.pspCredentials.revoke(psp)
        assert.strictEqual((await refusalOf(charge(other, id))).code, "PSP_UNAVAILABLE")
      })
    )
  })

  it("are there after a restart, whichever secret they were sealed under, as long as that is known", async () => {
    const { options } = world()
    const storage = await sharedMemory()
    const first = await Pagora.start({ ...options, storage, secret, logger: false })
    const { pspCredentialId: psp } = await first.pspCredentials.add({ provider: "acme", settings })
    const { id } = await first.accounts.create({ name: "Loja", psps: { default: psp } })
    await first.stop()

    const other = "another master secret, which nobody guesses either: 7c1f"
    const wrong = { ...options, storage, secret: other, logger: false } as const
    assert.match((await refusalOf(Pagora.start(wrong))).message, /^The secret is not the one/)
    await withPagora({ ...wrong, formerSecrets: [secret] }, async (pagora) => {
      assert.strictEqual((await charge(pagora, id)).pspCredentialId, psp)
    })
    // The former secret was dropped too early.
    const logged: Array<LogEntry> = []
    const deaf = { ...wrong, logger: (entry: LogEntry) => void logged.push(entry) }
    await withPagora(deaf, async (pagora) => {
      assert.strictEqual((await refusalOf(charge(pagora, id))).code, "PSP_UNAVAILABLE")
      // What it has beside them goes on, and whoever has the settings gives them anew.
      const usual = await pagora.accounts.create({ name: "Outra" })
      assert.strictEqual((await pagora.charges.create(usual.id, { amount: 1 })).status, "pending")
    })
    const told = logged.find(
      ({ annotations }) => annotations["psp"] === psp && "why" in annotations
    )
    assert.match(String(told?.annotations["why"]), /do not open.*former/)
  })

  it("do not open where they were moved to another PSP", async () => {
    const { options } = world()
    const storage = await sharedMemory()
    await withPagora({ ...options, storage, secret }, async (pagora) => {
      await pagora.pspCredentials.add({ provider: "acme", settings })
    })
    const moved = StorageDriver.pipe(
      Effect.map((driver) => ({
        ...driver,
        list: (query: Parameters<typeof driver.list>[0]) =>
          Effect.map(driver.list(query), (rows) =>
            rows.map((row) => ({
              ...row,
              document: row.document.replace(/"psp":"[^"]+"/, `"psp":"${bankB}"`)
            }))
          )
      }))
    )
    const driver = await Effect.runPromise(Effect.provide(moved, storage))
    const logged: Array<LogEntry> = []
    const deceived = {
      ...options,
      storage: Layer.succeed(StorageDriver, driver),
      secret,
      logger: (entry: LogEntry) => void logged.push(entry)
    }
    await withPagora(deceived, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja" })
      await refusalOf(pagora.accounts.change(id, { psps: { default: bankB } }))
    })
    assert.match(String(logged.map(({ annotations }) => annotations["why"])), /do not open/)
  })
})

describe("a PSP that is added while the service runs", { timeout: 60_000 }, () => {
  it("is asked for what was reported to it, without a restart, also after it was revoked", async () => {
    const { bank, options, reports } = world()
    const plays = { [bankA]: plainBank({ environment: "sandbox" }).psp }
    await withPagora({ ...options, psp: { default: bankA, psps: plays } }, async (pagora) => {
      const { pspCredentialId: psp } = await pagora.pspCredentials.add({
        provider: "acme",
        settings
      })
      const { id } = await pagora.accounts.create({ name: "Loja", psps: { default: psp } })
      const blocks = async () => (await pagora.blocks.list(id)).items.length
      const reported = async () => {
        const made = await charge(pagora, id)
        await paid(pagora, bank, id, made)
        const { endToEndId = "", paidAt = endsAt } = bank.payments(made.pspPaymentId).at(0) ?? {}
        reports.push({
          id: `report-${made.id}`,
          endToEndId,
          status: "open",
          amount: 1000n as PspInfraction["amount"],
          reportedAt: paidAt
        })
        await pagora.advanceTime({ seconds: 16 * 60 })
      }
      await reported()
      assert.strictEqual(await blocks(), 1)
      // Its looks end with the first that finds it gone.
      await pagora.pspCredentials.revoke(psp)
      await pagora.advanceTime({ seconds: 16 * 60 })
      await pagora.pspCredentials.rotate(psp, { settings })
      await reported()
      assert.strictEqual(await blocks(), 2)
    })
  })
})

describe("what is configured wins over what is kept", { timeout: 60_000 }, () => {
  it("a start with both fails and says what to do, by the id and by the client id", async () => {
    const { bank, options } = world()
    const storage = await sharedMemory()
    await withPagora({ ...options, storage, secret }, async (pagora) => {
      await pagora.pspCredentials.add({ provider: "acme", pspCredentialId: bankB, settings })
    })
    const identity = { clientId: "loja", account: "11222333000181" }
    const start = (id: string, psp: PlainBank["psp"]) =>
      Pagora.start({
        storage,
        secret,
        logger: false,
        pspProviders: options.pspProviders,
        psp: { default: bankA, psps: { [bankA]: plainBank().psp, [id]: psp } }
      })
    const byId = await refusalOf(start(bankB, bank.psp))
    assert.match(byId.message, /kept in the database.*has this id, too.*pagora psp revoke/)
    const other = "00000000-0000-7000-8000-0000000000cc"
    const byClient = await refusalOf(start(other, { ...bank.psp, identity }))
    assert.match(byClient.message, /has the same client id, under .*cc: keep one of them/)
    const another = { ...identity, clientId: "outra" }
    const byAccount = await refusalOf(start(other, { ...bank.psp, identity: another }))
    assert.match(byAccount.message, /is of the same account, under .*cc: keep one of them/)
    const elsewhere = { ...another, account: "maria@example.com" }
    await (await start(other, { ...bank.psp, identity: elsewhere })).stop()
  })

  it("is not added, nor is what is kept already", async () => {
    const { bank, options } = world()
    const identity = { clientId: "da-casa", account: "11222333000181" }
    const psps = { [bankA]: { ...bank.psp, identity } }
    await withPagora({ ...options, psp: { default: bankA, psps } }, async (pagora) => {
      const refused = async (request: object, sentence: RegExp) => {
        const refusal = await refusalOf(
          pagora.pspCredentials.add({ provider: "acme", settings, ...request })
        )
        assert.strictEqual(refusal.code, "PSP_ALREADY_THERE")
        assert.match(refusal.message, sentence)
      }
      await refused({ pspCredentialId: bankA }, /is configured, and the configuration wins/)
      const house = { settings: { ...settings, clientId: "da-casa" } }
      await refused(house, /is configured under 0000.*0a, and the configuration wins/)
      // Two of one account would each take the payments of the other for money that nobody asked for.
      await refused({}, /is configured under 0000.*0a, and the configuration wins/)
      const apart = { ...settings, account: "maria@example.com" }
      await pagora.pspCredentials.add({ provider: "acme", pspCredentialId: bankB, settings: apart })
      const client = { settings: { ...apart, account: "ana@example.com" } }
      await refused(client, /Credentials of this client are kept under 0000.*0b already/)
      const account = { settings: { ...apart, clientId: "outra" } }
      await refused(account, /Credentials of this account are kept under 0000.*0b already/)
      await refused(
        { pspCredentialId: bankB, settings: apart },
        /kept under this id already: rotate them/
      )
    })
  })
})

describe("what cannot be kept", { timeout: 60_000 }, () => {
  it("is said in a sentence", async () => {
    const { options } = world()
    await withPagora(options, async (pagora) => {
      const refused = async (request: object, code: string, sentence: RegExp) => {
        const refusal = await refusalOf(
          pagora.pspCredentials.add({ provider: "acme", settings, ...request })
        )
        assert.strictEqual(refusal.code, code)
        assert.match(refusal.message, sentence)
      }
      await refused({ provider: "nubank" }, "PSP_PROVIDER_UNKNOWN", /can be kept of acme/)
      await refused({ settings: {} }, "PSP_SETTINGS_INVALID", /clientSecret is missing/)
      await refused({ environment: "sandbox" }, "PSP_ENVIRONMENT_MISMATCH", /one of production/)
      const unknown = "00000000-0000-7000-8000-0000000000cc"
      for (const ask of [
        () => pagora.pspCredentials.rotate(unknown, { settings }),
        () => pagora.pspCredentials.revoke(unknown),
        () => pagora.pspCredentials.check(unknown)
      ])
        assert.match(
          (await refusalOf(ask())).message,
          /^No credentials are kept of a PSP with this id/
        )
    })
    await withPagora(configured(), async (pagora) => {
      assert.deepStrictEqual((await pagora.pspCredentials.list()).providers, [])
      const refusal = await refusalOf(pagora.pspCredentials.add({ provider: "acme", settings }))
      assert.match(refusal.message, /started without pspProviders/)
    })
    const start = (pspProviders: object) =>
      Pagora.start({ ...options, storage: memory(), pspProviders } as never)
    assert.match((await refusalOf(start({ Acme: {} }))).message, /^pspProviders has the name Acme/)
    assert.match((await refusalOf(start({ acme: {} }))).message, /without make, under acme/)
  })

  it("is told once under one Idempotency-Key", async () => {
    const { options } = world()
    await withPagora(options, async (pagora) => {
      const add = () =>
        pagora.pspCredentials.add(
          { provider: "acme", settings },
          { idempotencyKey: "efi-of-the-shop" }
        )
      assert.deepStrictEqual(await add(), await add())
      assert.lengthOf((await pagora.pspCredentials.list()).data, 1)
    })
  })
})

describe("secrets of PSPs", { timeout: 60_000 }, () => {
  it("stand in no row, no answer, no refusal and no log", async () => {
    const { options } = world()
    const storage = await sharedMemory()
    const told: Array<string> = []
    const logger = (entry: LogEntry) => void told.push(JSON.stringify(entry))
    await withPagora({ ...options, storage, secret, logger }, async (pagora) => {
      const { pspCredentials } = pagora
      const add = (clientSecret: unknown) =>
        pspCredentials.add({ provider: "acme", settings: { ...settings, clientSecret } } as never, {
          idempotencyKey: `key-${String(told.length)}-${String(clientSecret).length}`
        })
      const keep = (value: unknown) => told.push(JSON.stringify(value))
      const refused = async (clientSecret: unknown) => {
        const { code, details, message } = await refusalOf(add(clientSecret))
        keep({ code, message, details })
      }
      await refused(`quote-${hidden}`)
      await refused(`throw-${hidden}`)
      await refused([hidden])
      for (const wrong of [hidden, [hidden]]) {
        const given = pspCredentials.add({ provider: "acme", settings: wrong } as never)
        keep((await refusalOf(given)).message)
      }
      await refused(45_454_545_454)
      const added = await add(hidden)
      keep(added)
      keep(await pspCredentials.list())
      keep(
        await pspCredentials.rotate(added.pspCredentialId, {
          settings: { ...settings, clientSecret: next }
        })
      )
      keep(await rowsOf(storage))
    })
    assert.match(told.join("\n"), /… is none that Acme gives out/)
    assert.match(told.join("\n"), /sealedSettings/)
    for (const word of [hidden, next, "45454545454"])
      assert.deepStrictEqual(
        told.filter((line) => line.includes(word)),
        []
      )
  })
})
