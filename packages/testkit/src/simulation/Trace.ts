import { createHash } from "node:crypto"

/** Lines are hashed so many at once. */
const chunkMax = 512

/** What happened in a world, line by line, and its hash. */
export class Trace {
  private readonly hash = createHash("sha256")
  private readonly isKept: boolean
  private chunk: Array<string> = []
  private count = 0
  private kept: Array<string> = []

  /** @param isKept Whether the lines are kept, to be shown. */
  constructor(isKept: boolean) {
    this.isKept = isKept
  }

  add(line: string): void {
    this.count++
    if (this.isKept) this.kept.push(line)
    if (this.chunk.push(line) >= chunkMax) this.flush()
  }

  get lines(): ReadonlyArray<string> {
    return this.kept
  }

  /** How many lines it has. */
  get length(): number {
    return this.count
  }

  /** Of all that happened so far, 16 hexadecimal digits. It can be asked for once, at the end. */
  digest(): string {
    this.flush()
    return this.hash.digest("hex").slice(0, 16)
  }

  private flush(): void {
    this.hash.update(this.chunk.join("\n"))
    this.chunk = []
  }
}
