import type { BankProfile } from "./bacen/BankProfile.ts"
import { bankProfiles } from "./bacen/BankProfiles.ts"
import { webhookTrial } from "./bacen/WebhookTrials.ts"
import { makeControls } from "./BankControls.ts"
import { makeCourier } from "./callbacks/Courier.ts"
import { openDoor } from "./door/Door.ts"
import type { FakeBank, FakeBankOptions } from "./FakeBank.ts"
import { makeCallbackControls } from "./CallbackControls.ts"
import { customerName, openInside, urlsOf } from "./Inside.ts"
import { makeBankCertificates } from "./tls/BankCertificates.ts"
import { makeBankClock } from "./world/BankClock.ts"

/** Starts a bank on this machine. It lives until `close`. */
export const startFakeBank = async (options: FakeBankOptions): Promise<FakeBank> => {
  const profile: BankProfile = { ...bankProfiles[options.bank], ...options.profile }
  const certificates = await makeBankCertificates(profile.bank)
  const identity = await certificates.issueClient(customerName, options.clientCertificateDays)
  const trust = [certificates.ca, ...(options.trustedAuthorities ?? [])]
  const connection = () => ({ certificate: certificates.callback, trust })
  const plainCallbacks = options.plainCallbacks ?? false
  const clock = makeBankClock(options.clock)
  const inside = openInside({ ...options, clock }, profile, (of) => ({
    courier: makeCourier({ ...of, connection }),
    trial: webhookTrial({ profile, plainCallbacks, connection })
  }))
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
      trust,
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
