/** Something that is to happen at an instant. */
interface Due {
  readonly at: number
  /** Of what is due at one instant, what was said first comes first. */
  readonly order: number
  readonly what: () => void
}

const isBefore = (one: Due, other: Due): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order)

/** All that is to happen, the next first: a binary heap. */
export class DueLine {
  private readonly heap: Array<Due> = []
  private said = 0

  add(at: number, what: () => void): void {
    const { heap } = this
    const due: Due = { at, order: this.said++, what }
    let place = heap.push(due) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = heap[parent] as Due
      if (!isBefore(due, above)) break
      heap[place] = above
      place = parent
    }
    heap[place] = due
  }

  take(): Due | undefined {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child++
      if (!isBefore(heap[child] as Due, last)) break
      heap[place] = heap[child] as Due
      place = child
    }
    heap[place] = last
    return first
  }
}
