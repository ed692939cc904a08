/** What is in a bag knows its index in it; below zero where it is in none. */
export interface BagItem {
  index: number
}

/**
 * Things that come and go all the time, in no order. A `Map` or `Set` makes a new table every few changes, and each old
 * table keeps the next one, and what was in it, from being collected until all of the heap is looked through: with every
 * request in one, a fifth of all garbage outlives the cheap collections (decision 0095).
 */
export class Bag<A extends BagItem> implements Iterable<A> {
  private readonly members: Array<A> = []

  get size(): number {
    return this.members.length
  }

  add(member: A): void {
    member.index = this.members.push(member) - 1
  }

  /** Answers whether it was in. */
  remove(member: A): boolean {
    if (member.index < 0) return false
    const last = this.members.pop()
    if (last !== undefined && last !== member) {
      this.members[member.index] = last
      last.index = member.index
    }
    member.index = -1
    return true
  }

  [Symbol.iterator](): Iterator<A> {
    return [...this.members][Symbol.iterator]()
  }
}
