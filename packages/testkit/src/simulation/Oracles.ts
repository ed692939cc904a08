import type { PspCredentialId, StorageDriverShape } from "@pagora/core"
import { Effect } from "effect"
import type { Bank } from "./banks/Bank.ts"
import type { Untruth } from "./banks/BankUntruths.ts"
import { readBooks } from "./Books.ts"
import { judgeByClaims } from "./ClaimsOracle.ts"
import { judgeByEvents, readDeliveries } from "./EventsOracle.ts"
import { judgeByHoldings, readCompared } from "./HoldingsOracle.ts"
import { judgeByLiens } from "./LienOracle.ts"
import { judgeByLimits } from "./LimitsOracle.ts"
import { readMovements } from "./Movements.ts"
import type { Client } from "./programs/Client.ts"
import type { ReceivedEvent } from "./Receivers.ts"
import { judgeByReports } from "./reports/InfractionsOracle.ts"
import type { ReportedShop } from "./reports/ReportedShop.ts"
import { judgeBySuspensions } from "./SuspensionOracle.ts"
import { judgeByTelling, judgeByTries, readTelling } from "./TellingOracle.ts"
import { judgeByWatch } from "./WatchOracle.ts"
import type { Truth } from "./WorldOracle.ts"
import { judgeByWorld } from "./WorldOracle.ts"

/** All who know something of a world that has come to rest. */
export interface Witnesses {
  readonly driver: StorageDriverShape
  readonly banks: ReadonlyMap<PspCredentialId, Bank>
  readonly client: Client
  readonly received: ReadonlyArray<ReceivedEvent>
  /** When the faults were over. */
  readonly calmAt: number
  readonly reported: ReportedShop | undefined
}

/** Holds what is stored against what the banks did, what clients were told, and what came to receivers. */
export const judgeByAll = async ({
  banks,
  calmAt,
  client: { memory, record },
  driver,
  received,
  reported
}: Witnesses): Promise<ReadonlyArray<string>> => {
  const books = await Effect.runPromise(readBooks(driver))
  const deliveries = await Effect.runPromise(readDeliveries(driver))
  const telling = await Effect.runPromise(readTelling(driver, deliveries))
  const { asked } = record
  const shops = memory.shops.map(({ shop }) => shop)
  const accounts = memory.shops.map(({ id }) => id)
  const movements = await Effect.runPromise(readMovements(driver, accounts))
  return [
    ...judgeByWorld(books, truthsOf(banks)),
    ...judgeByBanks([...banks.values()]),
    ...judgeByReports(books, [...banks.values()], { calmAt, approved: reported?.approved }),
    ...judgeByHoldings(books, await Effect.runPromise(readCompared(driver)), banks),
    ...judgeByEvents(deliveries, received),
    ...judgeByClaims(books, asked),
    ...judgeByLimits(books, asked, shops),
    ...judgeByLiens(books, movements, asked),
    ...judgeBySuspensions(books, asked, accounts, firstToldOf(banks)),
    ...judgeByWatch(books, lastToldOf(banks)),
    ...judgeByTelling(books, telling, asked),
    ...judgeByTries(telling, asked)
  ]
}

/** Nobody speaks in the name of a bank but the bank, and nothing that it was asked was amiss. */
const judgeByBanks = (banks: ReadonlyArray<Bank>): ReadonlyArray<string> =>
  banks.flatMap(({ book, complaints, name }) => [
    ...book.forgeries
      .filter(({ isTaken, mayBeTaken }) => isTaken === true && !mayBeTaken)
      .map(({ how, reference }) => `notices: one ${how} is taken, beside that of ${reference}`),
    ...(complaints?.() ?? []).map((complaint) => `bank ${name}: ${complaint}`)
  ])

const truthsOf = (banks: Witnesses["banks"]): ReadonlyArray<Truth> =>
  [...banks].map(([psp, { book, reports }]) => ({
    psp,
    reported: new Set(reports?.infractions().map(({ endToEndId }) => endToEndId)),
    movements: book.movements.map((moved) => ({
      kind: moved._tag,
      reference: moved.reference,
      endToEndId: moved.endToEndId,
      amount: moved.amount,
      at: moved.at,
      ...("takenAt" in moved ? { takenAt: moved.takenAt } : {}),
      ...("returnId" in moved ? { returnId: moved.returnId } : {})
    })),
    cash: book.cash(),
    untrue: reasonsOf(book.untruths)
  }))

const reasonsOf = (untruths: ReadonlyArray<Untruth>): Truth["untrue"] => {
  const told = untruths.flatMap(({ reasons, references }) =>
    references.map((reference) => ({ reference, reasons }))
  )
  const groups = Map.groupBy(told, ({ reference }) => reference)
  return new Map(
    [...groups].map(([reference, about]) => [
      reference,
      new Set(about.flatMap(({ reasons }) => reasons))
    ])
  )
}

const firstToldOf = (banks: Witnesses["banks"]) => (reference: string) =>
  [...banks.values()]
    .map(({ book }) => book.firstCalled("sendPayout", reference))
    .find((at) => at !== undefined)

const lastToldOf = (banks: Witnesses["banks"]) => (reference: string) =>
  [...banks.values()].map(({ book }) => book.lastTold(reference)?.at).find((at) => at !== undefined)
