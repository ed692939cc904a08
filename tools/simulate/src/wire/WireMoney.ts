import { present } from "@pagora/core"
import type { Charge, Payment, PaymentReturn, Payout, Person, WorldEvent } from "@pagora/fake-bank"
import { expiresAt } from "@pagora/fake-bank"
import type {
  BankAgenda,
  BankOptions,
  BankRecords,
  MoneyFault,
  World
} from "@pagora/testkit/simulation"
import { aWhile } from "@pagora/testkit/simulation"
import type { WireHands } from "./WireFar.ts"
import type { Chance } from "./WireFaults.ts"
import { isCovered, withoutMoney } from "./WireFunds.ts"

const hour = 3_600_000

/** Our reference of a payout: Inter writes it as a UUID. */
const referenceOf = ({ reference }: Payout): string => reference.replaceAll("-", "")

export interface WireMoneyOptions {
  readonly world: World
  readonly options: BankOptions
  readonly bank: WireHands
  readonly agenda: BankAgenda
  readonly records: BankRecords
  /** How long payments may be on their way. */
  readonly lagMillis: number
  /** Whether anything can go wrong. */
  readonly isFaulty: () => boolean
  /** Nobody is told of what happens meanwhile. */
  readonly silently: (happen: () => void) => void
}

/** What becomes of money at a bank without a request, and the book of it. */
export interface WireMoney {
  readonly pay: (
    reference: string,
    about: { readonly centavos?: number; readonly payer?: Payer }
  ) => void
  readonly settlePayout: (reference: string, end: "completed" | "failed" | "reversed") => boolean
  readonly settleReturn: (reference: string, isDone: boolean) => boolean
  readonly payable: () => ReadonlyArray<string>
  readonly payouts: (isMeant: (payout: Payout) => boolean) => ReadonlyArray<string>
  readonly returns: () => ReadonlyArray<string>
  /** Whether this happens now to some money. */
  readonly meets: (fault: MoneyFault) => boolean
}

type Payer = Partial<Person>

export const makeWireMoney = (parts: WireMoneyOptions): WireMoney => {
  const { bank, records } = parts
  const chance = parts.world.chance(`${parts.options.name}: money`)
  const meets = meeting(parts, chance)
  const plans = makePlans(parts, chance, meets)
  bank.world.listen((event) => {
    bookOf(records, bank, event)
    if (event.type === "payout_begun") plans.payout(event.payout)
    if (event.type === "payout_changed") plans.moved(event.payout)
    if (event.type === "return_begun") plans.back(event.payment, event.back)
  })
  const named = (reference: string) =>
    bank.world.payouts.find((payout) => referenceOf(payout) === reference)
  const open = () =>
    [...bank.world.payments.values()].flatMap(({ returns }) =>
      returns.filter(({ status }) => status === "EM_PROCESSAMENTO")
    )

  return {
    meets,
    pay: (reference, { centavos, payer }) => {
      const charge = bank.world.charges.find(({ txid }) => txid === reference)
      if (charge === undefined || !isPayable(parts, charge) || !takes(bank, charge, centavos))
        return
      const at = bank.world.clock.now()
      const pay = () => {
        if (takes(bank, charge, centavos))
          bank.pay(reference, { late: true, at, ...present({ centavos, payer }) })
      }
      const most = expiresAt(charge).getTime() + parts.lagMillis - at.getTime() - 1
      if (!meets("in flight") || most <= 1_000) return pay()
      const millis = aWhile(chance, 1_000, Math.min(most, parts.lagMillis))
      parts.agenda.later(millis, `payment of charge ${reference} lands`, pay)
    },
    settlePayout: (reference, end) => {
      const payout = named(reference)
      return payout !== undefined && plans.settle(payout, end)
    },
    settleReturn: (reference, isDone) => {
      const back = open().find(({ id }) => id === reference)
      if (back !== undefined) bank.settleReturn(back.id, isDone ? "DEVOLVIDO" : "NAO_REALIZADO")
      return back !== undefined
    },
    payable: () =>
      bank.world.charges.filter((charge) => isPayable(parts, charge)).map(({ txid }) => txid),
    payouts: (isMeant) => bank.world.payouts.filter(isMeant).map(referenceOf),
    returns: () => open().map(({ id }) => id)
  }
}

/** A charge of Woovi is paid once, and by the amount that it asks for. */
const takes = ({ name }: WireHands, { payments, terms }: Charge, centavos?: number): boolean =>
  name !== "woovi" ||
  (payments.length === 0 && (centavos === undefined || centavos === terms.centavos))

/** What somebody pays who has the code in hand: the bank takes it for a while after its end. */
const isPayable = ({ bank, lagMillis, world }: WireMoneyOptions, charge: Charge): boolean =>
  takes(bank, charge) &&
  !charge.status.startsWith("REMOVIDA") &&
  world.now() <= expiresAt(charge).getTime() + lagMillis

const meeting =
  ({ isFaulty, options, world }: WireMoneyOptions, chance: Chance) =>
  (fault: MoneyFault): boolean => {
    const isMet = isFaulty() && chance.happens(options.faults?.money?.[fault] ?? 0)
    if (isMet) world.reached(`fault: bank ${fault}`)
    return isMet
  }

/** At Woovi each payout begins as a request, and goes out when whoever approves it. */
const isBegunByApproval = ({ name }: WireHands): boolean => name === "woovi"

/** How what is under way comes to its end by itself: soon or after hours, well or not. */
const makePlans = (
  { agenda, bank, silently }: WireMoneyOptions,
  chance: Chance,
  meets: (fault: MoneyFault) => boolean
) => {
  const inAWhile = (): number =>
    meets("slow") ? aWhile(chance, hour / 6, 30 * hour) : aWhile(chance, 200, 20_000)

  const settle = (payout: Payout, end: "completed" | "failed" | "reversed"): boolean => {
    const isOpen = payout.status === "processing"
    if (isOpen) bank.settlePayout(payout.id, end === "failed" ? "failed" : "completed")
    if (end !== "reversed" || payout.status !== "completed") return isOpen
    // What came back shows nowhere at Inter.
    if (bank.name === "inter") return isOpen
    bank.settlePayout(payout.id, "reversed")
    return true
  }

  const comesBack = (payout: Payout): void => {
    if (bank.name === "inter") return
    const isSilent = meets("reversed silently")
    if (!isSilent && !meets("reversed")) return
    const reverse = () => {
      if (payout.status === "completed") bank.settlePayout(payout.id, "reversed")
    }
    agenda.later(
      aWhile(chance, 1_000, 20 * hour),
      `payout ${payout.reference} comes back`,
      isSilent ? () => silently(reverse) : reverse
    )
  }

  const end = (payout: Payout): void => {
    const isDone = !meets("rejected")
    agenda.later(inAWhile(), `payout ${payout.reference} settles`, () => {
      // Hands may have been faster.
      if (payout.status !== "processing") return
      settle(payout, isDone ? "completed" : "failed")
      if (isDone) comesBack(payout)
    })
  }

  const approve = (payout: Payout): void =>
    agenda.later(inAWhile(), `payout ${payout.reference} is approved`, () => {
      // Whoever has asked Woovi for it may have approved it.
      if (payout.status !== "awaiting_approval") return
      if (isCovered(payout)) {
        bank.approvePayout(payout.id)
        if (!isBegunByApproval(bank)) end(payout)
        // Woovi keeps what nobody has money for.
      } else if (isBegunByApproval(bank)) approve(payout)
      else bank.settlePayout(payout.id, "failed", withoutMoney)
    })

  return {
    settle,
    payout: (payout: Payout): void => {
      if (payout.status === "awaiting_approval") approve(payout)
      else end(payout)
    },
    moved: (payout: Payout): void => {
      if (isBegunByApproval(bank) && payout.status === "processing") end(payout)
    },
    back: ({ endToEndId }: Payment, back: PaymentReturn): void => {
      const isDone = !meets("rejected")
      agenda.later(inAWhile(), `return ${back.id} settles`, () => {
        if (back.status !== "EM_PROCESSAMENTO") return
        bank.settleReturn(back.id, isDone ? "DEVOLVIDO" : "NAO_REALIZADO", { endToEndId })
      })
    }
  }
}

/** What has moved is told by the bank's own world. */
const bookOf = (records: BankRecords, { world }: WireHands, event: WorldEvent): void => {
  const at = world.clock.now().getTime()
  if (event.type === "payment_received") {
    const { at: paid, centavos, endToEndId, txid = "" } = event.payment
    const paidAt = paid.getTime()
    const amount = BigInt(centavos)
    records.move({ _tag: "Deposit", at, reference: txid, endToEndId, amount, paidAt })
  }
  if (event.type === "return_changed" && event.back.status === "DEVOLVIDO") {
    const { centavos, id: reference, requestedAt, returnId } = event.back
    const { endToEndId } = event.payment
    const amount = BigInt(centavos)
    const takenAt = requestedAt.getTime()
    records.move({ _tag: "Return", at, takenAt, reference, endToEndId, returnId, amount })
  }
  if (event.type !== "payout_changed") return
  const { centavos, endToEndId, requestedAt, returns, status } = event.payout
  const reference = referenceOf(event.payout)
  const amount = BigInt(centavos)
  const takenAt = requestedAt.getTime()
  if (status === "completed")
    records.move({ _tag: "Payout", at, takenAt, reference, endToEndId, amount })
  const returnId = returns.at(-1)?.returnId ?? ""
  if (status === "reversed")
    records.move({ _tag: "Reversal", at, reference, endToEndId, returnId, amount })
}
