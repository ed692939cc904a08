import { bacenProtocol } from "./bacen/BacenProtocol.ts"
import type { BankProfile } from "./bacen/BankProfile.ts"
import { allScopes } from "./bacen/Scopes.ts"
import type { BankClient } from "./bacen/Tokens.ts"
import type { Webhook, WebhookTrial } from "./bacen/WebhookRoutes.ts"
import type { Courier, CourierOptions } from "./callbacks/Courier.ts"
import { makeDesk } from "./door/Desk.ts"
import { makeFaults } from "./door/Faults.ts"
import type { FakeBankOptions, FakeBankUrls } from "./FakeBank.ts"
import { makeInspector } from "./openapi/Findings.ts"
import { ownWays } from "./OwnWays.ts"
import type { BankAccount } from "./world/BankAccount.ts"
import type { BankClock } from "./world/BankClock.ts"
import type { BankIds } from "./world/BankIds.ts"
import { makeBankIds } from "./world/BankIds.ts"
import { makeWorld } from "./world/World.ts"

const tokenSecondsUnlessTold = 3600
const pixKeyUnlessTold = "6f2d9a1e-0b7c-4d35-9a51-3c8e4b7f0d12"

export const customerName = "Loja Azul"

/** How a bank reaches its customers. */
export interface Reach {
  readonly courier: Courier
  readonly trial: WebhookTrial
}

export type ReachOf = (of: Omit<CourierOptions, "connection">) => Reach

/** What there is of a bank wherever it listens. */
export type InsideOptions = Omit<FakeBankOptions, "clock"> & { readonly clock: BankClock }

/** Everything behind the door. */
export const openInside = (options: InsideOptions, profile: BankProfile, reachOf: ReachOf) => {
  const { clock } = options
  const ids = makeBankIds(options.seed)
  const world = makeWorld({ clock, ids, ispb: profile.ispb })
  const account = firstAccount(options)
  world.accounts.push(account)
  const application = newApplication(ids, options.scopes)
  const faults = makeFaults(() => Number.parseInt(ids.text(8), 36) / 36 ** 8)
  const webhooks = new Map<string, Webhook>()
  const refuses = options.strict ?? true
  const inspector = makeInspector({ refuses, ownParameters: profile.appKeyNames })
  const policy = profile.callbacks
  const { courier, trial } = reachOf({ clock, faults, nextId: ids.uuid, policy })
  const own = ownWays({ options, profile, world, webhooks, courier, inspector, trial })
  const protocol = bacenProtocol({
    world,
    profile,
    clients: [{ ...application, account }],
    webhooks,
    tokenSeconds: options.tokenSeconds ?? tokenSecondsUnlessTold,
    onCharge: own.onCharge,
    onReturn: own.onReturn,
    trial,
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
    tellPayoutsTo: own.tellPayoutsTo,
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

const firstAccount = ({ balance = 0, pixKey = pixKeyUnlessTold }: InsideOptions): BankAccount => ({
  id: "1",
  name: customerName,
  document: "11222333000181",
  keys: [pixKey],
  balance,
  blocked: { judicial: 0, med: 0 }
})

export const urlsOf = ({ base, bases, token }: BankProfile, origin: string): FakeBankUrls => {
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
