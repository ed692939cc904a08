/** Where one dialogue is cut: after so many bytes of what was asked, or of what was answered. */
export interface CutPoint {
  /** Bytes that are found in the question of the dialogue, and of no other. */
  readonly marker: string
  /** Of the dialogues that have them, the one with this place. Default 0. */
  readonly nth?: number
  readonly side: "question" | "answer"
  /** How many bytes of that side get through. */
  readonly bytes: number
}

/** What became of a dialogue that was to be cut. */
export interface CutDialogue {
  /** Bytes of each side that came by, until it was cut or over. */
  readonly asked: number
  readonly answered: number
  readonly isCut: boolean
}

/** What is to become of a chunk: all of it gets through, or its beginning and nothing after. */
export type Snip = { readonly _tag: "Through" } | { readonly _tag: "Cut"; readonly bytes: number }

const through: Snip = { _tag: "Through" }
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5])

/** Watches the dialogues of many connections, and cuts one of them. */
export class Scissors<Connection> {
  private readonly point: CutPoint
  private readonly marker: Buffer
  private readonly ended: (dialogue: CutDialogue) => void
  private left: number
  private connection: Connection | undefined
  private asked = 0
  private answered = 0

  constructor(point: CutPoint, ended: (dialogue: CutDialogue) => void) {
    this.point = point
    this.marker = Buffer.from(point.marker)
    this.left = point.nth ?? 0
    this.ended = ended
  }

  snip(connection: Connection, from: "client" | "backend", chunk: Buffer): Snip {
    if (this.connection === undefined) {
      if (from !== "client" || !chunk.includes(this.marker)) return through
      if (this.left-- > 0) return through
      this.connection = connection
    }
    if (connection !== this.connection) return through
    return from === "client" ? this.question(chunk) : this.answer(chunk)
  }

  /** The connection of the dialogue has ended by itself. */
  lose(connection: Connection): void {
    if (connection === this.connection) this.end(false)
  }

  private question(chunk: Buffer): Snip {
    const before = this.asked
    this.asked += chunk.length
    const { bytes, side } = this.point
    return side === "question" && this.asked >= bytes ? this.cut(bytes - before) : through
  }

  private answer(chunk: Buffer): Snip {
    const before = this.answered
    this.answered += chunk.length
    const { bytes, side } = this.point
    if (side === "answer" && this.answered >= bytes) return this.cut(bytes - before)
    if (chunk.subarray(-6, -1).equals(readyForQuery)) this.end(false)
    return through
  }

  private cut(bytes: number): Snip {
    this.end(true)
    return { _tag: "Cut", bytes }
  }

  private end(isCut: boolean): void {
    this.ended({ asked: this.asked, answered: this.answered, isCut })
  }
}
