import { worldControls } from "../BankControls.ts"
import type { CallbackPolicy, Courier, CourierOptions } from "../callbacks/Courier.ts"
import { makeDesk } from "../door/Desk.ts"
import { makeFaults } from "../door/Faults.ts"
import type { WorldControls } from "../FakeBank.ts"
import type { BankAccount } from "../world/BankAccount.ts"
import type { BankClock } from "../world/BankClock.ts"
import { makeBankIds } from "../world/BankIds.ts"
import type { Centavos } from "../world/Centavos.ts"
import { reportInfraction } from "../world/Infractions.ts"
import { paymentNamed } from "../world/Payments.ts"
import { makeSettling } from "../world/Settling.ts"
import { makeWorld } from "../world/World.ts"
import { makeKeyLookUps } from "./KeyLookUps.ts"
import type { WooviKeys } from "./WooviKeys.ts"
import type { WooviOffice } from "./WooviOffice.ts"
import { wooviProtocol } from "./WooviProtocol.ts"
import { testOf, wooviVoice } from "./WooviWebhooks.ts"

/** What a Woovi is told wherever it listens. */
export interface WooviSettings {
  readonly appId?: string
  /** Makes ids, and the chance of faults, the same each time. */
  readonly seed?: number
  /** In centavos; R$ 100,000.00 unless told. */
  readonly balance?: Centavos
  /** Most transactions of a page; 100 unless told, as at Woovi. */
  readonly pageMax?: number
  /** Returns and payouts end well by themselves so much later by its clock; by hand alone, unless told. */
  readonly settlesAfterMillis?: number
  /** Whether payouts wait until somebody approves them in its panel: the AppID may not. */
  readonly payoutsNeedApproval?: boolean
}

export interface WooviInsideOptions extends WooviSettings {
  readonly clock: BankClock
  readonly keys: WooviKeys
}

/** How its callbacks come to its customer. */
type CourierOf = (of: Omit<CourierOptions, "connection">) => Courier

/** Woovi's number in the PIX network. */
const ispb = "54811417"
const pixKey = "9e1cf6c4-5b7f-4a8e-8d6b-2f0c8c1d7a35"
const balanceUnlessTold = 10_000_000
const pageMaxUnlessTold = 100

/** Eight tries, each so much later than the one before, and a hundred seconds for an answer (docs/webhook). */
const policy: CallbackPolicy = {
  retryAfterSeconds: Array.from({ length: 7 }, (_, index) => 10 * 2 ** index),
  timeoutMillis: 100_000
}

/** Everything behind the door. */
export const openWoovi = (options: WooviInsideOptions, courierOf: CourierOf) => {
  const { appId = "app-id-of-the-test", clock, keys } = options
  const ids = makeBankIds(options.seed)
  const world = makeWorld({ clock, ids, ispb })
  const account = customer(options)
  world.accounts.push(account)
  const faults = makeFaults(() => Number.parseInt(ids.text(8), 36) / 36 ** 8)
  const sign = (body: string) => ({ "x-webhook-signature": keys.sign(body) })
  const courier = courierOf({ clock, faults, nextId: ids.uuid, policy, sign })
  const office: WooviOffice = {
    world,
    account,
    pixKey,
    keys,
    settling: makeSettling(world, options.settlesAfterMillis),
    keyLookUps: makeKeyLookUps(clock),
    needsApproval: options.payoutsNeedApproval ?? false,
    webhooks: [],
    pageMax: options.pageMax ?? pageMaxUnlessTold,
    test: (webhook) => courier.send(testOf(webhook, clock.now()))
  }
  world.listen((event) => wooviVoice(office, event).forEach(courier.send))
  const desk = makeDesk(wooviProtocol(office, appId), faults, clock.now)
  const { keyLookUps, webhooks } = office
  return {
    ...worldControls(world, account, pixKey),
    reportInfraction: ((endToEndId, about) =>
      reportInfraction(world, paymentNamed(world, endToEndId), {
        ...about,
        id: endToEndId
      })) satisfies WorldControls["reportInfraction"],
    appId,
    account,
    pixKey,
    world,
    faults,
    keys,
    keyLookUps,
    webhooks,
    courier,
    desk
  }
}

const customer = ({ balance = balanceUnlessTold }: WooviSettings): BankAccount => ({
  id: "1",
  name: "Loja Azul",
  document: "04252011000110",
  keys: [pixKey],
  balance,
  blocked: { judicial: 0, med: 0 }
})
