import { Effect, Option } from "effect"
import type { PspFinding } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"

/** How long a PSP may look at itself. */
const checkMax = "30 seconds"

const tell = ({ message, name, state }: PspFinding, psp: string): Effect.Effect<void> => {
  const told = { psp, check: name, found: message }
  switch (state) {
    case "ok":
      return Effect.void
    case "warning":
      return Effect.annotateLogs(
        Effect.logWarning("A PSP is not set up as it should be; it works."),
        told
      )
    case "failed":
      return Effect.annotateLogs(
        Effect.logError("A PSP is not set up: what this is for does not work."),
        told
      )
  }
}

/**
 * Has each PSP look, at a start, whether it is set up, and says what it finds amiss. In the background, and it stops nothing:
 * a bank that is away must not keep the service from starting.
 */
export const tellPspFindings = Effect.gen(function* () {
  const directory = yield* PspDirectory
  yield* Effect.forEach(
    directory.all,
    (id) => {
      const check = directory.find(id)?.check
      if (check === undefined) return Effect.void
      return Effect.suspend(check).pipe(
        Effect.timeoutOption(checkMax),
        Effect.flatMap(
          Option.match({
            onNone: () =>
              Effect.annotateLogs(
                Effect.logWarning("A PSP did not come to the end of its check."),
                { psp: id }
              ),
            onSome: Effect.forEach((finding) => tell(finding, id), { discard: true })
          })
        ),
        Effect.catchCause((cause) =>
          Effect.annotateLogs(
            Effect.logWarning("The check of a PSP broke down.", safeCause(cause)),
            { psp: id }
          )
        )
      )
    },
    { concurrency: "unbounded", discard: true }
  )
}).pipe(underGuard, Effect.forkScoped)
