import type { Plant } from "../Plant.ts"
import { inCore } from "../Plant.ts"

/** What is told: to receivers, and to the person who runs the service. */
export const webhooks: ReadonlyArray<Plant> = [
  {
    name: "any-answer-delivers",
    what: "A delivery counts as taken whatever its receiver answers: what it could not take it is never told again.",
    storage: "memory",
    edits: [
      inCore(
        "webhooks/DeliveryPolicy.ts",
        "outcome.status >= 200 && outcome.status < 300",
        "outcome.status !== gone"
      )
    ]
  },
  {
    name: "delivered-before-it-is-sent",
    what: "A delivery is marked as done when its sending begins: what does not arrive is never told again.",
    storage: "memory",
    edits: [
      inCore(
        "webhooks/DeliverySender.ts",
        "const outcome = yield* transport.send({ url: endpoint.url, headers, body: event.body })",
        `yield* Effect.forkDetach(transport.send({ url: endpoint.url, headers, body: event.body }))
    const outcome: SendOutcome = { _tag: "Answered", status: 200, durationMillis: 0 }`
      )
    ]
  },
  {
    name: "retries-stop",
    what: "After its third failure a delivery is in nobody's line, and still says that it will be sent.",
    storage: "memory",
    edits: [
      inCore(
        "webhooks/DeliveryTries.ts",
        "jobs.push(jobAfter(job, verdict, now))",
        'jobs.push(number < 3 ? jobAfter(job, verdict, now) : { ...leased(job), _tag: "Finish" })'
      )
    ]
  },
  {
    name: "routes-of-before",
    what: "A process goes by the endpoints that it remembers: one that was acknowledged by another process is told nothing.",
    storage: "memory",
    edits: [
      inCore(
        "webhooks/EndpointRouter.ts",
        "const resting = { ...next, expects: [...(unit.expects ?? []), ...rests] }",
        "const resting = next"
      )
    ]
  },
  {
    name: "reversal-under-the-same-event",
    what: "A withdrawal's reversal has the event id of its completion: it can never be booked, and the merchant never has his money back.",
    storage: "memory",
    edits: [
      inCore(
        "withdrawals/WithdrawalEvents.ts",
        "eventId: `withdrawal_reversed_${withdrawal.id}`,",
        "eventId: withdrawal.id,"
      )
    ]
  },
  {
    name: "contradiction-not-recorded",
    what: "What a PSP says against what is booked is thrown away: nobody looks into it.",
    storage: "memory",
    edits: [
      inCore(
        "discrepancies/DiscrepancyRecords.ts",
        `  return yield* commit({
    ...unit,
    inserts: [...(unit.inserts ?? []), DiscrepancyKind.row(discrepancy)],
    keys: [...(unit.keys ?? []), key],
    jobs: [...(unit.jobs ?? []), ...reviewJobs(undefined, { id, account, since: createdAt })]
  }).pipe(`,
        "  return yield* commit({ ...unit, keys: [...(unit.keys ?? []), key] }).pipe("
      )
    ]
  },
  {
    name: "second-contradiction-dropped",
    what: "A PSP contradicts a payment in another way than before, and that is taken for a repeat.",
    storage: "memory",
    since: 9,
    edits: [
      inCore(
        "discrepancies/Discrepancy.ts",
        "key: `${subject}/${reason}/${digest}`,",
        "key: `${subject}/${reason}`,"
      )
    ]
  }
]
