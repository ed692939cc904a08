import type { DateTime } from "effect"
import { Schema } from "effect"
import type { AccountId, PspReportId as Id } from "../kernel/Ids.ts"
import { PspCredentialId, PspReportId } from "../kernel/Ids.ts"
import type { PspInfraction, PspNotice } from "../ports/Psp.ts"
import * as Kind from "../units/Kind.ts"

/** What a PSP names by an id that is none of ours: a payment by its end-to-end id, an infraction by the PSP's own. */
export const reportSubjects = ["payment", "infraction"] as const
export type ReportSubject = (typeof reportSubjects)[number]

/**
 * - `reported`: the PSP is to be asked about it;
 * - `matched`: what it is about is known here, and was looked at;
 * - `unidentified`: a payment that no charge of ours asked for. It is in suspense;
 * - `recorded`: an infraction, as its PSP told of it last;
 * - `not_found`: the PSP that named it does not know it, or cannot be asked about it.
 */
const reportStatuses = ["reported", "matched", "unidentified", "recorded", "not_found"] as const
type ReportStatus = (typeof reportStatuses)[number]

/** What a PSP told of by a name that is none of ours: a question to it, and what came of that. */
export class PspReport extends Schema.Class<PspReport>("@pagora/core/psp-reports/PspReport")({
  id: PspReportId,
  pspCredentialId: PspCredentialId,
  subject: Schema.Literals(reportSubjects),
  /** The end-to-end id of the payment, or the PSP's id of the infraction. */
  name: Schema.String,
  status: Schema.Literals(reportStatuses),
  /** What the PSP said last of an infraction: what a list shows otherwise is news. */
  said: Schema.optionalKey(Schema.String),
  /** Since when its PSP is waited for, to show what it is about or to say which infraction a return is for, where that began later. */
  waitsSince: Schema.optionalKey(Schema.DateTimeUtcFromString),
  createdAt: Schema.DateTimeUtcFromString,
  /** When it came to its status, or was told anew. */
  updatedAt: Schema.DateTimeUtcFromString
}) {}

export const PspReportKind: Kind.Kind<PspReport> = Kind.make({
  name: "psp_report",
  table: "operation",
  schema: PspReport,
  bornField: "createdAt",
  columns: (report) => ({
    id: report.id,
    account: accountAt(report.pspCredentialId),
    wallet: null,
    status: report.status
  })
})

/** What is nobody's is kept under the id of the PSP that it is at. */
export const accountAt = (psp: PspCredentialId): AccountId => psp as string as AccountId

/** A notice that names something by an id of the PSP. */
export type ForeignNotice = Extract<PspNotice, { readonly _tag: "Payment" | "Infraction" }>

/** What a notice names, and as what. */
export const namedBy = (
  notice: ForeignNotice
): { readonly subject: ReportSubject; readonly name: string } =>
  notice._tag === "Payment"
    ? { subject: "payment", name: notice.endToEndId }
    : { subject: "infraction", name: notice.id }

/** What can be the name of something at a PSP: ids of the network have 32 characters, UUIDs 36. */
export const isName = (name: string): boolean => /^[\x21-\x7e]{1,100}$/.test(name)

export const reported = (
  id: Id,
  what: Pick<PspReport, "pspCredentialId" | "subject" | "name">,
  now: DateTime.Utc
): PspReport => {
  return new PspReport({ ...what, id, status: "reported", createdAt: now, updatedAt: now })
}

/** Each thing that a PSP names is asked about once, however often it is told of. */
export const reportKey = ({
  name,
  pspCredentialId,
  subject
}: Pick<PspReport, "pspCredentialId" | "subject" | "name">) => ({
  space: "psp_report",
  key: `${pspCredentialId}/${subject}/${name}`
})

/** It came to a status. */
export const ended = (report: PspReport, status: ReportStatus, now: DateTime.Utc): PspReport =>
  report.status === status ? report : new PspReport({ ...report, status, updatedAt: now })

/** Its PSP is waited for, from now on or for longer. */
export const waits = (report: PspReport, now: DateTime.Utc): PspReport =>
  report.waitsSince === undefined ? new PspReport({ ...report, waitsSince: now }) : report

/** Nothing is waited for any more. */
export const letGo = (report: PspReport): PspReport => {
  const { waitsSince, ...rest } = report
  return waitsSince === undefined ? report : new PspReport(rest)
}

/** What a PSP says of an infraction, as far as that changes. */
const sayingOf = ({ isAnswered = false, status }: PspInfraction): string =>
  status === "open" && isAnswered ? "answered" : status

/** Keeps what the PSP said of an infraction last. */
export const lastSaid = (report: PspReport, infraction: PspInfraction): PspReport => {
  const said = sayingOf(infraction)
  return report.said === said ? report : new PspReport({ ...report, said })
}

/** What an infraction is about is known here; each time that the PSP says otherwise of it, that begins anew. */
export const recorded = (
  report: PspReport,
  infraction: PspInfraction,
  now: DateTime.Utc
): PspReport => {
  const before = letGo(report)
  const next = lastSaid(before, infraction)
  return next === before
    ? ended(before, "recorded", now)
    : new PspReport({ ...next, status: "recorded", updatedAt: now })
}

/** Whether a list shows of an infraction what is not known of it, or not in hand. */
export const isNewsOf = (report: PspReport | undefined, infraction: PspInfraction): boolean =>
  report === undefined || (report.status !== "reported" && report.said !== sayingOf(infraction))

/** The PSP tells of it anew that did not know it: from now on it has as long again to show it. */
export const toldAgain = (report: PspReport, now: DateTime.Utc): PspReport =>
  report.status === "not_found"
    ? new PspReport({ ...report, status: "reported", updatedAt: now })
    : report
