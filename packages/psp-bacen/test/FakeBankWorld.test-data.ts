import type { RawNotification } from "@pagora/core"
import type { FakeBank, FakeBankOptions } from "@pagora/fake-bank"
import { startFakeBank } from "@pagora/fake-bank"
import type { BacenOptions, BankName } from "@pagora/psp-bacen"
import { bacen, Certificate } from "@pagora/psp-bacen"
import { PspUnderTest } from "@pagora/testkit"
import type { Scope } from "effect"
import { Effect, Layer } from "effect"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import type { TLSSocket } from "node:tls"

/** A bank that is started for a test. */
export const aBank = (
  name: BankName,
  more: Partial<FakeBankOptions> = {}
): Effect.Effect<FakeBank, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => startFakeBank({ bank: name, balance: 10_000_000, ...more })),
    (bank) => Effect.promise(() => bank.close())
  )

/** How we are known at it. */
export const optionsAt = (bank: FakeBank, more: Partial<BacenOptions> = {}): BacenOptions => {
  const { appKey, certificate, clientId, clientSecret, key } = bank.client
  return {
    bank: bank.bank,
    environment: "production",
    pixKey: bank.pixKey,
    clientId,
    clientSecret,
    appKey,
    certificate: Certificate.pem({ certificate, privateKey: key }),
    certificateAuthority: bank.ca,
    callbacks: { by: "mutualTls" },
    origin: bank.urls.origin,
    ...more
  }
}

/** A listener of ours on this machine, which wants the certificate of the bank and keeps what it sends. */
export const aListener = (bank: FakeBank) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      readonly taken: ReadonlyArray<RawNotification>
      readonly stop: () => void
    }>((resume) => {
      const taken: Array<RawNotification> = []
      const { certificate, key } = bank.callbacks.receiver
      const tls = { cert: certificate, key, ca: bank.callbacks.ca, requestCert: true }
      const listener = createServer({ ...tls, rejectUnauthorized: true }, (request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const { pathname, searchParams } = new URL(request.url ?? "/", "https://127.0.0.1")
          const shown = (request.socket as TLSSocket).getPeerX509Certificate()
          taken.push({
            headers: request.headers as Record<string, string>,
            body: Buffer.concat(chunks),
            query: Object.fromEntries(searchParams),
            path: pathname.endsWith("/pix") ? "/pix" : "",
            remoteAddress: "127.0.0.1",
            ...(shown === undefined
              ? {}
              : {
                  clientCertificate: {
                    verified: true,
                    subject: shown.subject.split("\n").toReversed().join(","),
                    fingerprint: shown.fingerprint256.replaceAll(":", "").toLowerCase()
                  }
                })
          })
          response.end()
        })
      })
      listener.listen(0, "127.0.0.1", () => {
        const { port } = listener.address() as AddressInfo
        const stop = () => {
          listener.closeAllConnections()
          listener.close()
        }
        resume(Effect.succeed({ url: `https://127.0.0.1:${port}/v2/psp/id/webhook`, taken, stop }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )

/** What the suite of laws needs of a bank. */
export const underTest = (name: BankName): Layer.Layer<PspUnderTest> =>
  Layer.effect(
    PspUnderTest,
    Effect.gen(function* () {
      const bank = yield* aBank(name)
      const listener = yield* aListener(bank)
      const psp = bacen(optionsAt(bank))
      yield* psp.prepare?.({ webhookUrl: listener.url }) ?? Effect.void
      return PspUnderTest.of({
        psp,
        pay: (reference, amount) =>
          Effect.sync(() => {
            bank.pay(reference, {
              late: true,
              payer: { document: payerDocument },
              ...(amount === undefined ? {} : { centavos: Number(amount) })
            })
          }),
        settlePayout: (reference, end) =>
          Effect.sync(() => {
            bank.settlePayout(nameOf(bank, reference), end)
          }),
        settleRefund: (reference, end) =>
          Effect.sync(() => {
            bank.settleReturn(reference, end === "confirmed" ? "DEVOLVIDO" : "NAO_REALIZADO")
          }),
        payKey: () => Effect.sync(() => bank.payKey({ centavos: 1234 }).endToEndId),
        returnPayment: (endToEndId) =>
          Effect.sync(() => {
            bank.returnPayment(endToEndId)
          }),
        reportInfraction: (endToEndId) => Effect.sync(() => bank.reportInfraction(endToEndId).id),
        payerDocument,
        notifications: (told) =>
          Effect.sync(() => {
            const shown = shownAs(bank, told)
            return listener.taken.filter(({ body }) => Buffer.from(body).toString().includes(shown))
          })
      })
    })
  )

const payerDocument = "52998224725"

/** What a payout of ours is called at the bank: at Inter, our reference as a UUID. */
const nameOf = ({ bank }: FakeBank, reference: string): string =>
  bank === "inter" ? reference.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") : reference

/** What a callback has in the place of our reference: of a payout, Inter names its own id alone. */
const shownAs = (bank: FakeBank, told: string): string =>
  bank.world.payouts.find(
    ({ reference }) => bank.bank === "inter" && reference === nameOf(bank, told)
  )?.id ?? told
