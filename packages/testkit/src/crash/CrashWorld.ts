import { startHookReceiver } from "../conformance/HookReceiver.ts"
import type { Chance } from "../fuzz/Chance.ts"
import { chanceOf } from "../fuzz/Chance.ts"
import { makeClient, newTale } from "../load/LoadClient.ts"
import type { LoadTale, makeOrders } from "../load/LoadClient.ts"
import { openShop } from "../load/LoadFacts.ts"
import { startBank } from "./Bank.ts"
import type { Bank } from "./Bank.ts"
import type { CrashReport, ScenarioOptions } from "./CrashReport.ts"
import { makeWatch } from "./CrashWatch.ts"
import { Slot } from "./Slot.ts"

export interface WorldOptions extends Pick<ScenarioOptions, "seed" | "isHurried"> {
  readonly processes: number
  /** Who charge, withdraw and refund all the time. */
  readonly clients: number
  /** Where the processes find their database. */
  readonly url: string
  /** Where it is looked into past them, by now. Default: the same. */
  readonly lookAt?: () => string
  readonly env?: Readonly<Record<string, string>>
}

/** A deployment under load, and everything outside of it that remembers. */
export interface CrashWorld {
  readonly slots: ReadonlyArray<Slot>
  readonly chance: Chance
  readonly tale: LoadTale
  readonly bank: Bank
  /** Asks one process, as a client does, and notes what was told. */
  readonly ordersAt: (slot: Slot) => ReturnType<typeof makeOrders>
  /** Notes how long it took until something was acknowledged again. */
  readonly noteRecovery: (millis: number) => void
  /** Notes how long it took until the database itself was there again. */
  readonly noteServer: (millis: number) => void
  /** Waits for an acknowledged write there, and notes how long it took since. */
  readonly recovered: (slot: Slot, since: number) => Promise<void>
  /** Looks at what was acknowledged lately. `after` tells what had happened. */
  readonly check: (after: string) => Promise<void>
  readonly violations: Array<string>
  /** Lets everything come to its end, and looks at all of it. */
  readonly finish: (faults: number) => Promise<CrashReport>
  readonly close: () => Promise<void>
}

/** Starts everything, and the load. */
export const openWorld = async (options: WorldOptions): Promise<CrashWorld> => {
  const { clients, env = {}, isHurried, processes, seed, url } = options
  const lookAt = options.lookAt ?? (() => url)
  const chance = chanceOf(seed, 0)
  const bank = await startBank(chanceOf(seed, 1), seed % 2 === 0)
  const receiver = await startHookReceiver()
  const slots: Array<Slot> = []
  let isOver = false
  const close = async (): Promise<void> => {
    isOver = true
    await Promise.all(slots.map((slot) => slot.close()))
    await receiver.close()
    await bank.close()
  }
  try {
    for (let index = 0; index < processes; index++)
      slots.push(await Slot.at(`process ${index + 1}`, url, { bank, env }))
    await Promise.all(slots.map((slot) => slot.start()))
    const [first] = slots as [Slot]
    const hook = receiver.path()
    const shop = await openShop(first.operator, hook.url)
    bank.notify(slots)
    const tale = newTale()
    const { pay } = bank
    const load = Array.from({ length: clients }, (_, index) => {
      const client = { processes: slots, shop, tale, chance: chanceOf(seed, index + 10), pay }
      return makeClient(client)(() => isOver)
    })
    const received = () =>
      new Set(hook.received.map(({ json }) => String((json as { eventId?: unknown })?.eventId)))
    const parts = { bank, chance, isHurried, lookAt, received, shop, slots, tale }
    const watch = makeWatch(parts)
    return {
      ...parts,
      ...watch,
      finish: async (faults) => {
        isOver = true
        await Promise.all(load)
        return watch.finish(faults)
      },
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}
