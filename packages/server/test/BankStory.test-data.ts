import { assert } from "@effect/vitest"
import type { PagoraInstance, PspShape } from "@pagora/core"
import { memory, Pagora } from "@pagora/core"
import type { BankInHand, FakeBank } from "@pagora/fake-bank"
import { startFakeBank } from "@pagora/fake-bank"
import { startFakeWoovi } from "@pagora/fake-bank/woovi"
import { eventually } from "@pagora/testkit"
import { bacen, banks, Certificate } from "@pagora/psp-bacen"
import { woovi } from "@pagora/psp-woovi"
import { Effect, Exit, Scope } from "effect"
import type { TestContext } from "vitest"
import type { CallbackDoor } from "../src/dev/bank/CallbackDoor.ts"
import { certifiedDoor, plainDoor } from "../src/dev/bank/CallbackDoor.ts"

const pspId = "00000000-0000-7000-8000-0000000000e1"
const atFirst = 10_000_000

/** A shop whose money is at a bank that speaks over sockets, and both their clocks. */
export interface BankStory<Bank extends BankInHand = BankInHand> {
  readonly bank: Bank
  readonly pagora: PagoraInstance
  readonly shop: string
  /** Time goes by, at the bank and here, and what falls due is done. */
  readonly pass: (seconds: number) => Promise<void>
  readonly charge: (amount: number, expiresInSeconds?: number) => Promise<StoredCharge>
  readonly statusIs: (transaction: string, status: string) => Promise<void>
  readonly withdraw: (amount: number) => Promise<StoredPayout>
  /** What came to the account at the bank since the beginning, in centavos. */
  readonly arrived: () => number
  /** What wallets hold, and what is nobody's yet, in centavos. */
  readonly booked: () => Promise<number>
}

/** One at a bank that looks at certificates. */
export interface CertifiedStory extends BankStory<FakeBank> {
  /** Another certificate is in use from now on, and the bank takes the former no longer. */
  readonly renewCertificate: () => Promise<void>
}

/** A bank, what speaks with it, and where it calls back. */
interface Stage<Bank extends BankInHand = BankInHand> {
  readonly bank: Bank
  readonly psp: PspShape
  readonly door: CallbackDoor
}

interface StoredCharge {
  readonly id: string
  readonly txid: string
}

interface StoredPayout {
  readonly id: string
  /** The bank's own name of it. */
  readonly atBank: string
}

const identityOf = ({ certificate, key }: { readonly certificate: string; readonly key: string }) =>
  Certificate.pem({ certificate, privateKey: key })

/** Starts a bank, and what speaks with it. */
export const startBank = async (name: "efi" | "inter", { onTestFinished }: TestContext) => {
  const bank = await startFakeBank({ bank: name, balance: atFirst, settlesAfterMillis: 1_000 })
  onTestFinished(() => bank.close())
  let shown = await Effect.runPromise(identityOf(bank.client).read)
  const { appKey, clientId, clientSecret } = bank.client
  const psp = bacen({
    // How often a bank may be asked would have a test wait.
    bank: { ...banks[name], budget: { tokensPerMinute: 600, pauseSeconds: 1 } },
    environment: "sandbox",
    pixKey: bank.pixKey,
    clientId,
    clientSecret,
    appKey,
    certificate: Certificate.provider(() => Promise.resolve(shown), { every: "100 millis" }),
    certificateAuthority: bank.ca,
    callbacks: { by: "mutualTls" },
    origin: bank.urls.origin
  })
  const renewCertificate = async () => {
    const former = bank.client.certificate
    shown = await Effect.runPromise(identityOf(await bank.certificates.renewClient()).read)
    bank.certificates.revokeClient(former)
  }
  /** What came to the account since the beginning, in centavos. */
  const arrived = () => bank.account.balance - atFirst
  return { bank, psp, door: certifiedDoor(bank), renewCertificate, arrived }
}

/** Has the bank call a service back. */
export const callBack = async (
  { door, psp }: Pick<Stage, "door" | "psp">,
  pagora: PagoraInstance,
  id: string,
  { onTestFinished }: TestContext
): Promise<void> => {
  const open = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(open, Exit.void)))
  const origin = await Effect.runPromise(Scope.provide(door(pagora.listener), open))
  const webhookUrl = `${origin}/psp/${id}/webhook`
  const found = await Effect.runPromise(psp.prepare?.({ webhookUrl }) ?? Effect.succeed([]))
  assert.notInclude(
    found.map(({ state }) => state),
    "failed"
  )
}

/** Starts a bank and a service with an account at it, which is called back by mutual TLS. */
export const bankStory = async (
  name: "efi" | "inter",
  context: TestContext
): Promise<CertifiedStory> => {
  const { renewCertificate, ...stage } = await startBank(name, context)
  return { ...(await storyAt(stage, context)), renewCertificate }
}

/** Starts a Woovi, and what speaks with it. */
export const startWoovi = async ({ onTestFinished }: TestContext) => {
  const bank = await startFakeWoovi({ balance: atFirst, settlesAfterMillis: 1_000 })
  onTestFinished(() => bank.close())
  const psp = woovi({
    appId: bank.appId,
    environment: "sandbox",
    url: bank.url,
    publicKeys: bank.keys.published()
  })
  const arrived = () => bank.account.balance - atFirst
  return { bank, psp, door: plainDoor, arrived }
}

/** Starts a Woovi and a service with an account at it. */
export const wooviStory = async (context: TestContext): Promise<BankStory> =>
  storyAt(await startWoovi(context), context)

const storyAt = async <Bank extends BankInHand>(
  { bank, door, psp }: Stage<Bank>,
  context: TestContext
): Promise<BankStory<Bank>> => {
  const pagora = await Pagora.start({
    storage: memory(),
    psp: { default: pspId, psps: { [pspId]: psp } },
    logger: false
  })
  context.onTestFinished(() => pagora.stop())
  await callBack({ door, psp }, pagora, pspId, context)
  const { id: shop } = await pagora.accounts.create({ name: "Loja Azul" })

  return {
    bank,
    pagora,
    shop,
    pass: async (seconds) => {
      await bank.clock.advance(seconds * 1_000)
      await pagora.advanceTime({ seconds })
    },
    charge: async (amount, expiresInSeconds) => {
      const known = new Set(bank.world.charges.map(({ txid }) => txid))
      const asked = expiresInSeconds === undefined ? { amount } : { amount, expiresInSeconds }
      const { id } = await pagora.charges.create(shop, asked)
      const stored = bank.world.charges.find(({ txid }) => !known.has(txid))
      return { id, txid: stored?.txid ?? assert.fail("The bank has no new charge.") }
    },
    statusIs: async (transaction, status) => {
      await eventually(async () => {
        const found = await pagora.transactions.find(shop, transaction)
        return found.status === status ? found : undefined
      })
    },
    withdraw: async (amount) => {
      const known = bank.world.payouts.length
      const key = { pixKey: "ana@example.com", pixKeyType: "email" } as const
      const { id } = await pagora.withdrawals.create(shop, { amount, ...key })
      const payout = await eventually(() => bank.world.payouts[known])
      return { id, atBank: payout.id }
    },
    arrived: () => bank.account.balance - atFirst,
    booked: async () => {
      const { total } = await pagora.balances.get(shop)
      const { data } = await pagora.suspense.list()
      return data.reduce((sum, { amount }) => sum + Math.round(amount * 100), total.amount)
    }
  }
}
