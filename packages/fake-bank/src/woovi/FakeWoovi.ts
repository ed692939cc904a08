import { worldControls } from "../BankControls.ts"
import type { CallbackPolicy } from "../callbacks/Courier.ts"
import { makeCourier } from "../callbacks/Courier.ts"
import { makeDesk } from "../door/Desk.ts"
import { openPlainDoor } from "../door/Door.ts"
import { makeFaults } from "../door/Faults.ts"
import type { BankInHand } from "../FakeBank.ts"
import type { BankAccount } from "../world/BankAccount.ts"
import type { BankClockOptions } from "../world/BankClock.ts"
import { makeBankClock } from "../world/BankClock.ts"
import { makeBankIds } from "../world/BankIds.ts"
import type { Centavos } from "../world/Centavos.ts"
import { reportInfraction } from "../world/Infractions.ts"
import { paymentNamed } from "../world/Payments.ts"
import { makeSettling } from "../world/Settling.ts"
import { makeWorld } from "../world/World.ts"
import type { KeyLookUps } from "./KeyLookUps.ts"
import { makeKeyLookUps } from "./KeyLookUps.ts"
import type { WooviKeys } from "./WooviKeys.ts"
import { makeWooviKeys } from "./WooviKeys.ts"
import type { WooviOffice, WooviWebhook } from "./WooviOffice.ts"
import { wooviProtocol } from "./WooviProtocol.ts"
import { testOf, wooviVoice } from "./WooviWebhooks.ts"

export interface FakeWooviOptions {
  readonly appId?: string
  /** Any that is free, unless told. */
  readonly port?: number
  readonly clock?: BankClockOptions
  /** Makes ids, and the chance of faults, the same each time. Keys never are. */
  readonly seed?: number
  /** In centavos; R$ 100,000.00 unless told. */
  readonly balance?: Centavos
  /** Most transactions of a page; 100 unless told, as at Woovi. */
  readonly pageMax?: number
  /** Returns and payouts end well by themselves so much later by its clock; by hand alone, unless told. */
  readonly settlesAfterMillis?: number
}

/** A Woovi that answers, with a hand on everything that happens in it. A dispute is named by the end-to-end id of its payment. */
export interface FakeWoovi extends BankInHand {
  readonly appId: string
  /** Where it answers, without a path. */
  readonly url: string
  /** What its callbacks are signed with. */
  readonly keys: WooviKeys
  readonly keyLookUps: KeyLookUps
  readonly webhooks: ReadonlyArray<WooviWebhook>
}

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

/** Starts Woovi on this machine, by plain HTTP. It lives until `close`. */
export const startFakeWoovi = async (options: FakeWooviOptions = {}): Promise<FakeWoovi> => {
  const { appId = "app-id-of-the-test", port = 0 } = options
  const clock = makeBankClock(options.clock)
  const ids = makeBankIds(options.seed)
  const world = makeWorld({ clock, ids, ispb })
  const account = customer(options)
  world.accounts.push(account)
  const faults = makeFaults(() => Number.parseInt(ids.text(8), 36) / 36 ** 8)
  const keys = makeWooviKeys()
  const courier = makeCourier({
    clock,
    faults,
    nextId: ids.uuid,
    policy,
    sign: (body) => ({ "x-webhook-signature": keys.sign(body) }),
    connection: () => ({ trust: [] })
  })
  const office: WooviOffice = {
    world,
    account,
    pixKey,
    keys,
    settling: makeSettling(world, options.settlesAfterMillis),
    keyLookUps: makeKeyLookUps(clock),
    webhooks: [],
    pageMax: options.pageMax ?? pageMaxUnlessTold,
    test: (webhook) => courier.send(testOf(webhook, clock.now()))
  }
  world.listen((event) => wooviVoice(office, event).forEach(courier.send))
  const desk = makeDesk(wooviProtocol(office, appId), faults, clock.now)
  const door = await openPlainDoor({ port, serve: desk.serve })
  const { all, idle } = courier
  const { keyLookUps, webhooks } = office
  return {
    ...worldControls(world, account, pixKey),
    reportInfraction: (endToEndId, about) =>
      reportInfraction(world, paymentNamed(world, endToEndId), { ...about, id: endToEndId }),
    appId,
    url: door.origin,
    account,
    pixKey,
    world,
    clock,
    faults,
    keys,
    keyLookUps,
    webhooks,
    callbacks: { all, idle },
    requests: desk.requests,
    goDown: door.shut,
    comeBack: door.reopen,
    close: async () => {
      clock.stop()
      await door.shut()
    }
  }
}

const customer = ({ balance = balanceUnlessTold }: FakeWooviOptions): BankAccount => ({
  id: "1",
  name: "Loja Azul",
  document: "04252011000110",
  keys: [pixKey],
  balance,
  blocked: { judicial: 0, med: 0 }
})
