import type { Asked, Told } from "./Asked.ts"
import { isDone, isReplay } from "./Asked.ts"
import type { Fields } from "./Json.ts"
import { at, centavosAt, rowsOf, textAt, wholeAt } from "./Json.ts"
import type { Known, KnownShop, Memory } from "./Memory.ts"
import { idOf } from "./Names.ts"
import type { Sightings } from "./Sightings.ts"
import { machineOf } from "./States.ts"
import type { Machine } from "./States.ts"

/** One acknowledged answer, and who learns by it. */
interface Lesson {
  readonly asked: Asked
  readonly told: Told
  readonly json: unknown
  readonly shop: KnownShop
  /** Absent where it is told how things were, and nothing of how they are. */
  readonly sightings: Sightings | undefined
}

/** Adds a thing that is not known yet. */
const remember = <A extends Known>(all: Array<A>, thing: A): void => {
  if (thing.id !== "" && !all.some(({ id }) => id === thing.id)) all.push(thing)
}

const see = ({ sightings, told }: Lesson, machine: Machine, id: string, state: string): void => {
  if (id !== "" && state !== "")
    sightings?.see(machine, id, { state, from: told.from, to: told.to })
}

const sawRow = (lesson: Lesson, machine: Machine, row: unknown): void =>
  see(lesson, machine, textAt(row, "id"), textAt(row, "status"))

const noteStatus = ({ sightings }: Lesson, all: ReadonlyArray<Known>, row: unknown): void => {
  if (sightings === undefined) return
  const known = all.find(({ id }) => id === textAt(row, "id"))
  if (known !== undefined) known.status = textAt(row, "status")
}

const sawTransaction = (lesson: Lesson, row: Fields): void => {
  const { shop } = lesson
  const id = textAt(row, "id")
  sawRow(lesson, machineOf(textAt(row, "type")), row)
  see(lesson, "givenBack", id, textAt(row, "blockedDeposit", "refund", "status"))
  for (const all of [shop.charges, shop.withdrawals, shop.refunds]) noteStatus(lesson, all, row)
}

const sawBlock = (lesson: Lesson, row: unknown): void => {
  sawRow(lesson, "block", row)
  noteStatus(lesson, lesson.shop.blocks, row)
}

const made = ({ asked, json }: Lesson): Known => ({
  id: textAt(json, "id"),
  wallet: asked.wallet,
  amount: centavosAt(json, "amount") ?? 0,
  status: textAt(json, "status")
})

const learntCharge = (lesson: Lesson): void => {
  const expiresAt = Date.parse(textAt(lesson.json, "expiresAt"))
  // What is told of it is `pending`, whatever has become of it since.
  remember(lesson.shop.charges, {
    ...made(lesson),
    status: "pending",
    expiresAt,
    isVisited: false
  })
}

const learntWithdrawal = (lesson: Lesson): void => {
  remember(lesson.shop.withdrawals, made(lesson))
  sawRow(lesson, "withdrawal", lesson.json)
  noteStatus(lesson, lesson.shop.withdrawals, lesson.json)
}

const learntRefund = (lesson: Lesson): void => {
  const { asked, json, shop } = lesson
  const charge = textAt(json, "originalTransactionId")
  const id = idOf(textAt(json, "pspRefundTransactionId"))
  const whole = shop.charges.find((known) => known.id === charge)?.amount ?? 0
  const amount = centavosAt(json, "amount") ?? whole
  remember(shop.refunds, { id, wallet: asked.wallet, amount, status: "pending" })
  shop.refunded.set(id, charge)
}

const learntSubAccount = (lesson: Lesson): void => {
  const { json, shop } = lesson
  sawRow(lesson, "subAccount", json)
  const reference = textAt(json, "reference")
  shop.subAccounts.set(reference, { ...made(lesson), wallet: reference })
}

const learntAccount = (lesson: Lesson): void => {
  const { json, shop } = lesson
  if (lesson.asked.isSetup === true) shop.id = textAt(json, "id")
  sawRow(lesson, "account", json)
}

const learntBalance = (lesson: Lesson): void => {
  const { asked, json, shop } = lesson
  shop.available.set(asked.wallet, wholeAt(json, "balance", "available", "amount"))
  sawRow(lesson, "account", at(json, "account"))
}

const learntCredential = ({ json, shop }: Lesson): void => {
  const id = textAt(json, "clientId")
  if (shop.credentials.some((known) => known.id === id)) return
  const permissions = at(json, "permissions")
  shop.credentials.push({
    id,
    secret: textAt(json, "clientSecret"),
    isFull: Array.isArray(permissions) && permissions.includes("FULL_ACCESS"),
    isRevoked: false
  })
}

const learntEndpoint = (lesson: Lesson): void => {
  const { json, shop } = lesson
  const subAccount = textAt(json, "subAccount")
  const wallet = subAccount === "" ? "principal" : subAccount
  remember(shop.endpoints, { ...made(lesson), wallet, status: "enabled" })
}

const learntRemoval = ({ asked, shop }: Lesson): void => {
  const known = shop.endpoints.find(({ id }) => id === asked.subject)
  if (known !== undefined) known.status = "removed"
}

const learntDelivery = (lesson: Lesson, row: unknown): void => {
  const { shop } = lesson
  const endpoint = textAt(row, "endpointId")
  const wallet = shop.endpoints.find(({ id }) => id === endpoint)?.wallet ?? "principal"
  const known = { id: textAt(row, "id"), wallet, amount: 0, status: textAt(row, "status") }
  remember(shop.deliveries, { ...known, endpoint })
}

const eachRow =
  (learn: (lesson: Lesson, row: Fields) => void) =>
  (lesson: Lesson): void => {
    for (const row of rowsOf(lesson.json)) learn(lesson, row)
  }

const transactions = eachRow(sawTransaction)
const blocks = eachRow(sawBlock)
const deliveries = eachRow(learntDelivery)
const subAccounts = eachRow((lesson, row) => sawRow(lesson, "subAccount", row))

/** What each kind of answer teaches. */
const lessons: Readonly<Record<string, (lesson: Lesson) => void>> = {
  charge: learntCharge,
  cancel: (lesson) => sawTransaction(lesson, lesson.json as Fields),
  withdraw: learntWithdrawal,
  refund: learntRefund,
  transfer: (lesson) => remember(lesson.shop.transfers, made(lesson)),
  adjust: (lesson) => remember(lesson.shop.bookings, made(lesson)),
  commission: (lesson) => remember(lesson.shop.bookings, made(lesson)),
  block: (lesson) => {
    remember(lesson.shop.blocks, made(lesson))
    sawBlock(lesson, lesson.json)
  },
  defend: (lesson) => sawBlock(lesson, lesson.json),
  resolve: (lesson) => sawBlock(lesson, lesson.json),
  openSubAccount: learntSubAccount,
  changeSubAccount: learntSubAccount,
  openShop: learntAccount,
  changeAccount: learntAccount,
  issue: learntCredential,
  project: (lesson) => remember(lesson.shop.projects, made(lesson)),
  endpoint: learntEndpoint,
  removeEndpoint: learntRemoval,
  testEndpoint: (lesson) => learntDelivery(lesson, lesson.json),
  resend: (lesson) => learntDelivery(lesson, lesson.json),
  "look account": learntBalance,
  "look transaction": (lesson) => sawTransaction(lesson, lesson.json as Fields),
  "look byReference": (lesson) => sawTransaction(lesson, lesson.json as Fields),
  "look byKey": (lesson) => sawTransaction(lesson, lesson.json as Fields),
  "look withdrawal": (lesson) => {
    sawRow(lesson, "withdrawal", lesson.json)
    noteStatus(lesson, lesson.shop.withdrawals, lesson.json)
  },
  "look operatorAccount": (lesson) => sawRow(lesson, "account", lesson.json),
  "look delivery": (lesson) => learntDelivery(lesson, lesson.json),
  "list transactions": transactions,
  "list operatorTransactions": transactions,
  "list blocks": blocks,
  "list operatorBlocks": blocks,
  "list subAccounts": subAccounts,
  "list operatorSubAccounts": subAccounts,
  "list operatorAccounts": eachRow((lesson, row) => sawRow(lesson, "account", row)),
  "list deliveries": deliveries,
  "list operatorDeliveries": deliveries,
  "list operatorCredentials": eachRow((lesson, row) => sawRow(lesson, "credential", row)),
  "list suspense": eachRow(({ shop }, row) =>
    remember(shop.returns, {
      id: textAt(row, "return", "id"),
      wallet: "principal",
      amount: centavosAt(row, "amount") ?? 0,
      status: textAt(row, "return", "status")
    })
  ),
  "judge transactions": transactions,
  "judge blocks": blocks,
  "judge subAccounts": subAccounts,
  "list discrepancies": eachRow((lesson, row) => sawRow(lesson, "discrepancy", row))
}

/** Remembers what an answer tells. */
export const learnt = (memory: Memory, sightings: Sightings, asked: Asked, told: Told): void => {
  const { answer } = told
  const shop = memory.shops[asked.shop]
  if (!isDone(answer) || shop === undefined) return
  const { json } = answer
  const live = isReplay(answer) ? undefined : sightings
  lessons[asked.name]?.({ asked, told, json, shop, sightings: live })
}
