import type { Proved } from "../Plant.ts"
import { inCore, proved } from "../Plant.ts"
import { requests } from "./Expectations.ts"

const looks = "test/storage/meanwhile-jobs.test.ts"

/** What a look leaves as it was is still so. */
const unchanged: ReadonlyArray<Proved> = [
  proved(
    "a charge that is left as it was, and was changed meanwhile",
    looks,
    "is looked at once more: %s",
    inCore(
      "charges/ChargeWriter.ts",
      "          jobs: change.jobs,\n          expects: [Kind.expectation(ChargeKind, loaded.charge)]\n",
      "          jobs: change.jobs\n"
    )
  ),
  proved(
    "a payout that is left as it was, and was changed meanwhile",
    looks,
    "is looked at once more: %s",
    inCore(
      "withdrawals/WithdrawalWriter.ts",
      "return { jobs, expects: [Kind.expectation(WithdrawalKind, withdrawal)] }",
      "return { jobs }"
    )
  ),
  proved(
    "a return that is left as it was, and was changed meanwhile",
    looks,
    "is looked at once more: %s",
    inCore(
      "returns/ReturnWriter.ts",
      "return { ...unit, expects: [...(unit.expects ?? []), Kind.expectation(ReturnKind, loaded)] }",
      "return unit"
    )
  ),
  proved(
    "a report that is left as it was, and was changed meanwhile",
    looks,
    "is looked at once more: %s",
    inCore(
      "psp-reports/ReportWriter.ts",
      "? { expects: [Kind.expectation(PspReportKind, loaded)] }",
      "? {}"
    )
  ),
  proved(
    "a block that is not collected, and was changed meanwhile",
    looks,
    "is looked at once more: %s",
    inCore(
      "blocks/BlockWorker.ts",
      "return yield* writer.commit({ at, expects, jobs: [ending] })",
      "return yield* writer.commit({ at, jobs: [ending] })"
    )
  ),
  proved(
    "a block that is nothing to collect of, and was approved meanwhile",
    "test/storage/former-primary.test.ts",
    "leaves no block uncollected that was approved since",
    inCore(
      "blocks/BlockWorker.ts",
      "return yield* writer.commit({ at, expects, jobs: [finish(job)] })",
      "return yield* writer.commit({ at, jobs: [finish(job)] })"
    )
  ),
  proved(
    "an answer to a report that nobody waits for, and was given meanwhile",
    looks,
    "is looked at once more: %s",
    inCore(
      "psp-reports/DefenceSender.ts",
      "    yield* storage.commit({ at: yield* time.now, expects, jobs: [finish(job)] })\n",
      "    yield* storage.commit({ at: yield* time.now, expects: expects.slice(1), jobs: [finish(job)] })\n"
    )
  ),
  proved(
    "an endpoint that has missed nothing, and was to have it again meanwhile",
    looks,
    "is looked at once more: %s",
    inCore(
      "webhooks/WebhookRecoverer.ts",
      "return yield* storage.commit({ at, expects, jobs: [finish] })",
      "return yield* storage.commit({ at, expects: expects.slice(1), jobs: [finish] })"
    )
  ),
  proved(
    "what cannot change any more, and has changed meanwhile",
    looks,
    "is looked at once more: %s",
    inCore(
      "reconciliation/Reconciler.ts",
      "return yield* write(finish(job), reconcilable.expectation(loaded))",
      "return yield* write(finish(job))"
    )
  )
]

/** Whoever is told is still there. */
const told: ReadonlyArray<Proved> = [
  proved(
    "what is sent again to an endpoint that was removed meanwhile",
    requests,
    "the removal of an endpoint: nothing is put in line for it any more",
    inCore(
      "webhooks/Deliveries.ts",
      "        ...written,\n        expects: [Kind.expectation(EndpointKind, endpoint)],\n",
      "        ...written,\n"
    )
  ),
  proved(
    "a test of an endpoint that was removed meanwhile",
    requests,
    "the removal of an endpoint: nothing is put in line for it any more",
    inCore(
      "webhooks/Deliveries.ts",
      "        ...publication,\n        expects: [Kind.expectation(EndpointKind, endpoint)],\n",
      "        ...publication,\n"
    )
  ),
  proved(
    "half of an endpoint that was changed meanwhile, told as the whole of it",
    requests,
    "another change of an endpoint: each is told with what the other one came to",
    inCore(
      "webhooks/Endpoints.ts",
      "].filter(({ id }) => updates.every(({ row }) => row.id !== id)),",
      "].slice(2),"
    )
  ),
  proved(
    "an event that is routed as the account's row of before has it",
    requests,
    "who subscribes to events, and where events go: each is routed anew",
    inCore(
      "webhooks/RoutingTables.ts",
      "expects: main === undefined ? [Kind.expectation(AccountKind, account)] : []",
      "expects: []"
    )
  ),
  proved(
    "an event that is not told to whoever has subscribed meanwhile",
    requests,
    "who subscribes to events, and where events go: each is routed anew",
    inCore(
      "subscribers/SubscriptionRouter.ts",
      "expects: [...(unit.expects ?? []), Kind.expectation(SubscriptionsKind, stored)]",
      "expects: unit.expects ?? []"
    )
  ),
  proved(
    "a try that says nothing new of an endpoint that was changed meanwhile",
    "src/webhooks/WebhookDispatcherRecords.test.ts",
    "are recorded by one commit",
    inCore(
      "webhooks/DeliveryTries.ts",
      "return { unit: { ...unit, expects: [expectation(EndpointKind, endpoint)] }, after }",
      "return { unit, after }"
    )
  )
]

/** What a look or an event rests on, taken away where it stands, one at a time. */
export const looksAndEvents: ReadonlyArray<Proved> = [...unchanged, ...told]
