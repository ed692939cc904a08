/** What is in a crowd knows its place in it; below zero where it is in none. */
export interface Member {
  place: number
}

/**
 * Things that come and go all the time, in no order. A `Map` or `Set` makes a new table every few changes, and each old
 * table keeps the next one, and what was in it, from being collected until all of the heap is looked through: with every
 * request in one, a fifth of all garbage outlives the cheap collections (decision 0095).
 */
export class Crowd<A extends Member> implements Iterable<A> {
  private readonly members: Array<A> = []

  get size(): number {
    return this.members.length
  }

  add(member: A): void {
    member.place = this.members.push(member) - 1
  }

  /** Answers whether it was in. */
  remove(member: A): boolean {
    if (member.place < 0) return false
    const last = this.members.pop()
    if (last !== undefined && last !== member) {
      this.members[member.place] = last
      last.place = member.place
    }
    member.place = -1
    return true
  }

  [Symbol.iterator](): Iterator<A> {
    return [...this.members][Symbol.iterator]()
  }
}
