import type { BankName, BankProfile } from "./bacen/BankProfile.ts"
import { bankProfiles } from "./bacen/BankProfiles.ts"
import type { BankClient } from "./bacen/Tokens.ts"
import { makeControls } from "./BankControls.ts"
import type { NewCallback } from "./callbacks/Courier.ts"
import type { RequestRecord } from "./door/Desk.ts"
import type { FaultBook } from "./door/Faults.ts"
import type { Indoors } from "./door/Indoors.ts"
import { indoorOrigin, indoors } from "./door/Indoors.ts"
import type { BankControls, FakeBankOptions, FakeBankUrls } from "./FakeBank.ts"
import { openInside, urlsOf } from "./Inside.ts"
import type { BankFinding } from "./openapi/Findings.ts"
import type { BankAccount } from "./world/BankAccount.ts"
import type { BankClock } from "./world/BankClock.ts"
import type { World } from "./world/World.ts"

/** What a bank is told that listens nowhere: nothing of connections. */
export interface IndoorBankOptions extends Omit<
  FakeBankOptions,
  "clientCertificateDays" | "clock" | "mutualTls" | "plainCallbacks" | "port" | "trustedAuthorities"
> {
  readonly clock: BankClock
  /** Is given each callback, once: what becomes of it, and whether it comes again, is the matter of whoever takes it. */
  readonly deliver: (callback: NewCallback) => void
}

/** The same bank without a door: without sockets, and with no time and no chance but its own. */
export interface IndoorBank extends BankControls {
  readonly bank: BankName
  readonly profile: BankProfile
  readonly urls: FakeBankUrls
  readonly client: Omit<BankClient, "account">
  readonly account: BankAccount
  /** The account's first key. */
  readonly pixKey: string
  readonly faults: FaultBook
  readonly ask: Indoors
  /** As if the customer had registered this address for its first key, and for its payouts. */
  readonly callAt: (url: string) => void
  /** What was asked of it, in its order. */
  readonly requests: ReadonlyArray<RequestRecord>
  /** What was not as the Central Bank's file has it. A test that passes has none. */
  readonly findings: ReadonlyArray<BankFinding>
  /** Who paid whom. */
  readonly world: World
}

/** Makes a bank that listens nowhere. With a seed and a clock that is told the time, it does the same each time. */
export const makeFakeBank = (options: IndoorBankOptions): IndoorBank => {
  const { clock, deliver } = options
  const profile: BankProfile = { ...bankProfiles[options.bank], ...options.profile }
  const inside = openInside(options, profile, () => ({
    courier: { all: [], idle: async () => undefined, send: deliver },
    trial: async () => undefined
  }))
  const { account, desk, endTokens, inspector, pixKey, webhooks, world } = inside
  return {
    ...makeControls({ world, account, pixKey, webhooks, endTokens }),
    bank: profile.bank,
    profile,
    urls: urlsOf(profile, indoorOrigin),
    client: inside.application,
    account,
    pixKey,
    faults: inside.faults,
    ask: indoors(desk),
    callAt: (url) => {
      webhooks.set(pixKey, { key: pixKey, url, createdAt: clock.now() })
      inside.tellPayoutsTo(account, url)
    },
    requests: desk.requests,
    findings: inspector.found,
    world
  }
}
