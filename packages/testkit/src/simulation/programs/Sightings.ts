import type { Machine } from "./States.ts"
import { follows } from "./States.ts"

/** A state that an answer showed. It was so at some time between these two places in the order of all that happened. */
export interface Sighting {
  readonly state: string
  readonly from: number
  readonly to: number
}

/** Everything that was ever seen of the states of things, which must go forward only. */
export class Sightings {
  private readonly seen = new Map<string, Array<Sighting>>()
  private readonly violated: (violation: string) => void
  private readonly reached: (cell: string) => void

  constructor(violated: (violation: string) => void, reached: (cell: string) => void) {
    this.violated = violated
    this.reached = reached
  }

  /** What was seen before this was asked for must be able to lead here; what was seen meanwhile says nothing. */
  see(machine: Machine, id: string, sighting: Sighting): void {
    const name = `${machine} ${id}`
    const before = this.seen.get(name)
    if (before === undefined) {
      this.seen.set(name, [sighting])
      return
    }
    for (const earlier of before) {
      if (earlier.to >= sighting.from || earlier.state === sighting.state) continue
      if (follows(machine, earlier.state, sighting.state)) {
        this.reached(`${machine}: ${earlier.state} → ${sighting.state}`)
      } else {
        this.violated(`${name} was ${earlier.state}, and later ${sighting.state}`)
      }
    }
    before.push(sighting)
  }

  /** The states in which a thing was seen before a place in the order of all that happened. */
  before(machine: Machine, id: string, place: number): ReadonlyArray<string> {
    const all = this.seen.get(`${machine} ${id}`) ?? []
    return all.filter(({ to }) => to < place).map(({ state }) => state)
  }
}
