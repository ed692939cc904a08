import { setTimeout as sleep } from "node:timers/promises"
import { promisesBroken, violationsOf } from "../load/LoadCheck.ts"
import { makeOrders } from "../load/LoadClient.ts"
import type { Shop } from "../load/LoadClient.ts"
import {
  auditBy,
  countsOf,
  endToEndIdsIn,
  eventsIn,
  fundsOfShop,
  settled,
  storedIn,
  unendedIn
} from "../load/LoadFacts.ts"
import { execute, rowsOf } from "../postgres/index.ts"
import type { Bank } from "./Bank.ts"
import type { CrashReport } from "./CrashReport.ts"
import { spread } from "./CrashReport.ts"
import type { CrashWorld } from "./CrashWorld.ts"
import type { Slot } from "./Slot.ts"
import { storedAbout } from "./StoredStory.ts"

/** As when a minute has gone by. */
export const endLeases = (url: string): Promise<void> =>
  execute(
    url,
    "update pagora.job set leased_until = clock_timestamp() where leased_until is not null"
  )

const hurryMillis = 2_000

/** So many of what was looked at before are looked at again. */
const lookedAtTwice = 200
const auditMillisMax = 60_000

/** Asks one process after the other for the audit, until one answers. */
const auditOf = async (slots: ReadonlyArray<Slot>): Promise<ReadonlyArray<unknown>> => {
  let failure: unknown
  for (const from = performance.now(); performance.now() - from < auditMillisMax;) {
    for (const { operator } of slots) {
      try {
        return await auditBy(operator)
      } catch (error) {
        failure = error
      }
    }
    await sleep(200)
  }
  return [`nobody answered it in ${auditMillisMax / 1_000} s: ${String(failure)}`]
}

/** Transfers that the bank made more than once for one reference. */
const madeTwice = ({ book }: Bank): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return book.transfers.flatMap(({ kind, reference }) => {
    const name = `${kind} ${reference}`
    if (seen.has(name)) return [`the bank made ${name} twice`]
    seen.add(name)
    return []
  })
}

/** The wallet has what it began with, what payers paid, and no more than that less what left the bank. */
const moneyDiffers = async (
  url: string,
  accountId: string,
  { book }: Bank
): Promise<ReadonlyArray<string>> => {
  const [wallet] = await rowsOf(
    url,
    `select (available + held + promotional)::text as money from pagora.wallet where id = '${accountId}'`
  )
  const [has, should] = [Number(wallet?.["money"]), fundsOfShop + book.balance()]
  return has === should ? [] : [`the wallet has ${has} centavos, and should have ${should}`]
}

export interface Watched extends Pick<CrashWorld, "bank" | "chance" | "slots" | "tale"> {
  readonly isHurried: boolean
  readonly lookAt: () => string
  readonly shop: Shop
  readonly received: () => ReadonlySet<string>
}

/** Everything that is stored, held against everything outside, when nothing is on its way any more. */
const allOf = async ({ bank, lookAt, received, shop, slots, tale }: Watched, faults: number) => {
  const url = lookAt()
  const stored = await storedIn(url)
  const events = await eventsIn(url)
  const ended = violationsOf({
    asked: tale.asked,
    stored,
    bank: bank.book.booked(),
    endToEndIds: await endToEndIdsIn(url),
    events,
    received: received(),
    audit: await auditOf(slots),
    unended: await unendedIn(url),
    faults
  })
  const given = tale.given === 0 ? [] : [`${tale.given} keys were not answered for good in time`]
  return {
    found: [...given, ...ended, ...(await moneyDiffers(url, shop.accountId, bank))],
    figures: {
      ...countsOf(stored),
      events: events.length,
      "the bank minds references": String(bank.mindsReferences)
    }
  }
}

/** What looks at a world, and remembers what it found. */
export const makeWatch = (watched: Watched) => {
  const { bank, chance, isHurried, lookAt, received, shop, slots, tale } = watched
  const violations: Array<string> = []
  const recoveries: Array<number> = []
  const servers: Array<number> = []
  let looked = 0

  const ordersAt: CrashWorld["ordersAt"] = (slot) =>
    makeOrders({ processes: [slot], shop, tale, chance, pauseMillis: 10 })

  const recovered: CrashWorld["recovered"] = async (slot, since) => {
    const { good } = await ordersAt(slot).charge()
    if (good.length > 0) recoveries.push(performance.now() - since)
    else violations.push(`${slot.name} never came back: ${slot.said()}`)
  }

  const check: CrashWorld["check"] = async (after) => {
    const asked = tale.asked.slice(Math.max(0, looked - lookedAtTwice))
    looked = tale.asked.length
    const references = asked.map(({ reference }) => reference)
    const stored = references.length === 0 ? [] : await storedIn(lookAt(), references)
    const audit = await auditOf(slots)
    const found = [
      ...promisesBroken({ asked, stored }),
      ...madeTwice(bank),
      ...audit.map((violation) => `audit: ${JSON.stringify(violation)}`)
    ]
    violations.push(...found.map((sentence) => `after ${after}: ${sentence}`))
  }

  const finish = async (faults: number): Promise<CrashReport> => {
    const begun = performance.now()
    const hurrying = isHurried
      ? setInterval(() => void endLeases(lookAt()).catch(() => undefined), hurryMillis)
      : undefined
    const payments = () => bank.book.payments().map(({ endToEndId }) => endToEndId)
    await settled(lookAt(), () => received().size, payments)
    clearInterval(hurrying)
    const settledMillis = performance.now() - begun
    const { figures, found } = await allOf(watched, faults)
    violations.push(...found)
    const stored = await storedAbout(lookAt(), violations)
    return {
      faults,
      recoveries,
      asked: tale.asked.length,
      acknowledged: tale.asked.filter(({ told }) => told.length > 0).length,
      answers: tale.answers,
      figures: {
        ...figures,
        ...(servers.length > 0 ? { "the database itself was back after": spread(servers) } : {}),
        "all ended after": `${(settledMillis / 1_000).toFixed(1)} s`
      },
      violations,
      stored
    }
  }

  const noteRecovery = (millis: number): void => void recoveries.push(millis)
  const noteServer = (millis: number): void => void servers.push(millis)
  return { violations, ordersAt, noteRecovery, noteServer, recovered, check, finish }
}
