import type { Asked } from "./Asked.ts"
import { acknowledgement, lastAnswer } from "./Asked.ts"
import type { Facts, Found, ShopFacts } from "./Facts.ts"
import type { Fields } from "./Json.ts"
import { centavosAt, codeOf, textAt } from "./Json.ts"
import type { Case } from "./Judge.ts"
import { idOf } from "./Names.ts"
import type { Machine } from "./States.ts"
import { follows } from "./States.ts"

/** What a request makes: where it is found, and by which state machine it goes on. */
interface Making {
  readonly rows: (facts: ShopFacts) => ReadonlyArray<Fields>
  readonly idOf: (json: unknown) => string
  readonly machine?: Machine
  /** What bears the unique reference of the request. */
  readonly bears: ReadonlyArray<string>
  /** Of a transaction. */
  readonly type?: string
}

const id = (json: unknown): string => textAt(json, "id")
const transaction = (type: string, machine: Machine, ...bears: ReadonlyArray<string>): Making => ({
  rows: ({ transactions }) => transactions.filter((row) => textAt(row, "type") === type),
  idOf: id,
  machine,
  bears,
  type
})

const makings: Readonly<Record<string, Making>> = {
  charge: transaction("payment", "charge", "description"),
  withdraw: transaction("withdrawal", "payout", "externalReference"),
  transfer: transaction("internal_transfer", "transfer", "externalReference"),
  refund: {
    ...transaction("refund", "refund", "description"),
    idOf: (json) => idOf(textAt(json, "pspRefundTransactionId"))
  },
  adjust: transaction("adjustment", "booking", "description"),
  commission: transaction("referral_commission", "booking"),
  block: { rows: ({ blocks }) => blocks, idOf: id, machine: "block", bears: ["reason"] },
  openSubAccount: {
    rows: ({ subAccounts }) => subAccounts,
    idOf: id,
    machine: "subAccount",
    bears: ["reference"]
  },
  project: { rows: ({ projects }) => projects, idOf: id, bears: ["name"] },
  issue: {
    rows: ({ credentials }) => credentials,
    idOf: (json) => textAt(json, "clientId"),
    bears: []
  },
  endpoint: { rows: ({ endpoints }) => endpoints, idOf: id, bears: ["url"] }
}

/** A request in words. */
const what = ({ name, operation, path }: Asked): string => `${name} ${operation} (${path})`

const walletOf = (row: Fields): string => {
  const subAccount = textAt(row, "subAccount")
  return subAccount === "" ? "principal" : subAccount
}

/** Whether somebody may have taken away what was acknowledged: only endpoints go. */
const mayBeGone = ({ asked }: Case, made: string): boolean =>
  asked.some(
    ({ name, outcome, subject }) =>
      name === "removeEndpoint" && subject === made && outcome !== "refused"
  )

/** Projects of a wallet that its owner cannot act on now are not seen. */
const isHidden = ({ facts }: Case, { name, shop, wallet }: Asked): boolean =>
  name === "project" &&
  wallet !== "principal" &&
  !(facts.shops[shop]?.subAccounts ?? []).some(
    (row) => textAt(row, "reference") === wallet && textAt(row, "status") === "approved"
  )

/** What is wrong with the row of something that was acknowledged. */
const differences = (asked: Asked, json: unknown, making: Making, row: Fields): string[] => {
  const told = centavosAt(json, "amount")
  const stored = centavosAt(row, "amount")
  const wrong: Array<string> = []
  if (told !== undefined && told !== stored) wrong.push(`over ${told} is stored over ${stored}`)
  const asking = asked.body !== undefined && "netAmount" in asked.body ? "netAmount" : "amount"
  const sent = centavosAt(asked.body, asking)
  const answered = centavosAt(json, asking)
  if (sent !== undefined && answered !== sent) wrong.push(`over ${sent} was told over ${answered}`)
  const { bears: names, machine, type } = making
  // Where an endpoint is can be changed.
  const bears = names.map((name) => textAt(row, name))
  const isNamed = asked.reference !== undefined && names.length > 0 && asked.name !== "endpoint"
  if (isNamed && !bears.includes(asked.reference ?? ""))
    wrong.push(`as ${asked.reference} is stored as ${bears.join()}`)
  // A reversal of what a closed wallet withdrew, and a block of its payment, are the main one's.
  if (type !== undefined && asked.wallet !== walletOf(row))
    wrong.push(`in ${asked.wallet} is stored in ${walletOf(row)}`)
  const [from, to] = [toldState(asked, json), textAt(row, "status")]
  if (machine !== undefined && from !== "" && !follows(machine, from, to))
    wrong.push(`was acknowledged ${from} and is ${to}`)
  if (asked.name === "charge") wrong.push(...miscoded(json, row))
  return wrong.map((why) => `${what(asked)} ${why}`)
}

/** Its payer was given a code, which is that of the charge for as long as it can be paid. */
const miscoded = (json: unknown, row: Fields): ReadonlyArray<string> => {
  const [told, shown] = [textAt(json, "pixCopyPaste"), textAt(row, "pixCopyPaste")]
  if (told === "") return ["was told without a code to pay"]
  return shown === "" || shown === told ? [] : [`was told with the code ${told}, and has ${shown}`]
}

/** The state that a first answer told, in the words of the lists. */
const toldState = ({ name }: Asked, json: unknown): string => {
  if (name === "refund") return "pending"
  const status = textAt(json, "status")
  if (name !== "withdraw") return status
  if (status === "processing") return "pending"
  return status === "reversed" ? "completed" : status
}

/** What was answered 2xx is there, as it was told. */
const lost = (known: Case): ReadonlyArray<string> =>
  known.asked.flatMap((asked) => {
    const making = makings[asked.name]
    const facts = known.facts.shops[asked.shop]
    const json = acknowledgement(asked)?.json
    if (making === undefined || facts === undefined || json === undefined) return []
    const made = making.idOf(json)
    const row = making.rows(facts).find((one) => textAt(one, "id") === made)
    if (row !== undefined) return differences(asked, json, making, row)
    if (mayBeGone(known, made) || isHidden(known, asked)) return []
    return [`${what(asked)} was acknowledged as ${made} and is not there`]
  })

/** Accounts belong to nobody but the operator. */
const lostAccounts = ({ asked, facts }: Case): ReadonlyArray<string> => {
  const ids = new Set(facts.accounts.map(id))
  return asked.flatMap((one) => {
    const made = one.path === "/accounts" ? id(acknowledgement(one)?.json) : ""
    return made === "" || ids.has(made)
      ? []
      : [`${what(one)} was acknowledged as ${made} and is not there`]
  })
}

/** What was decided and acknowledged stands for ever: the id of the thing, and the states that it may be in. */
const decisions = (
  asked: Asked
): readonly [machine: Machine, states: ReadonlyArray<string>] | undefined => {
  const outcome = textAt(asked.body, "outcome")
  switch (asked.name) {
    case "cancel":
      return ["charge", ["cancelled"]]
    case "resolve":
      return ["block", [outcome]]
    case "defend":
      return ["block", ["defended", "approved", "rejected"]]
    case "revoke":
      return ["credential", ["revoked"]]
    case "changeSubAccount":
    case "changeAccount":
      return textAt(asked.body, "status") === "closed"
        ? [asked.name === "changeAccount" ? "account" : "subAccount", ["closed"]]
        : undefined
    default:
      return undefined
  }
}

const undone = ({ asked, facts }: Case): ReadonlyArray<string> =>
  asked.flatMap((one) => {
    const decided = one.outcome === "done" ? decisions(one) : undefined
    if (decided === undefined) return []
    const [machine, states] = decided
    const status = statusOf(facts, machine, one)
    return states.includes(status)
      ? []
      : [
          `${what(one)} was acknowledged, and its ${machine} is ${status}, not ${states.join(" or ")}`
        ]
  })

const statusOf = (facts: Facts, machine: Machine, asked: Asked): string => {
  const shop = facts.shops[asked.shop]
  const rows = {
    charge: shop?.transactions,
    block: shop?.blocks,
    credential: shop?.credentials,
    account: facts.accounts
  }
  const all = machine in rows ? rows[machine as keyof typeof rows] : shop?.subAccounts
  // A sub-account is named by its reference, which is the wallet of the request.
  const isIt = (row: Fields) =>
    machine === "subAccount"
      ? textAt(row, "reference") === asked.wallet
      : textAt(row, "id") === asked.subject
  return textAt(all?.find(isIt), "status")
}

/** Of a refusal nothing is there but the charge that the PSP refused. */
const leavesTrace = (asked: Asked): boolean =>
  asked.outcome !== "refused" || codeOf(lastAnswer(asked)?.json) === "PSP_REJECTED"

/** Every row that bears the reference of a request has somebody who asked for it and was not refused; and it is one. */
const references = ({ asked, facts }: Case): ReadonlyArray<string> =>
  facts.shops.flatMap((shop) =>
    Object.entries(makings).flatMap(([name, { bears, rows }]) => {
      const seen = new Map<string, number>()
      const ours = asked.filter((one) => one.shop === shop.index)
      const of = ours.filter((one) => one.name === name)
      const keys = new Set(ours.filter(leavesTrace).map(({ key }) => key))
      return rows(shop).flatMap((row): ReadonlyArray<string> => {
        const reference = bears.map((field) => textAt(row, field)).find((text) => text !== "")
        const wanted = of.filter(
          (one) => one.reference !== undefined && one.reference === reference
        )
        if (reference === undefined || wanted.length === 0) return []
        // Another wallet may bear the same.
        const place = `${walletOf(row)} ${reference}`
        const times = (seen.get(place) ?? 0) + 1
        seen.set(place, times)
        const [first] = wanted
        if (first === undefined) return []
        return [
          ...(times > 1 ? [`${what(first)} is there ${times} times, as ${reference}`] : []),
          // Or with whose key it was asked for otherwise, and was not refused.
          ...(wanted.some((one) => leavesTrace(one) || (one.key !== undefined && keys.has(one.key)))
            ? []
            : [`${what(first)} was refused and is there as ${textAt(row, "id")}`])
        ]
      })
    })
  )

/** What is found under a name is what was acknowledged under it. */
const misplaced = ({ asked: all }: Case, { answer, asked, by }: Found): ReadonlyArray<string> => {
  const found = textAt(answer?.json, "id")
  const same = all.filter(
    (one) => one.key === asked.key && one.shop === asked.shop && one.wallet === asked.wallet
  )
  // Under a key anything may be found that was ever made with it.
  const candidates = by === "key" ? same : [asked]
  const isKnown = candidates.some((one) => textAt(acknowledgement(one)?.json, "id") === found)
  const mayBeOther = by === "key" && candidates.some(({ outcome }) => outcome !== "done")
  return isKnown || mayBeOther
    ? []
    : [`${what(asked)} was looked for by its ${by}, and ${answer?.status} ${found} was found`]
}

/** What was acknowledged and is not so, and what was refused and is there. */
export const promisesBroken = (known: Case): ReadonlyArray<string> => [
  ...lost(known),
  ...lostAccounts(known),
  ...undone(known),
  ...references(known),
  ...known.facts.found.flatMap((found) => misplaced(known, found))
]
