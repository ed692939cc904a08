import { Effect, Metric } from "effect"

/** What is measured, as the guide lists it. */
export interface Measure {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly labels: ReadonlyArray<string>
  readonly help: string
}

/** Values of labels come from lists in this program; should that ever fail, a metric still has so many series and no more. */
const seriesMax = 2_000

type Values<Labels extends ReadonlyArray<string>> = {
  readonly [Index in keyof Labels]: string
}

/** A metric and its series: one for each combination of values of its labels, made when it first occurs. */
export interface Family<Input, Labels extends ReadonlyArray<string>> {
  readonly measure: Measure
  readonly of: (...values: Values<Labels>) => Metric.Metric<Input, unknown>
  /** Adds to a counter, sets a gauge, or takes a value into a histogram. */
  readonly record: (input: Input, ...values: Values<Labels>) => Effect.Effect<void>
  /** Ends all series but these. */
  readonly keep: (those: ReadonlyArray<Values<Labels>>) => Effect.Effect<void>
  /** Ends all series whose first label has this value. */
  readonly forget: (first: string) => Effect.Effect<void>
}

type Describe = {
  readonly description: string
  readonly attributes: Readonly<Record<string, string>>
}

const family = <Input, const Labels extends ReadonlyArray<string>>(
  measure: Measure & { readonly labels: Labels },
  make: (name: string, options: Describe) => Metric.Metric<Input, unknown>
): Family<Input, Labels> => {
  const all = new Map<string, Metric.Metric<Input, unknown>>()
  const nameOf = (values: ReadonlyArray<string>): string =>
    values.length === 1 ? String(values[0]) : values.join(" ")
  const of = (...values: Values<Labels>): Metric.Metric<Input, unknown> => {
    const key = nameOf(values)
    const known = all.get(key)
    if (known !== undefined) return known
    if (all.size >= seriesMax && values.some((value) => value !== "other")) {
      return of(...(measure.labels.map(() => "other") as unknown as Values<Labels>))
    }
    const attributes = Object.fromEntries(
      measure.labels.map((label, index) => [label, String(values[index])])
    )
    const series = make(measure.name, { description: measure.help, attributes })
    all.set(key, series)
    return series
  }
  const end = (isOver: (values: ReadonlyArray<string>) => boolean) =>
    Effect.map(Metric.MetricRegistry, (registry) => {
      for (const [key, { attributes, id }] of registry) {
        if (id !== measure.name) continue
        const values = measure.labels.map((label) => attributes?.[label] ?? "")
        if (!isOver(values)) continue
        registry.delete(key)
        all.delete(nameOf(values))
      }
    })
  return {
    measure,
    of,
    record: (input, ...values) => Metric.update(of(...values), input),
    keep: (those) => {
      const kept = new Set(those.map(nameOf))
      return end((values) => !kept.has(nameOf(values)))
    },
    forget: (first) => end(([value]) => value === first)
  }
}

type MetricOptions<Labels> = {
  readonly name: string
  readonly labels: Labels
  readonly help: string
}

const counter = <const Labels extends ReadonlyArray<string>>(options: MetricOptions<Labels>) =>
  family<number, Labels>({ ...options, type: "counter" }, (name, options) =>
    Metric.counter(name, { ...options, incremental: true })
  )

const amounts = <const Labels extends ReadonlyArray<string>>(options: MetricOptions<Labels>) =>
  family<bigint, Labels>({ ...options, type: "counter" }, (name, options) =>
    Metric.counter(name, { ...options, incremental: true, bigint: true })
  )

const gauge = <const Labels extends ReadonlyArray<string>>(options: MetricOptions<Labels>) =>
  family<number, Labels>({ ...options, type: "gauge" }, Metric.gauge)

const histogram = <const Labels extends ReadonlyArray<string>>(
  options: MetricOptions<Labels>,
  boundaries: ReadonlyArray<number>
) =>
  family<number, Labels>({ ...options, type: "histogram" }, (name, options) =>
    Metric.histogram(name, { ...options, boundaries })
  )

/** Seconds, as OpenTelemetry advises for HTTP servers. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** A PSP has 15 seconds, an endpoint ten. */
const callSeconds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
const writeSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const groupSizes = [1, 2, 4, 8, 16, 32, 64, 100]

export const httpRequests = histogram(
  {
    name: "pagora_http_request_duration_seconds",
    labels: ["api", "method", "route", "status"],
    help: "Requests by API, method, template of the route and class of the status, and how long they took."
  },
  seconds
)

export const pspCalls = histogram(
  {
    name: "pagora_psp_call_duration_seconds",
    labels: ["operation", "outcome"],
    help: "Calls to PSPs by operation and outcome, and how long they took."
  },
  callSeconds
)

export const pspEntriesLeftOut = counter({
  name: "pagora_psp_entries_left_out_total",
  labels: ["operation"],
  help: "Payments and returns of nothing that PSPs told of; they were left out of the answer."
})

export const pspCircuits = gauge({
  name: "pagora_psp_circuit_open",
  labels: ["psp"],
  help: "1 while a PSP is left alone because it does not answer, 0 while it is asked; by its id."
})

export const pspCertificateEnds = gauge({
  name: "pagora_psp_certificate_end_timestamp_seconds",
  labels: ["psp"],
  help: "When the certificate ends by which a PSP knows us, in seconds since 1970, at the last look; by its id."
})

export const pspsPassedOver = counter({
  name: "pagora_psp_passed_over_total",
  labels: ["psp"],
  help: "New charges that went to another PSP because this one did not take any; by its id."
})

export const pspBalances = gauge({
  name: "pagora_psp_balance_centavos",
  labels: ["psp", "part"],
  help: "What a PSP holds, in centavos, at the last look: what is available, and what is blocked; by its id."
})

export const pspDifferences = gauge({
  name: "pagora_psp_balance_difference_centavos",
  labels: ["psp"],
  help: "How much more a PSP holds than the ledger has there, in centavos, at the last look; negative where it is less."
})

/** What is measured of a PSP as it is now, and not once it is gone. */
export const forgetPsp = (psp: string): Effect.Effect<void> =>
  Effect.all(
    [pspCircuits, pspCertificateEnds, pspBalances, pspDifferences].map(({ forget }) => forget(psp)),
    { discard: true }
  )

export const pspNotifications = counter({
  name: "pagora_psp_notifications_total",
  labels: ["outcome"],
  help: "Notifications of PSPs: taken, or refused and why."
})

export const commits = counter({
  name: "pagora_commits_total",
  labels: ["outcome"],
  help: "Units at the write door: written, or the name of the refusal or trouble."
})

export const groupSize = histogram(
  {
    name: "pagora_commit_group_size",
    labels: [],
    help: "Units that were written together."
  },
  groupSizes
)

export const writes = histogram(
  {
    name: "pagora_commit_write_duration_seconds",
    labels: ["outcome"],
    help: "Writes of groups to the storage, and how long they took."
  },
  writeSeconds
)

export const jobs = counter({
  name: "pagora_jobs_total",
  labels: ["queue", "outcome"],
  help: "Jobs that were finished, put off, failed, or lost to another process."
})

export const jobLag = gauge({
  name: "pagora_job_lag_seconds",
  labels: ["queue"],
  help: "How long the oldest due job that nobody holds has been due, at the last look."
})

export const oldestDelivery = gauge({
  name: "pagora_webhook_oldest_delivery_seconds",
  labels: ["endpoint"],
  help: "How long the oldest due delivery of an endpoint has waited for a slot, at the last look; of the 20 endpoints that wait longest, by their ids."
})

export const deliveries = histogram(
  {
    name: "pagora_delivery_attempt_duration_seconds",
    labels: ["to", "outcome"],
    help: "Attempts to deliver events to webhook endpoints and subscribers, and how long they took."
  },
  callSeconds
)

export const deliveryEnds = counter({
  name: "pagora_deliveries_total",
  labels: ["to", "status"],
  help: "Deliveries that ended: delivered, exhausted or cancelled."
})

export const endpointsDisabled = counter({
  name: "pagora_webhook_endpoints_disabled_total",
  labels: [],
  help: "Webhook endpoints that were switched off because they kept failing."
})

export const transitions = counter({
  name: "pagora_transitions_total",
  labels: ["kind", "status"],
  help: "Charges, withdrawals and other entities that came to a status."
})

export const ledgerTransactions = counter({
  name: "pagora_ledger_transactions_total",
  labels: ["kind"],
  help: "Movements in the ledger by their kind."
})

export const money = amounts({
  name: "pagora_money_centavos_total",
  labels: ["direction"],
  help: "Money that came in and went out at PSPs, in centavos."
})

export const suspenseEntries = counter({
  name: "pagora_suspense_entries_total",
  labels: [],
  help: "Times that money was put into suspense because it belongs back to its payer."
})

export const audits = counter({
  name: "pagora_audits_total",
  labels: ["result", "scope"],
  help: "Audits of the ledger: ok, or with violations; of everything (complete) or of what is new (recent)."
})

export const auditViolations = gauge({
  name: "pagora_audit_violations",
  labels: [],
  help: "Violations that the last audit in the background left known, 200 at most: the same in every process whose workers run."
})

export const clockSkew = gauge({
  name: "pagora_clock_skew_seconds",
  labels: [],
  help: "How far the clock of this machine is ahead of the storage's; negative where it is behind."
})

/** Every metric of the service, in the order of the guide. */
export const allMetrics: ReadonlyArray<Measure> = [
  httpRequests,
  pspCalls,
  pspEntriesLeftOut,
  pspCircuits,
  pspCertificateEnds,
  pspsPassedOver,
  pspBalances,
  pspDifferences,
  pspNotifications,
  commits,
  groupSize,
  writes,
  jobs,
  jobLag,
  oldestDelivery,
  deliveries,
  deliveryEnds,
  endpointsDisabled,
  transitions,
  ledgerTransactions,
  money,
  suspenseEntries,
  audits,
  auditViolations,
  clockSkew
].map(({ measure }) => measure)
