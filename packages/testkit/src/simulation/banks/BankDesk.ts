import type { PspOutcome } from "@pagora/core"
import { PspOutcome as Outcome } from "@pagora/core"
import { Effect } from "effect"
import type { Caller } from "../World.ts"
import type { Chance } from "../../fuzz/Chance.ts"
import { aWhile } from "./BankAgenda.ts"
import type { Said } from "./BankGarbage.ts"
import { garbageOf } from "./BankGarbage.ts"
import type { Lie } from "./BankLie.ts"
import type { BankMethod, CallFault } from "./BankOptions.ts"
import { bankMethods, callFaults, canMeet } from "./BankOptions.ts"
import type { Untruth } from "./BankUntruths.ts"
import { reasonsOfAnother, lieReasons } from "./BankUntruths.ts"
import type { BankVault, Visibility } from "./BankVault.ts"
import { foundBy } from "./BankVault.ts"

/** One call as it reaches the bank. */
export interface BankOrder<A> {
  readonly method: BankMethod
  readonly reference: string
  /** Does it and answers the truth; of a question, as it was so many milliseconds ago. */
  readonly carryOut: (shown: Visibility, age: number) => PspOutcome<A>
  readonly lies: () => ReadonlyArray<Lie<A>>
}

/** Where calls come in, and meet their fate. */
export interface BankDesk {
  readonly serve: <A>(caller: Caller, order: BankOrder<A>) => Effect.Effect<PspOutcome<A>>
}

type Reply<A> = (said: Said<A>) => void

/** A call on its way through its fate. */
interface Visit<A> {
  readonly order: BankOrder<A>
  readonly chance: Chance
  /** Carries it out when it has arrived. */
  readonly arrive: (shown?: Partial<Visibility>, age?: number) => PspOutcome<A>
  /** Answers, by the way that answers go. */
  readonly answer: Reply<A>
  /** No reply, or one after a while that tells nothing. */
  readonly keepSilent: () => void
  /** What happens after the way to the bank. */
  readonly onArrival: (happen: () => void) => void
}

export const makeDesk = (vault: BankVault): BankDesk => {
  const { bank, records, world } = vault
  const chances = byMethod((method) => world.chance(`${bank.name}: ${method}`))
  const drawFault = drawing(vault)
  /** What was told, and has not arrived yet. */
  const underWay = new Set<string>()
  const suffer = sufferings(vault, underWay)

  const take = <A>(order: BankOrder<A>, reply: Reply<A>): void => {
    const { method, reference } = order
    const chance = chances[method]
    const by = foundBy(vault)
    // Each way takes 1 to 100 ms.
    const way = (): number => 1 + chance.below(100)
    const answer: Reply<A> = (said) =>
      world.after(way(), () => {
        records.told(method, reference, wordsOf(said))
        reply(said)
      })
    // Who is told again while the first request stands in line may say no, and do the first one all the same.
    const refuses =
      vault.isFaulty() && underWay.has(`${method} ${reference}`) && chance.happens(0.5)
    const fault = refuses ? "refused" : drawFault(chance, method, reference)
    records.called(method, reference)
    records.note(`${method} ${reference} ${fault ?? "told"}`)
    const visit: Visit<A> = {
      order,
      chance,
      answer,
      arrive: (shown, age = 0) => {
        records.arrived(method, reference)
        return order.carryOut({ by, ...shown }, age)
      },
      keepSilent: () => {
        if (chance.happens(0.5)) return
        world.after(aWhile(chance, 1_000, 14_000), () =>
          answer({ outcome: Outcome.unknown("The connection broke.") })
        )
      },
      onArrival: (happen) => world.after(way(), happen)
    }
    if (fault === undefined) visit.onArrival(() => answer(suffer.told(visit)))
    else suffer[fault](visit)
    // Those two only count where there was something to tell instead of the truth.
    if (fault !== undefined && fault !== "another" && fault !== "lie")
      world.reached(cellOf(fault, method))
  }

  return {
    serve: <A>(caller: Caller, order: BankOrder<A>) =>
      Effect.flatMap(
        caller.exchange<Said<A>>((reply) => take(order, reply)),
        (said) => ("defect" in said ? Effect.die(said.defect) : Effect.succeed(said.outcome))
      )
  }
}

const byMethod = <A>(of: (method: BankMethod) => A): Readonly<Record<BankMethod, A>> =>
  Object.fromEntries(bankMethods.map((method) => [method, of(method)])) as Record<BankMethod, A>

const cellOf = (fault: CallFault, method: BankMethod): string => `fault: bank ${fault} of ${method}`

/** How much likelier something goes wrong with what something went wrong with before. */
const timesWorse = 4

/** What goes wrong with a call, if anything does. */
const drawing = ({ bank, isFaulty }: BankVault) => {
  const scale = 1_000_000
  const { calls, only } = bank.faults ?? {}
  const rates = byMethod((method) => {
    const likely = only === undefined ? calls : only[method]
    let upTo = 0
    return callFaults
      .filter((fault) => canMeet(method, fault) && (fault !== "lie" || bank.lies === true))
      .map((fault) => {
        upTo += (likely?.[fault] ?? 0) * scale
        return { fault, upTo }
      })
  })

  const troubled = new Set<string>()

  return (chance: Chance, method: BankMethod, reference: string): CallFault | undefined => {
    const ways = rates[method]
    if (!isFaulty() || (ways.at(-1)?.upTo ?? 0) === 0) return undefined
    const drawn = chance.below(scale) / (troubled.has(reference) ? timesWorse : 1)
    const fault = ways.find(({ upTo }) => drawn < upTo)?.fault
    if (fault !== undefined) troubled.add(reference)
    return fault
  }
}

const refusals = ["limit_exceeded", "account_blocked", "too_many_requests", "compliance"] as const

/** How old an answer can be. Core counts on no more than an hour. */
const ageMax = 10 * 60_000

/** What each fault does to a call. */
const sufferings = (vault: BankVault, underWay: Set<string>) => {
  const { records } = vault
  const arriveLate = lateness(vault, underWay)
  const memory = makeMemory()
  const lie = lying(vault)
  const doing = <A>({ arrive, order }: Visit<A>): PspOutcome<A> => {
    const outcome = arrive()
    memory.keep(order, outcome)
    return outcome
  }
  const untrue = <A>(
    { order: { method, reference } }: Visit<A>,
    fault: Untruth["fault"],
    reasons: Untruth["reasons"],
    others: ReadonlyArray<string> = []
  ): void => records.untrue({ method, references: [reference, ...others], fault, reasons })

  return {
    told: <A>(visit: Visit<A>): Said<A> => ({ outcome: doing(visit) }),

    untold: <A>(visit: Visit<A>): void =>
      visit.onArrival(() => {
        doing(visit)
        visit.keepSilent()
      }),

    late: <A>(visit: Visit<A>): void => arriveLate(visit, () => void doing(visit)),

    lost: <A>(visit: Visit<A>): void => {
      if (visit.chance.happens(0.5))
        visit.answer({ outcome: Outcome.notSent("The connection was refused.") })
      else visit.keepSilent()
    },

    refused: <A>(visit: Visit<A>): void =>
      visit.onArrival(() => {
        const code = visit.chance.pick(refusals)
        visit.answer({ outcome: Outcome.rejected(code, "The bank does not do it.") })
      }),

    broken: <A>(visit: Visit<A>): void =>
      visit.onArrival(() => {
        doing(visit)
        visit.answer({ outcome: Outcome.unknown("The bank answered 500.") })
      }),

    another: <A>(visit: Visit<A>): void =>
      visit.onArrival(() => {
        const own = doing(visit)
        const other = memory.other(visit)
        if (other !== undefined) {
          untrue(visit, "another", reasonsOfAnother(visit.order.method), [other.reference])
          vault.world.reached(cellOf("another", visit.order.method))
        }
        visit.answer({ outcome: other === undefined ? own : other.outcome })
      }),

    garbage: <A>(visit: Visit<A>): void =>
      visit.onArrival(() => {
        // What cannot be read says nothing that could be on record.
        untrue(visit, "garbage", [])
        visit.answer(garbageOf(visit.chance, doing(visit)))
      }),

    older: <A>(visit: Visit<A>): void =>
      visit.onArrival(() => {
        visit.answer({ outcome: visit.arrive({}, aWhile(visit.chance, 1_000, ageMax)) })
      }),

    lie
  }
}

/** A request that arrives later, and of which nobody hears until then. */
const lateness = (vault: BankVault, underWay: Set<string>) => {
  return <A>(
    { chance, keepSilent, order: { method, reference } }: Visit<A>,
    arrive: () => void
  ) => {
    const most = foundBy(vault) - vault.world.now()
    // Often so long that the service has asked again, and drawn its conclusions.
    const delay = chance.happens(0.5)
      ? aWhile(chance, 1_000, most)
      : 1_000 + chance.below(most - 1_000)
    const what = `${method} ${reference}`
    underWay.add(what)
    vault.agenda.later(delay, `${method} of ${reference} arrives`, () => {
      underWay.delete(what)
      arrive()
    })
    keepSilent()
  }
}

/** Tells what is not so, about each reference once. */
const lying = ({ records, world }: BankVault) => {
  const liedAbout = new Set<string>()

  return <A>(visit: Visit<A>): void =>
    visit.onArrival(() => {
      const { chance, order } = visit
      const { method, reference } = order
      const lies = liedAbout.has(reference) ? [] : order.lies()
      if (lies.length === 0) return visit.answer({ outcome: visit.arrive() })
      const { name, tell } = chance.pick(lies)
      const references = [reference]
      let truth: PspOutcome<A> | undefined
      const outcome = tell({
        honest: (from) => {
          truth = visit.arrive(from === undefined ? {} : { from })
          return truth
        },
        touch: (other) => references.push(other)
      })
      // Where there was nothing to lie about, the truth was told.
      if (outcome !== truth) {
        liedAbout.add(reference)
        world.reached(cellOf("lie", method))
        world.reached(`lie: ${name}`)
        records.note(`lie about ${reference}: ${name}`)
        records.untrue({ method, references, fault: "lie", lie: name, reasons: lieReasons[name] })
      }
      visit.answer({ outcome })
    })
}

/** The last few answers to each call, for those that are mixed up. */
const makeMemory = () => {
  const answers = byMethod(
    () => [] as Array<{ readonly reference: string; readonly outcome: PspOutcome<unknown> }>
  )
  return {
    keep: <A>({ method, reference }: BankOrder<A>, outcome: PspOutcome<A>): void => {
      if (outcome._tag !== "Done" || outcome.value === undefined) return
      const kept = answers[method]
      kept.push({ reference, outcome })
      if (kept.length > 8) kept.shift()
    },
    other: <A>({ chance, order: { method, reference } }: Visit<A>) => {
      const others = answers[method].filter((one) => one.reference !== reference)
      if (others.length === 0) return undefined
      const { outcome, reference: of } = chance.pick(others)
      // It is an answer to the same method.
      return { reference: of, outcome: outcome as PspOutcome<A> }
    }
  }
}

const wordsOf = (said: Said<unknown>): string => {
  if ("defect" in said) return "nothing that can be read"
  const { outcome } = said
  if (outcome?._tag === "Rejected") return `Rejected ${outcome.code}`
  if (outcome?._tag !== "Done") return outcome?._tag ?? "nothing that can be read"
  const { status = "nothing" } = (outcome.value ?? {}) as { readonly status?: string }
  return `Done ${status}`
}
