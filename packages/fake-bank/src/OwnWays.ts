import type { BankProfile } from "./bacen/BankProfile.ts"
import type { Voice } from "./bacen/Callbacks.ts"
import { bacenVoice } from "./bacen/Callbacks.ts"
import type { Webhook, WebhookTrial } from "./bacen/WebhookRoutes.ts"
import type { Courier } from "./callbacks/Courier.ts"
import type { Route } from "./door/Exchange.ts"
import { efiAccountRoutes } from "./efi/EfiAccount.ts"
import { efiInfractionRoutes } from "./efi/EfiInfractions.ts"
import { efiPayoutRoutes } from "./efi/EfiPayouts.ts"
import { efiSandbox } from "./efi/EfiSandbox.ts"
import { makeEfiSettings } from "./efi/EfiSettings.ts"
import { efiVoice } from "./efi/EfiVoice.ts"
import type { FakeBankOptions } from "./FakeBank.ts"
import { makeInterCallbacks } from "./inter/InterCallbacks.ts"
import { interPayoutRoutes } from "./inter/InterPayouts.ts"
import { makeInterHistory } from "./inter/InterStates.ts"
import type { Inspector } from "./openapi/Findings.ts"
import type { BankAccount } from "./world/BankAccount.ts"
import type { Charge } from "./world/Charge.ts"
import type { Payment } from "./world/Payment.ts"
import { makeSettling } from "./world/Settling.ts"
import type { World } from "./world/World.ts"

/** What a bank has besides the Central Bank's API, and what it does by itself with what it has taken. */
export interface OwnWays {
  readonly routes: ReadonlyArray<Route>
  readonly voice: Voice
  /** Where the bank tells of payouts, where that address is another one than a key's. */
  readonly tellPayoutsTo: (account: BankAccount, url: string) => void
  readonly onCharge: (charge: Charge) => void
  readonly onReturn: (payment: Payment, id: string) => void
}

export interface OwnWaysParts {
  readonly options: Pick<
    FakeBankOptions,
    "payoutsNeedApproval" | "sandboxAmounts" | "settlesAfterMillis"
  >
  readonly profile: BankProfile
  readonly world: World
  readonly webhooks: ReadonlyMap<string, Webhook>
  readonly courier: Courier
  readonly inspector: Inspector
  readonly trial: WebhookTrial
}

export const ownWays = (parts: OwnWaysParts): OwnWays => {
  const { inspector, options, profile, world } = parts
  const ways = { efi: efiWays, inter: interWays }
  const bank = profile.bank === "efi" || profile.bank === "inter" ? profile.bank : undefined
  const own = bank === undefined ? plainWays(parts) : ways[bank](parts)
  return {
    ...own,
    voice: (event) => {
      const callbacks = own.voice(event)
      callbacks.filter(({ kind }) => kind === "pix").forEach(({ body }) => inspector.callback(body))
      return callbacks
    },
    onReturn: makeSettling(world, options.settlesAfterMillis).back
  }
}

type Ways = Omit<OwnWays, "onReturn">

const settlesLater = ({ options, world }: OwnWaysParts) =>
  makeSettling(world, options.settlesAfterMillis).payout

const plainWays = (parts: OwnWaysParts): Ways => ({
  routes: [],
  voice: bacenVoice(parts.profile, parts.webhooks),
  tellPayoutsTo: () => undefined,
  onCharge: () => undefined
})

const efiWays = (parts: OwnWaysParts): Ways => {
  const { courier, options, profile, webhooks, world } = parts
  const settings = makeEfiSettings(world)
  const voice = efiVoice(profile, webhooks, settings)
  const sandbox = options.sandboxAmounts === true ? efiSandbox(world) : undefined
  return {
    routes: [
      ...settings.routes,
      ...efiPayoutRoutes({
        world,
        webhooks,
        onTaken: sandbox?.onPayout ?? settlesLater(parts),
        refusesAtOnce: sandbox?.refusesAtOnce ?? (() => false)
      }),
      ...efiInfractionRoutes(world),
      ...efiAccountRoutes({ world, voice, send: courier.send })
    ],
    voice,
    tellPayoutsTo: () => undefined,
    onCharge: sandbox?.onCharge ?? (() => undefined)
  }
}

const interWays = (parts: OwnWaysParts): Ways => {
  const { courier, inspector, options, profile, trial, webhooks, world } = parts
  const history = makeInterHistory(world)
  const callbacks = makeInterCallbacks({ world, profile, webhooks, courier, trial })
  const payouts = interPayoutRoutes({
    world,
    history,
    needsApproval: options.payoutsNeedApproval ?? false,
    onTaken: settlesLater(parts),
    report: inspector.report
  })
  return {
    routes: [...callbacks.routes, ...payouts],
    voice: callbacks.voice,
    tellPayoutsTo: callbacks.tellPayoutsTo,
    onCharge: () => undefined
  }
}
