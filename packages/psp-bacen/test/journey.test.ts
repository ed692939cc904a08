import type { PspOutcome } from "@pagora/core"
import { Money, PixKey } from "@pagora/core"
import type { BankName } from "@pagora/psp-bacen"
import { bacen, banks, Certificate } from "@pagora/psp-bacen"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Redacted, Result } from "effect"
import { aBank, aListener, optionsAt } from "./FakeBankWorld.test-data.ts"

const amount = Money.Centavos.make(2590n)
const part = Money.Centavos.make(1000n)
const rest = Money.Centavos.make(1590n)
const payer = "52998224725"
const maria = Result.getOrThrow(PixKey.parse("email", "maria@example.com"))

let count = 0
/** A reference that was never used. */
const aReference = () => (++count).toString(16).padStart(32, "0")

const doneOf = <A>(outcome: PspOutcome<A>): A =>
  outcome._tag === "Done" ? outcome.value : assert.fail(JSON.stringify(outcome))

const aCharge = (reference: string) => ({ reference, amount, expiresInSeconds: 600 })

layer(Layer.empty, { excludeTestServices: true })("over real sockets", (it) => {
  for (const name of Object.keys(banks) as ReadonlyArray<BankName>) {
    it.effect(
      `${name}: a charge is made, paid, told of, confirmed, given back in parts and listed`,
      () =>
        Effect.gen(function* () {
          const bank = yield* aBank(name)
          const listener = yield* aListener(bank)
          const psp = bacen(optionsAt(bank))
          for (const _ of [1, 2]) {
            const findings = yield* (
              psp.prepare?.({ webhookUrl: listener.url }) ?? Effect.succeed([])
            )
            const webhook = findings.find((finding) => finding.name === "webhook")
            assert.strictEqual(webhook?.state, "ok", JSON.stringify(findings))
          }
          const checked = yield* psp.check?.() ?? Effect.succeed([])
          const basic = checked.filter(({ name }) => /certificate|scopes|webhook$/.test(name))
          assert.notInclude(
            basic.map(({ state }) => state),
            "failed"
          )

          const reference = aReference()
          doneOf(
            yield* psp.createCharge({
              ...aCharge(reference),
              description: "Pedido 42: açaí & pão",
              payer: { name: "Maria Clara", document: payer }
            })
          )
          const { endToEndId } = bank.pay(reference)
          yield* Effect.promise(() => bank.callbacks.idle())
          const callback = listener.taken.find(({ body }) =>
            Buffer.from(body).toString().includes(endToEndId)
          )
          if (callback === undefined) return assert.fail("no callback")
          const [notice] = yield* psp.readNotification(callback)
          assert.deepInclude(notice, { _tag: "Charge", reference })

          const [payment] = doneOf(yield* psp.findCharge(reference))?.payments ?? []
          assert.strictEqual(payment?.endToEndId, endToEndId)
          const confirm = psp.confirmPayer ?? (() => Effect.die("left out"))
          assert.isTrue(doneOf(yield* confirm({ endToEndId, document: payer })))

          for (const amount of [part, rest]) {
            const order = {
              reference: aReference(),
              endToEndId,
              amount,
              purpose: "requested"
            } as const
            doneOf(yield* psp.refund({ ...order, reason: "não serviu" }))
            bank.settleReturn(order.reference, "DEVOLVIDO")
            assert.strictEqual(doneOf(yield* psp.findRefund(order))?.status, "confirmed")
          }
          const now = yield* DateTime.now
          const period = {
            from: DateTime.subtract(now, { minutes: 5 }),
            to: DateTime.add(now, { minutes: 5 })
          }
          const { payments } = doneOf(yield* psp.listPayments?.(period) ?? Effect.die("left out"))
          assert.deepStrictEqual(
            payments.map((one) => [one.endToEndId, one.returns.map(({ amount }) => amount)]),
            [[endToEndId, [part, rest]]]
          )

          const other = aReference()
          doneOf(yield* psp.createCharge(aCharge(other)))
          assert.strictEqual(doneOf(yield* psp.cancelCharge(other)).status, "removed")
          assert.isUndefined(doneOf(yield* psp.findCharge(aReference())))
          assert.deepStrictEqual(bank.findings, [])
        }).pipe(Effect.scoped)
    )
  }

  it.effect(
    "efi: sends money once it has a webhook, to whom the key belongs, and finds reports",
    () =>
      Effect.gen(function* () {
        const bank = yield* aBank("efi")
        const listener = yield* aListener(bank)
        const psp = bacen(optionsAt(bank))
        const reference = aReference()
        const payout = { reference, amount, pixKey: maria, holder: { document: payer } }
        bank.nameOwner(maria.value, { name: "Maria", document: payer })
        assert.strictEqual((yield* psp.sendPayout(payout))._tag, "NotNow")
        yield* psp.prepare?.({ webhookUrl: listener.url }) ?? Effect.void
        const wrong = { ...payout, reference: aReference(), holder: { document: "40442820135" } }
        const mismatch = yield* psp.sendPayout(wrong)
        assert.deepInclude(mismatch, { _tag: "Rejected", code: "holder_mismatch" })
        doneOf(yield* psp.sendPayout(payout))
        bank.settlePayout(reference, "failed", { code: "AC06", message: "Conta bloqueada" })
        const failed = doneOf(yield* psp.findPayout({ reference }))
        assert.strictEqual(failed?.rejection?.code, "account_blocked")

        const find = psp.findInfraction ?? (() => Effect.die("left out"))
        const paid = bank.payKey({ centavos: 2590 })
        const { id } = bank.reportInfraction(paid.endToEndId)
        assert.strictEqual(doneOf(yield* find(id))?.status, "open")
        const waiting = yield* psp.check?.() ?? Effect.succeed([])
        const infractions = waiting.find(({ name }) => name === "infractions")
        assert.strictEqual(infractions?.state, "warning")
        bank.decideInfraction(id, "accepted")
        assert.strictEqual(doneOf(yield* find(id))?.status, "accepted")
        assert.deepStrictEqual(bank.findings, [])
      }).pipe(Effect.scoped)
  )

  it.effect("efi: who paid is told by its callback once it is prepared, and confirmed", () =>
    Effect.gen(function* () {
      const bank = yield* aBank("efi")
      const listener = yield* aListener(bank)
      const psp = bacen(optionsAt(bank))
      yield* psp.prepare?.({ webhookUrl: listener.url }) ?? Effect.void
      const reference = aReference()
      doneOf(yield* psp.createCharge(aCharge(reference)))
      const { endToEndId } = bank.pay(reference, { payer: { document: payer, name: "Maria" } })
      yield* Effect.promise(() => bank.callbacks.idle())
      const callback = listener.taken.find(({ body }) => String(body).includes(endToEndId))
      if (callback === undefined) return assert.fail("no callback")
      const claim = { endToEndId, document: payer, name: "Maria" }
      assert.deepStrictEqual(yield* psp.readNotification(callback), [
        { _tag: "Charge", reference, payers: [claim] }
      ])
      const confirm = psp.confirmPayer ?? (() => Effect.die("left out"))
      assert.isTrue(doneOf(yield* confirm(claim)))
    }).pipe(Effect.scoped)
  )

  it.effect("inter: waits for an approval as long as it takes, and leaves FALHA to a person", () =>
    Effect.gen(function* () {
      const bank = yield* aBank("inter", { payoutsNeedApproval: true })
      const psp = bacen(optionsAt(bank))
      const payout = { reference: aReference(), amount, pixKey: maria, holder: {} }
      const sent = doneOf(yield* psp.sendPayout(payout))
      assert.strictEqual(sent.status, "processing")
      bank.clock.advance(5 * 86_400_000)
      assert.strictEqual(doneOf(yield* psp.findPayout(sent))?.status, "processing")
      bank.approvePayout(sent.pspReference)
      bank.settlePayout(sent.pspReference, "completed")
      assert.strictEqual(doneOf(yield* psp.findPayout(sent))?.status, "completed")

      const other = doneOf(yield* psp.sendPayout({ ...payout, reference: aReference() }))
      bank.approvePayout(other.pspReference)
      bank.settlePayout(other.pspReference, "failed", { code: "FALHA", message: "?" })
      assert.strictEqual((yield* psp.findPayout(other))._tag, "Unknown")

      bank.faults.set([{ kind: "loseAnswer", operation: "sendPayout", times: 1 }])
      const lost = { ...payout, reference: aReference() }
      assert.strictEqual((yield* psp.sendPayout(lost))._tag, "Unknown")
      assert.isUndefined(doneOf(yield* psp.findPayout({ reference: lost.reference })))
      const before = bank.world.payouts.length
      doneOf(yield* psp.sendPayout(lost))
      assert.strictEqual(bank.world.payouts.length, before)
      assert.deepStrictEqual(bank.findings, [])
    }).pipe(Effect.scoped)
  )

  it.effect("a lost answer is unknown, and the charge is found under its txid", () =>
    Effect.gen(function* () {
      const bank = yield* aBank("efi")
      const psp = bacen(optionsAt(bank))
      bank.faults.set([{ kind: "loseAnswer", operation: "createCharge", times: 1 }])
      const reference = aReference()
      assert.strictEqual((yield* psp.createCharge(aCharge(reference)))._tag, "Unknown")
      const found = doneOf(yield* psp.findCharge(reference))
      assert.deepStrictEqual(doneOf(yield* psp.createCharge(aCharge(reference))), found)
    }).pipe(Effect.scoped)
  )

  it.effect("a token that has ended is renewed in the middle of it all", () =>
    Effect.gen(function* () {
      const bank = yield* aBank("inter")
      const psp = bacen(optionsAt(bank))
      doneOf(yield* psp.createCharge(aCharge(aReference())))
      bank.endTokens()
      const created = yield* Effect.all(
        Array.from({ length: 5 }, () => psp.createCharge(aCharge(aReference()))),
        { concurrency: "unbounded" }
      )
      for (const outcome of created) doneOf(outcome)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "a certificate that the bank takes no longer is replaced by the one that the provider has",
    () =>
      Effect.gen(function* () {
        const bank = yield* aBank("efi")
        let { certificate, key } = bank.client
        const provided = Certificate.provider(async () => ({
          certificate,
          privateKey: Redacted.make(key)
        }))
        const psp = bacen(optionsAt(bank, { certificate: provided }))
        doneOf(yield* psp.createCharge(aCharge(aReference())))
        const before = certificate
        const renewed = yield* Effect.promise(() => bank.certificates.renewClient())
        certificate = renewed.certificate
        key = renewed.key
        bank.certificates.revokeClient(before)
        // It is looked once a second at most.
        yield* Effect.sleep("1100 millis")
        const reference = aReference()
        const refused = yield* psp.createCharge(aCharge(reference))
        assert.notStrictEqual(refused._tag, "Rejected")
        // What was refused has made us look for the next one.
        yield* Effect.repeat(psp.createCharge(aCharge(reference)), { times: 1 })
        assert.isDefined(doneOf(yield* psp.findCharge(reference)))
      }).pipe(Effect.scoped)
  )

  it.effect("a bank that is down is not asked, and answers when it is back", () =>
    Effect.gen(function* () {
      const bank = yield* aBank("bradesco")
      const psp = bacen(optionsAt(bank))
      const gone = bacen(optionsAt(bank, { origin: "https://127.0.0.1:1" }))
      assert.strictEqual((yield* gone.createCharge(aCharge(aReference())))._tag, "NotSent")
      doneOf(yield* psp.createCharge(aCharge(aReference())))
    }).pipe(Effect.scoped)
  )

  it.effect(
    "forged callbacks do not reach us, and one about another customer's key names nothing",
    () =>
      Effect.gen(function* () {
        const bank = yield* aBank("bradesco")
        const listener = yield* aListener(bank)
        const psp = bacen(optionsAt(bank))
        const body = {
          pix: [
            { endToEndId: "E1234567820260102030400000000abc", valor: "1.00", chave: bank.pixKey }
          ]
        }
        for (const shows of ["stranger", "nothing"] as const) {
          const answer = yield* Effect.promise(() =>
            bank.callbacks.forge(listener.url, body, shows)
          )
          assert.property(answer, "failure")
        }
        assert.strictEqual(listener.taken.length, 0)

        const key = "outra@example.com"
        bank.openAccount({ key, webhookUrl: listener.url })
        bank.payKey({ centavos: 100, key })
        yield* Effect.promise(() => bank.callbacks.idle())
        const [foreign] = listener.taken
        if (foreign === undefined) return assert.fail("no callback")
        assert.deepStrictEqual(yield* psp.readNotification(foreign), [])
        const exit = yield* Effect.exit(
          psp.readNotification({
            headers: foreign.headers,
            body: foreign.body,
            query: {},
            path: "/pix"
          })
        )
        assert.isTrue(Exit.isFailure(exit))
      }).pipe(Effect.scoped)
  )
})
