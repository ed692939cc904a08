import type { Infraction, Payment } from "@pagora/fake-bank"
import { returnable, WorldRefusal } from "@pagora/fake-bank"
import type {
  BankAgenda,
  BankInfraction,
  BankOptions,
  BankReports,
  World
} from "@pagora/testkit/simulation"
import { aWhile } from "@pagora/testkit/simulation"
import type { WireHands } from "./WireFar.ts"
import type { Chance } from "./WireFaults.ts"

/** Banks that tell of reports: Efí by a list, Woovi by callbacks alone, which name the payment. */
const telling: ReadonlySet<WireHands["name"]> = new Set(["efi", "woovi"])

/** At how many of the banks whose API tells of reports there are any, of 1. */
const reported = 0.7

const hour = 3_600_000
/** A report is decided so much later at the most. */
const decidedWithin = 40 * hour

export interface WireReportsOptions {
  readonly world: World
  readonly options: BankOptions
  readonly bank: WireHands
  readonly agenda: BankAgenda
}

/**
 * Who reports fraud about payments, and what the bank does then and by itself (MED). Only payments of charges that it was told of:
 * whoever judges the others knows of no report. Undefined where the bank's API shows none, or nobody reports anything.
 */
export const makeWireReports = (parts: WireReportsOptions): BankReports | undefined => {
  const { agenda, bank, options, world } = parts
  const chance = world.chance(`${options.name}: reports`)
  if (!telling.has(bank.name) || options.faults?.calls === undefined || !chance.happens(reported))
    return undefined
  const subjects = new Set<string>()
  const decisions = new Set<number>()
  const { giveBack, report } = makeHands(parts, chance, decisions)
  const later = (most: number, what: string, happen: () => void): void =>
    agenda.later(aWhile(chance, 1_000, most), what, happen)
  const stories: ReadonlyArray<(payment: Payment) => void> = [
    (payment) => later(60_000, "a payment is reported", () => report(payment)),
    (payment) => later(hour, "a payment is reported", () => report(payment)),
    (payment) => {
      later(60_000, "a payment is reported", () => report(payment))
      // A dispute at Woovi has the name of its payment: there is one.
      if (bank.name !== "woovi") later(hour, "a payment is reported again", () => report(payment))
    },
    (payment) => later(hour, "the bank gives back", () => giveBack(payment))
  ]
  bank.world.listen((event) => {
    if (event.type === "payment_received" && subjects.has(event.payment.txid ?? ""))
      chance.pick(stories)(event.payment)
  })
  return {
    about: (reference) => void subjects.add(reference),
    wakesAt: () => (decisions.size === 0 ? undefined : Math.min(...decisions)),
    infractions: () => [...bank.world.infractions.values()].map(shown)
  }
}

const shown = (infraction: Infraction): BankInfraction => {
  const { centavos, decidedAt, id, payment, reportedAt, status } = infraction
  return {
    id,
    endToEndId: payment.endToEndId,
    amount: BigInt(centavos),
    reportedAt: reportedAt.getTime(),
    decidedAt: decidedAt?.getTime(),
    isAccepted: status === "accepted"
  }
}

/** What can be done about a payment; `decisions` is when the next ones are. */
const makeHands = (
  { agenda, bank, options, world }: WireReportsOptions,
  chance: Chance,
  decisions: Set<number>
) => {
  /** A part of what is left of it, or all of that. */
  const someOf = (payment: Payment): number => {
    const left = returnable(payment)
    return chance.happens(0.4) ? left : Math.ceil((left * (20 + chance.below(60))) / 100)
  }
  const happens = (what: string, subject: string, happen: () => void): void => {
    try {
      happen()
      world.reached(`reports: ${what}`)
      world.note(`bank ${options.name}: ${what} ${subject}`)
    } catch (error) {
      // Somebody was faster, and the bank does not do it any more.
      if (!(error instanceof WorldRefusal)) throw error
    }
  }
  const soon = (what: string, happen: () => void): void =>
    agenda.later(aWhile(chance, 1_000, hour), what, happen)

  const giveBack = (payment: Payment): void => {
    const centavos = someOf(payment)
    if (centavos > 0)
      happens("given back", `${centavos} of ${payment.endToEndId}`, () =>
        bank.returnPayment(payment.endToEndId, { centavos })
      )
  }
  const decide = (id: string): void => {
    const after = aWhile(chance, 10_000, decidedWithin)
    // Some soon after it was reported, others when the faults are long over.
    const at = world.now() + (chance.happens(0.5) ? after : hour + chance.below(decidedWithin))
    const status = chance.pick(["accepted", "accepted", "rejected", "cancelled"] as const)
    decisions.add(at)
    world.after(at - world.now(), () => {
      decisions.delete(at)
      happens(status, id, () => bank.decideInfraction(id, status))
    })
  }
  const report = (payment: Payment): void => {
    const centavos = someOf(payment)
    if (centavos === 0) return
    happens("reported", `${centavos} of ${payment.endToEndId}`, () => {
      const { id } = bank.reportInfraction(payment.endToEndId, { centavos })
      decide(id)
      if (chance.happens(0.2))
        soon("an infraction is answered", () =>
          happens("answered", id, () =>
            bank.defendInfraction(id, { accepts: false, text: "Entregue." })
          )
        )
      if (chance.happens(0.3)) soon("the bank gives back", () => giveBack(payment))
    })
  }
  return { giveBack, report }
}
