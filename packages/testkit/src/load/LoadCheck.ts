/** What a client asked for under one key, and what it was told. */
export interface Asked {
  readonly kind: "charge" | "withdrawal" | "return"
  /** Its `externalReference`; of a refund the id of the charge. */
  readonly reference: string
  /** Centavos. */
  readonly amount: number
  /** The id in each 2xx. */
  readonly told: ReadonlyArray<string>
  /** It was told for good that nothing comes of it. */
  readonly isRefused: boolean
}

/** A row as it is stored. */
export interface Stored {
  readonly id: string
  readonly kind: string
  readonly status: string
  /** Centavos, as text. */
  readonly amount: string | null
  /** The `externalReference`; of a refund the id of its charge. */
  readonly reference: string | null
}

/** What the simulated bank has in its own book: a payout or a payment by the name it goes by. */
export interface Booked {
  readonly kind: "payout" | "payment" | "refund"
  readonly name: string
  readonly status: string
  readonly amount: string
}

/** Everything that is looked at when all is over. */
export interface LoadFacts {
  readonly asked: ReadonlyArray<Asked>
  readonly stored: ReadonlyArray<Stored>
  readonly bank: ReadonlyArray<Booked>
  /** End-to-end ids that the service has taken for its own. */
  readonly endToEndIds: ReadonlyArray<string>
  /** Ids of events, and those that the receiver got. */
  readonly events: ReadonlyArray<string>
  readonly received: ReadonlySet<string>
  readonly audit: ReadonlyArray<unknown>
  /** Whatever had begun, of whatever kind, and had not ended when the time for it was over. */
  readonly unended: number
  /** How often something was made to go wrong. */
  readonly faults: number
}

const grouped = <A>(
  values: ReadonlyArray<A>,
  nameOf: (value: A) => string
): Map<string, Array<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const value of values) {
    const name = nameOf(value)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [value])
    else group.push(value)
  }
  return groups
}

/** An id as the PSP has it. */
const shortOf = (id: string): string => id.replaceAll("-", "")

/** Everything that must not be when all is over, a sentence each. */
export const violationsOf = (facts: LoadFacts): ReadonlyArray<string> => [
  ...promisesBroken(facts),
  ...bankDiffers(facts),
  ...facts.events
    .filter((event) => !facts.received.has(event))
    .map((event) => `event ${event} never reached the receiver`),
  ...facts.audit.map((violation) => `audit: ${JSON.stringify(violation)}`),
  ...(facts.unended > 0 ? [`${facts.unended} operations never came to their end`] : []),
  ...provesNothing(facts)
]

/** A load under which nothing went well, or nothing went wrong. */
const provesNothing = ({ asked, faults }: LoadFacts): ReadonlyArray<string> => [
  ...(asked.some(({ told }) => told.length > 0) ? [] : ["nothing was acknowledged"]),
  ...(faults > 0 ? [] : ["nothing was ever made to go wrong"])
]

/** What was answered 2xx is stored as it was asked for, what was refused is not, and a key makes one thing. */
export const promisesBroken = ({
  asked,
  stored
}: Pick<LoadFacts, "asked" | "stored">): ReadonlyArray<string> => {
  const byId = new Map(stored.map((row) => [shortOf(row.id), row]))
  const byReference = grouped(stored, ({ kind, reference }) => `${kind} ${reference ?? ""}`)
  return asked.flatMap(({ amount, isRefused, kind, reference, told }) => {
    const what = `${kind} ${reference}`
    const ids = [...new Set(told.map(shortOf))]
    const found = byReference.get(what) ?? []
    return [
      ...(ids.length > 1 ? [`${what} was told as ${ids.join(" and ")}`] : []),
      ...(found.length > 1 ? [`${what} is there ${found.length} times`] : []),
      ...(isRefused && found.length > 0 ? [`${what} was refused for good and is there`] : []),
      ...ids.flatMap((id) => {
        const row = byId.get(id)
        if (row === undefined) return [`${what} was acknowledged as ${id} and is not stored`]
        return row.kind === kind && Number(row.amount) === amount && row.reference === reference
          ? []
          : [`${what} over ${amount} is stored as ${JSON.stringify(row)}`]
      })
    ]
  })
}

/** The ledger and the bank tell of the same money, and nobody was paid twice. */
const bankDiffers = ({ bank, endToEndIds, stored }: LoadFacts): ReadonlyArray<string> => {
  const ofBank = (kind: Booked["kind"]) => bank.filter((booked) => booked.kind === kind)
  const paid = (kind: "payout" | "refund", entity: string, ended: string, unended: RegExp) => {
    const at = grouped(ofBank(kind), ({ name }) => name)
    const entities = stored.filter((row) => row.kind === entity)
    const known = new Set(entities.map(({ id }) => shortOf(id)))
    return [
      ...[...at].flatMap(([name, all]) => [
        ...(all.length > 1 ? [`${kind} ${name} was made ${all.length} times`] : []),
        ...(known.has(name) ? [] : [`${kind} ${name} belongs to no ${entity}`])
      ]),
      ...entities.flatMap(({ id, status }) => {
        const all = at.get(shortOf(id)) ?? []
        const isPaid = all.some((booked) => booked.status === ended)
        if (unended.test(status)) return [`${entity} ${id} has not ended: ${status}`]
        return isPaid === (status === ended)
          ? []
          : [`${entity} ${id} is ${status}, and the bank says ${all[0]?.status ?? "nothing"}`]
      })
    ]
  }
  const own = new Set(endToEndIds)
  return [
    ...paid("payout", "withdrawal", "completed", /^(pending|processing|manual_review)$/),
    ...paid("refund", "return", "confirmed", /^(requested|processing)$/),
    ...stored
      .filter(({ kind, status }) => kind === "charge" && status === "creating")
      .map(({ id }) => `charge ${id} has not ended: creating`),
    ...ofBank("payment")
      .filter(({ name }) => !own.has(name))
      .map(({ name }) => `payment ${name} of the bank was never booked`)
  ]
}
