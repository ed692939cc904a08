import { bacenProtocol } from "./bacen/BacenProtocol.ts"
import type { BankProfile } from "./bacen/BankProfile.ts"
import { bankProfiles } from "./bacen/BankProfiles.ts"
import { allScopes } from "./bacen/Scopes.ts"
import type { BankClient } from "./bacen/Tokens.ts"
import type { Webhook } from "./bacen/WebhookRoutes.ts"
import { makeControls } from "./BankControls.ts"
import { makeCourier } from "./callbacks/Courier.ts"
import { makeDesk } from "./door/Desk.ts"
import { openDoor } from "./door/Door.ts"
import { makeFaults } from "./door/Faults.ts"
import type { FakeBank, FakeBankOptions, FakeBankUrls } from "./FakeBank.ts"
import { makeCallbackControls } from "./CallbackControls.ts"
import { makeInspector } from "./openapi/Findings.ts"
import { ownWays } from "./OwnWays.ts"
import type { BankCertificates } from "./tls/BankCertificates.ts"
import { makeBankCertificates } from "./tls/BankCertificates.ts"
import type { BankAccount } from "./world/BankAccount.ts"
import { makeBankClock } from "./world/BankClock.ts"
import type { BankIds } from "./world/BankIds.ts"
import { makeBankIds } from "./world/BankIds.ts"
import { makeWorld } from "./world/World.ts"

const customerName = "Loja Azul"
const tokenSecondsUnlessTold = 3600
const pixKeyUnlessTold = "6f2d9a1e-0b7c-4d35-9a51-3c8e4b7f0d12"

/** Starts a bank on this machine. It lives until `close`. */
export const startFakeBank = async (options: FakeBankOptions): Promise<FakeBank> => {
  const profile: BankProfile = { ...bankProfiles[options.bank], ...options.profile }
  const certificates = await makeBankCertificates(profile.bank)
  const identity = await certificates.issueClient(customerName, options.clientCertificateDays)
  const inside = openInside(options, profile, certificates)
  const { account, courier, desk, endTokens, pixKey, webhooks, world } = inside
  const door = await openDoor({
    certificates,
    port: options.port ?? 0,
    asksForCertificate: options.mutualTls ?? true,
    serve: desk.serve
  })
  return {
    ...makeControls({ world, account, pixKey, webhooks, endTokens }),
    bank: profile.bank,
    profile,
    urls: urlsOf(profile, door.origin),
    ca: certificates.ca,
    client: { ...inside.application, ...identity },
    account,
    pixKey,
    clock: world.clock,
    faults: inside.faults,
    callbacks: makeCallbackControls({
      certificates,
      courier,
      trust: inside.trust,
      webhooks,
      profile
    }),
    certificates: {
      renewClient: (days) => certificates.issueClient(customerName, days),
      revokeClient: certificates.revokeClient,
      renewServer: async (days) => {
        await certificates.renewServer(days)
        door.showNewCertificate()
      }
    },
    requests: desk.requests,
    atOnceMax: desk.atOnceMax,
    goDown: door.shut,
    comeBack: door.reopen,
    findings: inside.inspector.found,
    world,
    close: async () => {
      world.clock.stop()
      await door.shut()
    }
  }
}

/** Everything behind the door. */
const openInside = (
  options: FakeBankOptions,
  profile: BankProfile,
  certificates: BankCertificates
) => {
  const clock = makeBankClock(options.clock)
  const ids = makeBankIds(options.seed)
  const world = makeWorld({ clock, ids, ispb: profile.ispb })
  const account = firstAccount(options)
  world.accounts.push(account)
  const application = newApplication(ids, options.scopes)
  const faults = makeFaults(() => Number.parseInt(ids.text(8), 36) / 36 ** 8)
  const webhooks = new Map<string, Webhook>()
  const refuses = options.strict ?? true
  const inspector = makeInspector({ refuses, ownParameters: profile.appKeyNames })
  const trust = [certificates.ca, ...(options.trustedAuthorities ?? [])]
  const connection = () => ({ certificate: certificates.callback, trust })
  const policy = profile.callbacks
  const courier = makeCourier({ clock, faults, nextId: ids.uuid, policy, connection })
  const own = ownWays({ options, profile, world, webhooks, courier, inspector, connection })
  const protocol = bacenProtocol({
    world,
    profile,
    clients: [{ ...application, account }],
    webhooks,
    tokenSeconds: options.tokenSeconds ?? tokenSecondsUnlessTold,
    onCharge: own.onCharge,
    onReturn: own.onReturn,
    trial: own.trial,
    checks: inspector,
    own: own.routes
  })
  world.listen((event) => own.voice(event).forEach(courier.send))
  const desk = makeDesk(protocol, faults, clock.now)
  const { endTokens } = protocol
  const [pixKey = pixKeyUnlessTold] = account.keys
  return {
    account,
    application,
    courier,
    desk,
    endTokens,
    faults,
    inspector,
    pixKey,
    trust,
    webhooks,
    world
  }
}

const newApplication = (
  ids: BankIds,
  scopes: ReadonlyArray<string> = allScopes
): Omit<BankClient, "account"> => ({
  clientId: `Client_Id_${ids.text(24)}`,
  clientSecret: `Client_Secret_${ids.text(24)}`,
  appKey: ids.text(32),
  scopes
})

const firstAccount = ({
  balance = 0,
  pixKey = pixKeyUnlessTold
}: FakeBankOptions): BankAccount => ({
  id: "1",
  name: customerName,
  document: "11222333000181",
  keys: [pixKey],
  balance,
  blocked: { judicial: 0, med: 0 }
})

const urlsOf = ({ base, bases, token }: BankProfile, origin: string): FakeBankUrls => {
  const at = (path: string = base) => `${origin}${path}`
  return {
    origin,
    token: at(token.path),
    api: at(),
    resources: {
      cob: at(bases.cob),
      cob_list: at(bases.cob_list),
      cob_patch: at(bases.cob_patch),
      pix: at(bases.pix),
      webhook: at(bases.webhook)
    }
  }
}
