import { Effect, Option } from "effect"
import type { PspFinding, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"

/** How long a PSP may look at itself. */
const checkMax = "30 seconds"

/**
 * What a PSP finds when it looks whether it is set up (`check`); nothing where it does not look. A look that does not come
 * to its end in 30 seconds, or breaks down, is a finding too.
 */
export const pspFindings = ({ check }: PspShape): Effect.Effect<ReadonlyArray<PspFinding>> => {
  if (check === undefined) return Effect.succeed([])
  return Effect.suspend(check).pipe(
    Effect.timeoutOption(checkMax),
    Effect.map(Option.getOrElse(() => [unended])),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("The check of a PSP broke down.", safeCause(cause)), [broken])
    )
  )
}

const unended: PspFinding = {
  name: "check",
  state: "warning",
  message: "The check did not come to its end in 30 seconds: see whether the PSP answers at all."
}
const broken: PspFinding = {
  name: "check",
  state: "warning",
  message: "The check broke down: the PSP's layer has a defect, which the log tells."
}

const tell = ({ message, name, state }: PspFinding): Effect.Effect<void> => {
  const told = { check: name, found: message }
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
      const psp = directory.find(id)
      if (psp === undefined) return Effect.void
      return Effect.flatMap(pspFindings(psp), Effect.forEach(tell, { discard: true })).pipe(
        Effect.annotateLogs({ psp: id })
      )
    },
    { concurrency: "unbounded", discard: true }
  )
}).pipe(underGuard, Effect.forkScoped)
