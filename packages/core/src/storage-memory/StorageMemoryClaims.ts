import { DateTime } from "effect"
import { jobName } from "../units/Facts.ts"
import type { LeaseToken, Uuid } from "../kernel/Ids.ts"
import type { JobChange } from "../units/MergedUnit.ts"
import type { Claim, Claimed, GroupHead, HeadQuery, Renewal } from "../ports/StorageDriver.ts"
import type { MemoryState, StoredJob } from "./StorageMemoryState.ts"
import type { Queue } from "../units/Unit.ts"

/**
 * Gives out due jobs that nobody holds, and no more of one group than may be in flight. Where not all fit, the
 * oldest of every group comes before the second of any, so that no backlog keeps others waiting; and so with accounts,
 * where they have a bound.
 */
export const claimOf = (
  state: MemoryState,
  claim: Claim,
  clock: DateTime.Utc
): ReadonlyArray<Claimed> => {
  const { bounds = [], max, now, perAccount, perGroup, queue, spared = [], token } = claim
  const line = lineOf(state, queue)
  const isDue = (job: StoredJob): boolean =>
    DateTime.isLessThanOrEqualTo(job.due, now) && !isHeld(job, clock)
  // Most claims come every second, for nothing.
  if (!line.some(isDue)) return []
  const boundOf = new Map(bounds.map((bound) => [bound.group, bound.max]))
  const ownerOf = (group: Uuid): Uuid =>
    perAccount === undefined ? group : (state.rows.get(group)?.row.account ?? group)
  const tokens = new Map(spared.map((one) => [one.id, one.token]))
  const isSpared = ({ id, lease }: StoredJob) =>
    lease !== undefined && tokens.get(id) === lease.token
  const inFlight = Map.groupBy(
    line.filter((job) => isHeld(job, clock) && !isSpared(job)),
    (job) => job.group
  )
  const due = line.filter(isDue).toSorted(byDue)
  const places = [...Map.groupBy(due, (job) => job.group)].flatMap(([group, jobs]) =>
    jobs
      .slice(0, Math.max(0, (boundOf.get(group) ?? perGroup) - (inFlight.get(group)?.length ?? 0)))
      .map((job, turn) => ({ job, turn }))
  )
  const held = Map.groupBy([...inFlight.values()].flat(), (job) => ownerOf(job.group))
  const turns = [...Map.groupBy(places.toSorted(inTurn), ({ job }) => ownerOf(job.group))].flatMap(
    ([owner, jobs]) =>
      jobs
        .slice(0, Math.max(0, (perAccount ?? Infinity) - (held.get(owner)?.length ?? 0)))
        .map(({ job }, turn) => ({ job, turn }))
  )
  const chosen = turns
    .toSorted(inTurn)
    .slice(0, max)
    .map(({ job }) => job)
  const lease = { token, until: DateTime.addDuration(clock, claim.lease) }
  for (const job of chosen) state.jobs.set(jobName(job), { ...job, lease })
  return chosen
    .toSorted(byDue)
    .map(({ due, group, id, queue }) => ({ queue, id, group, token, due }))
}

const lineOf = (state: MemoryState, queue: Queue): ReadonlyArray<StoredJob> => {
  const line: Array<StoredJob> = []
  for (const job of state.jobs.values()) if (job.queue === queue) line.push(job)
  return line
}

/** The leases of births that their groups have no room for, those that are born before them in the same write counted. */
export const leaselessOf = (
  state: MemoryState,
  changes: ReadonlyArray<JobChange>,
  clock: DateTime.Utc
): ReadonlyArray<LeaseToken> => {
  const born = changes.filter((change) => change.lease !== null)
  return born.flatMap(({ group, lease, queue }, index) => {
    const isOfGroup = (job: { readonly queue: Queue; readonly group: Uuid | null }) =>
      job.queue === queue && job.group === group
    const held = [...state.jobs.values()].filter((job) => isOfGroup(job) && isHeld(job, clock))
    const turn = born.slice(0, index).filter(isOfGroup).length
    return lease !== null && held.length + turn >= lease.perGroup ? [lease.token] : []
  })
}

export const headsOf = (
  state: MemoryState,
  { limit, now, queues }: HeadQuery
): ReadonlyArray<GroupHead> => {
  const due = [...state.jobs.values()].filter(
    (job) =>
      queues.includes(job.queue) &&
      job.lease === undefined &&
      DateTime.isLessThanOrEqualTo(job.due, now)
  )
  const oldest = new Map<Uuid, StoredJob>()
  for (const job of due.toSorted(byDue)) if (!oldest.has(job.group)) oldest.set(job.group, job)
  return [...oldest.values()]
    .toSorted(
      (left, right) => DateTime.Order(left.due, right.due) || compare(left.group, right.group)
    )
    .slice(0, limit)
    .map((job) => ({ group: job.group, due: job.due }))
}

export const renewOf = (state: MemoryState, renewal: Renewal, clock: DateTime.Utc): boolean => {
  const { lease, token } = renewal
  const job = state.jobs.get(jobName(renewal))
  if (job?.lease?.token !== token) return false
  const until = DateTime.addDuration(clock, lease)
  state.jobs.set(jobName(renewal), { ...job, lease: { token, until } })
  return true
}

interface Turn {
  readonly job: StoredJob
  readonly turn: number
}

const inTurn = (left: Turn, right: Turn): number =>
  left.turn - right.turn || byDue(left.job, right.job)

const byDue = (left: StoredJob, right: StoredJob): number =>
  DateTime.Order(left.due, right.due) || compare(left.id, right.id)

/** A lease ends at its instant, as everything with an end does. */
const isHeld = (job: StoredJob, clock: DateTime.Utc): boolean =>
  job.lease !== undefined && DateTime.isLessThan(clock, job.lease.until)

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
