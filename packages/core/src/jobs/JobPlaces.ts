import type { Latch } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { Queue } from "../units/Unit.ts"
import { makeEnds } from "./Ends.ts"

type Place = Pick<Claimed, "queue" | "group">

/** Who is in the places of a worker, and where work may wait for one. */
export interface JobPlaces {
  readonly isEmpty: () => boolean
  /** Whether a group has all its places here. Then its work waits for the next end of one. */
  readonly isFull: (place: Place) => boolean
  /** Keeps so many places for a claim, as far as they are free; answers how many. */
  readonly hold: (queue: Queue, most: number) => number
  /** A claim has come to its end: what was held is free, or taken from here on. */
  readonly release: (queue: Queue, count: number) => void
  readonly enter: (queue: Queue, claimed: ReadonlyArray<Place>, isMore: boolean) => void
  /** Takes a place for a job that is about to be born. Whoever waits in its queue goes first. */
  readonly take: (place: Place) => boolean
  /** Takes one for a job that is there, come what may. */
  readonly retake: (place: Place) => void
  readonly leave: (place: Place) => void
  /** Opens when any place has been left since. */
  readonly nextEnd: () => Latch.Latch
}

interface PlaceLimits {
  readonly slots: number
  readonly slotsOf: (group: Uuid) => number
  /** How many of them are free before a group that had them all is hinted at. */
  readonly freeOfGroup: number
}

/** `hint` is told of queues in which work may wait for a place that is there now. */
export const makePlaces = (
  { freeOfGroup, slots, slotsOf }: PlaceLimits,
  hint: (queue: Queue) => void
): JobPlaces => {
  const ends = makeEnds()
  const taken = makeCounts()
  // Where the last claim may have left work lying: anywhere in a queue, or of groups that have all their places.
  const waiting = new Map<Queue, "any" | Set<Uuid>>()
  // Whose claims are under way: whoever ends meanwhile makes room that they may not have seen.
  const claiming = new Set<Queue>()
  // Who found places kept for others.
  const crowded = new Set<Queue>()
  let held = 0

  const free = () => slots - taken.all() - held
  const isFull = (place: Place) => taken.of(place) >= slotsOf(place.group)
  const hasRoom = (place: Place) =>
    taken.of(place) <= Math.max(0, slotsOf(place.group) - freeOfGroup)

  return {
    isEmpty: () => taken.all() === 0,
    isFull: (place) => {
      if (!isFull(place)) return false
      const where = waiting.get(place.queue)
      if (where instanceof Set) where.add(place.group)
      else waiting.set(place.queue, where ?? new Set([place.group]))
      return true
    },
    hold: (queue, most) => {
      const places = Math.max(0, Math.min(most, free()))
      if (places < Math.min(most, slots - taken.all())) crowded.add(queue)
      held += places
      if (places > 0) claiming.add(queue)
      else waiting.set(queue, "any")
      return places
    },
    release: (queue, places) => {
      held -= places
      claiming.delete(queue)
      waiting.set(queue, "any")
      for (const one of crowded) hint(one)
      crowded.clear()
    },
    enter: (queue, claimed, isMore) => {
      for (const { group } of claimed) taken.add({ queue, group })
      const full = taken.groups(queue).filter((group) => !hasRoom({ queue, group }))
      waiting.set(queue, isMore ? "any" : new Set(full))
      if (isMore && free() > 0) hint(queue)
    },
    take: (place) => {
      const where = waiting.get(place.queue)
      const isBehind = where === undefined || where === "any" || where.has(place.group)
      if (isBehind || free() <= 0 || isFull(place)) return false
      taken.add(place)
      return true
    },
    retake: taken.add,
    leave: (place) => {
      taken.remove(place)
      for (const one of claiming) if (one !== place.queue || hasRoom(place)) hint(one)
      for (const [one, where] of waiting) {
        const isOurs = where !== "any" && one === place.queue && where.has(place.group)
        if (where === "any" || (isOurs && hasRoom(place))) hint(one)
      }
      // Whoever is told acts at once, here and now: everything must be in order before.
      ends.tell()
    },
    nextEnd: ends.next
  }
}

/** How many are taken, in all and of each group of a queue. */
const makeCounts = () => {
  const counts = new Map<Queue, Map<Uuid, number>>()
  let all = 0
  const of = ({ group, queue }: Place) => counts.get(queue)?.get(group) ?? 0
  return {
    of,
    all: () => all,
    groups: (queue: Queue): ReadonlyArray<Uuid> => [...(counts.get(queue)?.keys() ?? [])],
    add: (place: Place) => {
      all++
      const groups = counts.get(place.queue) ?? new Map<Uuid, number>()
      counts.set(place.queue, groups.set(place.group, of(place) + 1))
    },
    remove: (place: Place) => {
      all--
      const left = of(place) - 1
      if (left > 0) counts.get(place.queue)?.set(place.group, left)
      else counts.get(place.queue)?.delete(place.group)
    }
  }
}
