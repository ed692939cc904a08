import type { PspShape } from "@pagora/core"
import type { BankInHand, FakeBank } from "@pagora/fake-bank"
import type { FakeWoovi } from "@pagora/fake-bank/woovi"
import type { BankName } from "@pagora/psp-bacen"
import { bacen, banks, Certificate } from "@pagora/psp-bacen"
import { woovi } from "@pagora/psp-woovi"
import { Duration, Effect } from "effect"

/** How long a return that nobody asked for takes, also where all else waits for hands. */
const automaticMillis = 1_000

/** The adapter of banks, as it is at one on this machine. */
export const bankPsp = (name: BankName, bank: FakeBank): PspShape => {
  const { appKey, certificate, clientId, clientSecret, key } = bank.client
  const psp = bacen({
    // How often a bank may be asked would have tests wait.
    bank: { ...banks[name], budget: { tokensPerMinute: 600, pauseSeconds: 1 } },
    environment: "sandbox",
    pixKey: bank.pixKey,
    clientId,
    clientSecret,
    appKey,
    certificate: Certificate.pem({ certificate, privateKey: key }),
    certificateAuthority: bank.ca,
    callbacks: { by: "mutualTls" },
    origin: bank.urls.origin
  })
  return nearby(psp, bank)
}

/** Woovi's adapter, as it is at one on this machine. */
export const wooviPsp = (bank: FakeWoovi): PspShape =>
  nearby(
    woovi({
      appId: bank.appId,
      environment: "sandbox",
      url: bank.url,
      publicKeys: bank.keys.published()
    }),
    bank
  )

const nearby = (psp: PspShape, bank: BankInHand): PspShape => ({
  ...psp,
  capabilities: {
    ...psp.capabilities,
    // It is not far away: what it has done it shows at once.
    notFoundIsFinalAfter: Duration.zero,
    settlementLag: Duration.zero
  },
  sendPayout: (payout) => Effect.andThen(knowHolder(bank, payout), psp.sendPayout(payout)),
  refund: (refund) =>
    Effect.tap(psp.refund(refund), () =>
      refund.purpose === "automatic" ? settleLater(bank, refund.reference) : Effect.void
    )
})

/** In a sandbox every key is whose it is expected to be. */
const knowHolder = (
  bank: BankInHand,
  { holder, pixKey }: Parameters<PspShape["sendPayout"]>[0]
): Effect.Effect<void> =>
  Effect.sync(() => {
    const { document, name = "João Souza" } = holder
    if (document !== undefined) bank.nameOwner(pixKey.value, { name, document })
  })

const settleLater = (bank: BankInHand, reference: string): Effect.Effect<void> =>
  Effect.sync(() =>
    bank.clock.later(automaticMillis, () => {
      const isOpen = [...bank.world.payments.values()].some(({ returns }) =>
        returns.some(({ id, status }) => id === reference && status === "EM_PROCESSAMENTO")
      )
      if (isOpen) bank.settleReturn(reference, "DEVOLVIDO")
    })
  )
