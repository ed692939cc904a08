import type { Unit } from "@pagora/core"

/** A contradiction between a PSP and the books, as somebody wants it on record. */
interface Contradiction {
  /** What it is known by: a second one of the same name is taken for a repeat. */
  readonly name: string
  readonly subject: string
  /** What the PSP says. */
  readonly said: string
}

/** What of a PSP's words makes another contradiction of them; times and the words of a refusal vary by themselves. */
const telling = ["reference", "pspReference", "endToEndId", "returnId", "status", "amount"] as const

const contradictionOf = ({ inserts = [], keys = [] }: Unit): Contradiction | undefined => {
  const row = inserts.find(({ kind }) => kind === "discrepancy")
  const name = keys.find(({ space }) => space === "discrepancy")?.key
  if (row === undefined || name === undefined) return undefined
  const { evidence, subject } = JSON.parse(row.document) as {
    readonly evidence: string
    readonly subject: string
  }
  const words = JSON.parse(evidence) as Readonly<Record<string, unknown>>
  return { name, subject, said: JSON.stringify(telling.map((field) => words[field] ?? null)) }
}

/** Sees that nothing which a PSP says against the books is lost because something else of it is on record. */
export class RecordsWitness {
  private readonly known = new Map<string, string>()
  private readonly broken: (what: string) => void

  constructor(broken: (what: string) => void) {
    this.broken = broken
  }

  cameIn(unit: Unit): void {
    const contradiction = contradictionOf(unit)
    if (contradiction !== undefined) this.known.set(contradiction.name, contradiction.said)
  }

  turnedAway(unit: Unit): void {
    const contradiction = contradictionOf(unit)
    if (contradiction === undefined) return
    const { name, said, subject } = contradiction
    const known = this.known.get(name)
    if (known !== undefined && known !== said)
      this.broken(`of ${subject} ${known} is on record, and ${said} was taken for the same`)
  }
}
