import type { Latch } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { Queue } from "../units/Unit.ts"
import { makeSignal } from "./Signal.ts"

type Job = Pick<Claimed, "queue" | "group">

/** Who is in the slots of a worker, and where work may wait for one. */
export interface JobSlots {
  readonly isEmpty: () => boolean
  /** Whether a group has all its slots here. Then its work waits for the next end of one. */
  readonly isFull: (job: Job) => boolean
  /** Keeps so many slots for a claim, as far as they are free; answers how many. */
  readonly hold: (queue: Queue, most: number) => number
  /** A claim has come to its end: what was held is free, or taken from here on. */
  readonly release: (queue: Queue, count: number) => void
  readonly enter: (queue: Queue, claimed: ReadonlyArray<Job>, isMore: boolean) => void
  /** Takes a slot for a job that is about to be born. Whoever waits in its queue goes first. */
  readonly take: (job: Job) => boolean
  /** Takes one for a job that is there, come what may. */
  readonly retake: (job: Job) => void
  readonly leave: (job: Job) => void
  /** Opens when any slot has been left since. */
  readonly nextEnd: () => Latch.Latch
}

interface SlotLimits {
  readonly count: number
  readonly slotsOf: (group: Uuid) => number
  /** How many of them are free before a group that had them all is hinted at. */
  readonly freeOfGroup: number
}

/** `hint` is told of queues in which work may wait for a slot that is there now. */
export const makeSlots = (
  { count, freeOfGroup, slotsOf }: SlotLimits,
  hint: (queue: Queue) => void
): JobSlots => {
  const ended = makeSignal()
  const taken = makeCounts()
  // Where the last claim may have left work lying: anywhere in a queue, or of groups that have all their slots.
  const waiting = new Map<Queue, "any" | Set<Uuid>>()
  // Whose claims are under way: whoever ends meanwhile makes room that they may not have seen.
  const claiming = new Set<Queue>()
  // Who found slots kept for others.
  const crowded = new Set<Queue>()
  let held = 0

  const free = () => count - taken.all() - held
  const isFull = (job: Job) => taken.of(job) >= slotsOf(job.group)
  const hasRoom = (job: Job) => taken.of(job) <= Math.max(0, slotsOf(job.group) - freeOfGroup)

  return {
    isEmpty: () => taken.all() === 0,
    isFull: (job) => {
      if (!isFull(job)) return false
      const where = waiting.get(job.queue)
      if (where instanceof Set) where.add(job.group)
      else waiting.set(job.queue, where ?? new Set([job.group]))
      return true
    },
    hold: (queue, most) => {
      const slots = Math.max(0, Math.min(most, free()))
      if (slots < Math.min(most, count - taken.all())) crowded.add(queue)
      held += slots
      if (slots > 0) claiming.add(queue)
      else waiting.set(queue, "any")
      return slots
    },
    release: (queue, slots) => {
      held -= slots
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
    take: (job) => {
      const where = waiting.get(job.queue)
      const isBehind = where === undefined || where === "any" || where.has(job.group)
      if (isBehind || free() <= 0 || isFull(job)) return false
      taken.add(job)
      return true
    },
    retake: taken.add,
    leave: (job) => {
      taken.remove(job)
      for (const one of claiming) if (one !== job.queue || hasRoom(job)) hint(one)
      for (const [one, where] of waiting) {
        const isOurs = where !== "any" && one === job.queue && where.has(job.group)
        if (where === "any" || (isOurs && hasRoom(job))) hint(one)
      }
      // Whoever is told acts at once, here and now: everything must be in order before.
      ended.notifyAll()
    },
    nextEnd: ended.next
  }
}

/** How many are taken, in all and of each group of a queue. */
const makeCounts = () => {
  const counts = new Map<Queue, Map<Uuid, number>>()
  let all = 0
  const of = ({ group, queue }: Job) => counts.get(queue)?.get(group) ?? 0
  return {
    of,
    all: () => all,
    groups: (queue: Queue): ReadonlyArray<Uuid> => [...(counts.get(queue)?.keys() ?? [])],
    add: (job: Job) => {
      all++
      const groups = counts.get(job.queue) ?? new Map<Uuid, number>()
      counts.set(job.queue, groups.set(job.group, of(job) + 1))
    },
    remove: (job: Job) => {
      all--
      const left = of(job) - 1
      if (left > 0) counts.get(job.queue)?.set(job.group, left)
      else counts.get(job.queue)?.delete(job.group)
    }
  }
}
