import { DateTime, Effect, Option } from "effect"
import type { PspFinding, PspPreparation, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { pspCertificateEnds } from "../telemetry/Metrics.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"

/** How long a PSP may look at itself. */
const checkMax = "30 seconds"

/**
 * What a PSP finds when it looks whether it is set up (`check`); nothing where it does not look. A look that does not come
 * to its end in 30 seconds, or breaks down, is a finding too. `wanted` is what it should be prepared for, where that is known.
 */
export const pspFindings = (
  { check }: PspShape,
  wanted?: PspPreparation
): Effect.Effect<ReadonlyArray<PspFinding>> => {
  if (check === undefined) return Effect.succeed([])
  return Effect.suspend(() => check(wanted)).pipe(
    Effect.timeoutOption(checkMax),
    Effect.map(Option.getOrElse(() => [unended])),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("The check of a PSP broke down.", safeCause(cause)), [broken])
    )
  )
}

/** How long a PSP may take to be set up: it is asked several things, one after the other. */
const setUpMax = "2 minutes"

/** What comes of setting a PSP up (`prepare`). One that hangs or breaks down is a finding, too. */
export const pspPreparation = (
  { prepare }: PspShape,
  wanted: PspPreparation
): Effect.Effect<ReadonlyArray<PspFinding>> => {
  if (prepare === undefined) return Effect.succeed([nothingToSetUp])
  return Effect.suspend(() => prepare(wanted)).pipe(
    Effect.timeoutOption(setUpMax),
    Effect.map(Option.getOrElse(() => [setUpUnended])),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("The setup of a PSP broke down.", safeCause(cause)), [
        setUpBroken
      ])
    )
  )
}

const nothingToSetUp: PspFinding = {
  name: "setup",
  state: "ok",
  message: "There is nothing to set up by its layer (prepare of PspShape)."
}
const setUpUnended: PspFinding = {
  name: "setup",
  state: "failed",
  message:
    "It did not come to its end in 2 minutes, and what of it was done is not known: see whether the PSP answers at all, and set it up again."
}
const setUpBroken: PspFinding = {
  name: "setup",
  state: "failed",
  message:
    "It broke down, and what of it was done is not known: the PSP's layer has a defect, which the log tells."
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

/** Between two looks at the ends of certificates, which are renewed while the service runs. */
const certificatesEvery = "10 minutes"

/** Measures when the certificate of each PSP ends, in the background. One that does not tell keeps the last that it told. */
export const measureCertificates = Effect.gen(function* () {
  const directory = yield* PspDirectory
  const measure = Effect.fnUntraced(function* (id: PspCredentialId) {
    const psp = directory.find(id)
    const ends = yield* psp?.certificateEnds?.() ?? Effect.undefined
    // One that was revoked or rotated meanwhile is not measured any more.
    if (ends !== undefined && directory.find(id) === psp)
      yield* pspCertificateEnds.record(Math.floor(DateTime.toEpochMillis(ends) / 1_000), id)
  })
  const turn = Effect.forEach(
    directory.all,
    (id) =>
      measure(id).pipe(
        Effect.timeoutOption(checkMax),
        Effect.catchCause((cause) =>
          Effect.logWarning("The end of a PSP's certificate could not be read.", safeCause(cause))
        )
      ),
    { concurrency: "unbounded", discard: true }
  )
  yield* Effect.forever(Effect.andThen(turn, Effect.sleep(certificatesEvery)))
}).pipe(underGuard, Effect.forkScoped)
