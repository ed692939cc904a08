import { Context, Effect, Layer } from "effect"
import type { PspCredentialId, PspReportId } from "../kernel/Ids.ts"
import type { StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import * as Kind from "../units/Kind.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import { Storage } from "../storage/Storage.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { ForeignNotice } from "./PspReport.ts"
import { accountAt, namedBy, PspReportKind, reported, reportKey, toldAgain } from "./PspReport.ts"

/** Keeps what PSPs name by ids that are none of ours, and puts it in line to be asked about. */
export class PspReports extends Context.Service<
  PspReports,
  {
    /** Answers after it is durable. Whatever is told again is asked about again. */
    readonly take: (
      psp: PspCredentialId,
      notice: ForeignNotice
    ) => Effect.Effect<void, StorageError>
  }
>()("@pagora/core/psp-reports/PspReports") {
  static readonly layer: Layer.Layer<PspReports, never, Storage | Ids | ServiceTime> = Layer.effect(
    PspReports,
    Effect.gen(function* () {
      const storage = yield* Storage
      const ids = yield* Ids
      const time = yield* ServiceTime

      const attempt = Effect.fnUntraced(function* (psp: PspCredentialId, notice: ForeignNotice) {
        const what = { pspCredentialId: psp, ...namedBy(notice) }
        const key = reportKey(what)
        const holder = yield* storage.resolve({ _tag: "Key", ...key })
        const known = holder === undefined ? undefined : yield* storage.find(PspReportKind, holder)
        const at = yield* time.now
        const id = known?.value.id ?? (yield* ids.next<PspReportId>())
        const next = known && toldAgain(known.value, at)
        yield* storage
          .commit({
            at,
            ...(known === undefined
              ? {
                  inserts: [PspReportKind.row(reported(id, what, at))],
                  keys: [{ ...key, holder: id }]
                }
              : {}),
            ...(known !== undefined && next !== undefined && next !== known.value
              ? { updates: [Kind.update(PspReportKind, known, next)] }
              : {}),
            jobs: [{ _tag: "Schedule", queue: "report", id, group: accountAt(psp), due: at }]
          })
          .pipe(
            // Another notice of it was faster.
            Effect.catchTag("DuplicateKey", () => new StaleVersion({ id })),
            refusedFor("StaleVersion")
          )
      })

      return PspReports.of({
        take: Effect.fn("PspReports.take")((psp, notice) => decideAgain(attempt(psp, notice)))
      })
    })
  )
}
