import type { BankFaults, CallFault, World } from "@pagora/testkit/simulation"

export type Chance = ReturnType<World["chance"]>

/**
 * What can go wrong with an HTTP request on its way to a bank and back, as far as a bank's protocol shows it.
 *
 * - `lost`: it never arrives, and whoever sent it knows that it has not left, or nothing;
 * - `late`: it arrives seconds to minutes later, and nobody hears of it. Not a question;
 * - `abandoned`: the same, and whoever stands between says 5xx meanwhile;
 * - `doubled`: it arrives twice, by something between that tries again;
 * - `untold`: it is done, and there is no answer;
 * - `broken`: it is done, and the answer is a 5xx, a page of a proxy, or a 404 of one;
 * - `stopped`: the same, and nothing is done;
 * - `refused`: nothing is done, and the bank says so in its own words;
 * - `crowded`: nothing is done, and it is too many: 429 with `Retry-After`;
 * - `expired`: all tokens have ended: 401. An order may have been done before, by what was sent before this;
 * - `another`: the answer to another request of the same kind;
 * - `older`: a question is answered as it was some time ago;
 * - `garbage`: half an answer, another form, a status that nobody knows;
 * - `slow`: the answer comes after seconds, or when nobody waits for it any more.
 */
export const wireFaults = [
  "lost",
  "late",
  "abandoned",
  "doubled",
  "untold",
  "broken",
  "stopped",
  "refused",
  "crowded",
  "expired",
  "another",
  "older",
  "garbage",
  "slow"
] as const
export type WireFault = (typeof wireFaults)[number]

/** What Woovi is asked besides, for one answer of the port. */
const besidesAtWoovi = [
  "approvePayout",
  "findPaymentsOfCharge",
  "findReturnsOfCharge",
  "findReturnOfPayout",
  "findInfraction"
] as const

/** What banks are asked, by the names of the port and not by those of a protocol. */
export const wireKinds = [
  "token",
  "createCharge",
  "findCharge",
  "cancelCharge",
  "sendPayout",
  "findPayout",
  "refund",
  "findRefund",
  "findPayment",
  "listPayments",
  "listInfractions",
  "defendInfraction",
  "findBalance",
  ...besidesAtWoovi
] as const
export type WireKind = (typeof wireKinds)[number]

const orders: ReadonlySet<WireKind> = new Set([
  "createCharge",
  "cancelCharge",
  "sendPayout",
  "approvePayout",
  "refund",
  "defendInfraction"
])

export const isOrder = (kind: WireKind): boolean => orders.has(kind)

/** After these whoever asked is told something, and it is not what is so. */
const mistold: ReadonlySet<WireFault> = new Set([
  "broken",
  "stopped",
  "refused",
  "another",
  "older",
  "garbage"
])

export const isMistold = (fault: WireFault): boolean => mistold.has(fault)

/** Whether such a thing can happen to such a request. */
const canMeet = (kind: WireKind, fault: WireFault): boolean => {
  if (fault === "late" || fault === "abandoned" || fault === "doubled") return isOrder(kind)
  if (fault === "older") return kind.startsWith("find")
  return kind !== "token" || fault !== "expired"
}

/** What not every bank has, or hardly anybody asks for. */
const rare: ReadonlySet<WireKind> = new Set([
  "findPayment",
  "listInfractions",
  "defendInfraction",
  "findBalance",
  ...besidesAtWoovi
])

/** Every kind of fault at every kind of request, as far as each bank has it; Woovi is asked without a token. */
export const wireCells = (bank: string): ReadonlyArray<string> =>
  wireKinds
    .filter((kind) => !rare.has(kind) && !(bank === "woovi" && kind === "token"))
    .flatMap((kind) =>
      wireFaults
        .filter((fault) => canMeet(kind, fault) && !(fault === "another" && kind === "sendPayout"))
        .map((fault) => `fault: line ${fault} of ${kind}`)
    )

/** Of which kind of the setting's faults each takes its rate; the rest have one of their own. */
const alike: Readonly<Partial<Record<WireFault, CallFault>>> = {
  lost: "lost",
  late: "late",
  untold: "untold",
  broken: "broken",
  refused: "refused",
  another: "another",
  older: "older",
  garbage: "garbage"
}

type Rates = Readonly<Partial<Record<WireFault, number>>>

/** How often each happens to a request of a kind, of 1. */
export type WireRates = (kind: WireKind) => Rates

export const noRates: Rates = {}

/** What goes wrong on a line that is about that, and nothing else does: so that what takes two of them on end is met. */
const lineThemes: ReadonlyArray<Readonly<Partial<Record<WireKind, Rates>>>> = [
  // Whoever stands between does not wait for an order, and says that it is broken; the order arrives all the same.
  { sendPayout: { abandoned: 0.35 }, refund: { abandoned: 0.35 } },
  // What was ordered is done, and pages of whoever stands between are told of it, and to whoever looks it up.
  {
    sendPayout: { broken: 0.5 },
    findPayout: { broken: 0.1, stopped: 0.1 },
    refund: { broken: 0.5 },
    findRefund: { broken: 0.1, stopped: 0.1 }
  },
  // Tokens end in the middle of orders.
  { sendPayout: { expired: 0.35 }, refund: { expired: 0.35 }, createCharge: { expired: 0.1 } }
]

/** How many lines have one, of 1. */
const themed = 0.15

export const drawLineTheme = (chance: Chance): (typeof lineThemes)[number] | undefined =>
  chance.happens(themed) ? chance.pick(lineThemes) : undefined

/** How often each happens, of 1. */
export const wireRates = (
  chance: Chance,
  faults: BankFaults | undefined
): Readonly<Record<WireFault, number>> => {
  const own = () => (chance.pick([0, 0.05, 0.2, 0.6, 1]) * 0.15 * chance.below(1_000)) / 1_000
  const isCalm = faults?.calls === undefined
  // In some worlds one thing goes wrong again and again.
  const habit = chance.happens(0.5) ? chance.pick(wireFaults) : undefined
  const often = 0.1 + chance.below(200) / 1_000
  return Object.fromEntries(
    wireFaults.map((fault) => {
      const rate = own()
      const named = alike[fault]
      const known = named === undefined ? rate : (faults?.calls?.[named] ?? 0)
      return [fault, isCalm ? 0 : known + (fault === habit ? often : 0)]
    })
  ) as Record<WireFault, number>
}

/** How much likelier something goes wrong with what something went wrong with before. */
const timesWorse = 4

/** What goes wrong with a request, if anything does. */
export const makeDrawing = (ratesOf: WireRates) => {
  const troubled = new Set<string>()
  return (chance: Chance, kind: WireKind, subject: string): WireFault | undefined => {
    const drawn =
      (chance.below(1_000_000) / 1_000_000) * (troubled.has(subject) ? 1 / timesWorse : 1)
    const rates = ratesOf(kind)
    let upTo = 0
    for (const fault of wireFaults) {
      if (!canMeet(kind, fault)) continue
      upTo += rates[fault] ?? 0
      if (drawn >= upTo) continue
      if (kind !== "token") troubled.add(subject)
      return fault
    }
    return undefined
  }
}
