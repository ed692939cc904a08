import { Clock, Duration, Effect, Exit, Layer, Option, Semaphore } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { pspCircuits } from "../telemetry/Metrics.ts"
import type { PspOutcome, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { NewCharges } from "./NewCharges.ts"
import { makeNewCharges } from "./NewCharges.ts"

export const circuitLimits = {
  /** Whoever waited so long and learnt nothing definite met silence. A quick trouble holds nobody up. */
  silentAfter: Duration.seconds(5),
  /** After so many silences on end a PSP is left alone. */
  silencesMax: 5,
  /** How long at first; twice as long after each probe that meets silence again. */
  openFirst: Duration.seconds(5),
  openMax: Duration.seconds(60),
  /** Jobs of one PSP at work at once in a process, of each worker's many. */
  jobsAtOnce: 32,
  /** Of these, at most so many of jobs that nobody waits for. */
  patientAtOnce: 24,
  /** How long a job waits for a slot, and when it comes again if it found none, or somebody probing. */
  slotWait: Duration.seconds(1),
  /** The same for one that nobody waits for: at a slow PSP each that comes again costs a commit. */
  patientWait: Duration.seconds(5)
} as const

/**
 * Whether a PSP answers, as this process has met it (decision 0078). Closed: it is asked. Open: it kept silent, and nobody
 * asks it for a while. Then one call is let through as a probe; what it meets closes the circuit, or opens it for longer.
 */
export interface PspCircuit {
  readonly id: PspCredentialId
  /** How long nobody may ask it; undefined when it may be asked now. */
  readonly openFor: Effect.Effect<Duration.Duration | undefined>
  /** Whether it is not closed. */
  readonly isOpen: () => boolean
  readonly newCharges: NewCharges
  /** Runs a job that is to ask it, or answers how long the job should wait. For a patient one nobody waits. */
  readonly admit: <A, E, R>(
    job: Effect.Effect<A, E, R>,
    postponed: (wait: Duration.Duration) => Effect.Effect<A, E, R>,
    isPatient?: boolean
  ) => Effect.Effect<A, E, R>
}

const circuits = new WeakMap<PspShape, PspCircuit>()

/** The circuit of a PSP that came from a guarded directory. */
export const circuitOf = (psp: PspShape): PspCircuit | undefined => circuits.get(psp)

/** Whether any PSP is left alone: then nobody begins work for which he cannot be sure that its PSP is asked. */
export const isAnyOpen = (directory: PspDirectory["Service"]): boolean =>
  directory.all.some((id) => {
    const psp = directory.find(id)
    return psp !== undefined && circuitOf(psp)?.isOpen() === true
  })

/** The same PSPs, each behind a circuit of its own. */
export const guardedDirectory: Layer.Layer<PspDirectory, never, PspDirectory> = Layer.effect(
  PspDirectory,
  Effect.gen(function* () {
    const directory = yield* PspDirectory
    // Weak: one that is gone may hold secrets that were destroyed.
    const guarded = new WeakMap<PspShape, Map<PspCredentialId, PspShape>>()
    const find = (id: PspCredentialId): PspShape | undefined => {
      const raw = directory.find(id)
      if (raw === undefined) return undefined
      const ofRaw = guarded.get(raw) ?? new Map<PspCredentialId, PspShape>()
      const known = ofRaw.get(id)
      if (known !== undefined) return known
      const psp = guard(id, raw, () => directory.find(id) === raw)
      guarded.set(raw, ofRaw.set(id, psp))
      return psp
    }
    yield* Effect.forEach(directory.all, (id) => pspCircuits.record(0, id), { discard: true })
    return PspDirectory.of({
      default: directory.default,
      // Some come and go.
      get all() {
        return directory.all
      },
      find
    })
  })
)

const guard = (id: PspCredentialId, raw: PspShape, isThere: () => boolean): PspShape => {
  const { call: callWhileClosed, circuit } = makeCircuit(id, isThere)
  /** Whoever found it before its credentials were revoked or rotated asks it nothing more: it is let go. */
  const call: typeof callWhileClosed = (ask) =>
    Effect.suspend(() => (isThere() ? callWhileClosed(ask) : Effect.succeed(letGo)))
  /** What not every PSP can be asked for. */
  const behind = <I extends ReadonlyArray<unknown>, A>(
    ask: ((...asked: I) => Effect.Effect<PspOutcome<A>>) | undefined
  ) => ask && ((...asked: I) => call(() => ask(...asked)))
  // What the PSP says of itself is read when it is asked for: it may be an object with methods of its own.
  const psp: PspShape = {
    get provider() {
      return raw.provider
    },
    get environment() {
      return raw.environment
    },
    get identity() {
      return raw.identity
    },
    get capabilities() {
      return raw.capabilities
    },
    createCharge: (charge) => call(() => circuit.newCharges.noted(raw.createCharge(charge))),
    findCharge: (reference) => call(() => raw.findCharge(reference)),
    cancelCharge: (reference) => call(() => raw.cancelCharge(reference)),
    sendPayout: (payout) => call(() => raw.sendPayout(payout)),
    findPayout: (payout) => call(() => raw.findPayout(payout)),
    refund: (refund) => call(() => raw.refund(refund)),
    findRefund: (refund) => call(() => raw.findRefund(refund)),
    readNotification: (notification) => raw.readNotification(notification),
    get findPayment() {
      return behind(raw.findPayment?.bind(raw))
    },
    get listPayments() {
      return behind(raw.listPayments?.bind(raw))
    },
    get confirmPayer() {
      return behind(raw.confirmPayer?.bind(raw))
    },
    get findInfraction() {
      return behind(raw.findInfraction?.bind(raw))
    },
    get defendInfraction() {
      return behind(raw.defendInfraction?.bind(raw))
    },
    get listInfractions() {
      return behind(raw.listInfractions?.bind(raw))
    },
    get balance() {
      const ask = raw.balance?.bind(raw)
      return ask && (() => call(ask))
    },
    get prepare() {
      return raw.prepare?.bind(raw)
    },
    get check() {
      return raw.check?.bind(raw)
    },
    get certificateEnds() {
      return raw.certificateEnds?.bind(raw)
    }
  }
  circuits.set(psp, circuit)
  return psp
}

interface State {
  /** Silences on end. */
  silences: number
  /** Open until then, by the monotonic clock; undefined when closed. */
  openUntil: bigint | undefined
  openFor: Duration.Duration
  isProbing: boolean
}

const notAsked = {
  _tag: "NotSent",
  detail: "the PSP kept silent, and is not asked for now"
} as const

const letGo = {
  _tag: "NotSent",
  detail: "the credentials of the PSP were revoked or rotated"
} as const

/** Whether nobody asked the PSP at all, as it is left alone or has been let go: whoever is to go by its answer has none. */
export const wasNotAsked = (outcome: PspOutcome<unknown>): boolean =>
  outcome === notAsked || outcome === letGo

/** `isThere`: one that is gone, or another under the same id, is not measured any more. */
export const makeCircuit = (id: PspCredentialId, isThere: () => boolean = () => true) => {
  const state: State = {
    silences: 0,
    openUntil: undefined,
    openFor: circuitLimits.openFirst,
    isProbing: false
  }
  const slots = makeSlots(circuitLimits.jobsAtOnce, circuitLimits.slotWait)
  const patient = makeSlots(circuitLimits.patientAtOnce, circuitLimits.patientWait)

  const openAt = (now: bigint): Duration.Duration | undefined => {
    if (state.openUntil === undefined) return undefined
    if (now < state.openUntil) return Duration.millis(Number(state.openUntil - now) / 1e6)
    return state.isProbing ? circuitLimits.slotWait : undefined
  }
  const openFor = Effect.map(Clock.monotonicTimeNanos, openAt)

  const measure = (open: 0 | 1) =>
    Effect.suspend(() => (isThere() ? pspCircuits.record(open, id) : Effect.void))
  const met = metBy(id, state, measure)

  const call = <A>(ask: () => Effect.Effect<PspOutcome<A>>): Effect.Effect<PspOutcome<A>> =>
    // Whoever asks may be held up or cut off at any step: who has become the probe in one of them ends as the probe, too.
    Effect.uninterruptibleMask((restore) =>
      Clock.clockWith((clock) => {
        const begun = clock.monotonicTimeNanosUnsafe()
        if (openAt(begun) !== undefined) return Effect.succeed(notAsked)
        const isProbe = state.openUntil !== undefined
        if (isProbe) state.isProbing = true
        return Effect.onExit(restore(Effect.suspend(ask)), (exit) =>
          Effect.flatMap(Clock.monotonicTimeNanos, (now) => met({ exit, begun, now, isProbe }))
        )
      })
    )

  const circuit: PspCircuit = {
    id,
    openFor,
    isOpen: () => state.openUntil !== undefined,
    newCharges: makeNewCharges(id),
    admit: (job, postponed, isPatient = false) => {
      const whileClosed = (admitted: typeof job): typeof job =>
        Effect.flatMap(openFor, (open) =>
          open === undefined ? admitted : postponed(Duration.max(open, circuitLimits.slotWait))
        )
      const late = postponed(circuitLimits.slotWait)
      const inSlot = slots({ atOnce: job, waited: whileClosed(job), late })
      return whileClosed(isPatient ? patient({ atOnce: inSlot, waited: inSlot, late }) : inSlot)
    }
  }
  return { call, circuit }
}

interface Coming<A, E, R> {
  /** Where a slot was free at once, and where it was waited for. */
  readonly atOnce: Effect.Effect<A, E, R>
  readonly waited: Effect.Effect<A, E, R>
  /** Whoever finds none in a moment gives way to the jobs of other PSPs. */
  readonly late: Effect.Effect<A, E, R>
}

/** Slots for so many at once. */
const makeSlots = (count: number, wait: Duration.Duration) => {
  const slots = Semaphore.makeUnsafe(count)
  const inAMoment = Effect.map(
    Effect.interruptible(Effect.timeoutOption(slots.take(1), wait)),
    (slot) => (Option.isSome(slot) ? "waited" : "late")
  )
  const slot = Effect.flatMap(slots.takeIfAvailable(1), (isFree) =>
    isFree ? Effect.succeed("atOnce" as const) : inAMoment
  )
  return <A, E, R>(coming: Coming<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      slot,
      (how) => coming[how],
      (how) => (how === "late" ? Effect.void : slots.release(1))
    )
}

/** What a PSP answers that has heard the question. */
const definite: ReadonlySet<PspOutcome<unknown>["_tag"]> = new Set(["Done", "Rejected", "NotNow"])

interface Meeting {
  readonly exit: Exit.Exit<PspOutcome<unknown>>
  readonly begun: bigint
  readonly now: bigint
  readonly isProbe: boolean
}

/** What a call does to the state: silence counts towards opening, and everything else closes. */
const metBy = (
  id: PspCredentialId,
  state: State,
  measure: (open: 0 | 1) => Effect.Effect<void>
) => {
  const open = Effect.fnUntraced(function* (now: bigint) {
    const nanos = Duration.toNanosUnsafe(state.openFor)
    state.openUntil = now + nanos
    state.openFor = Duration.min(Duration.times(state.openFor, 2), circuitLimits.openMax)
    yield* measure(1)
    yield* Effect.logWarning("A PSP does not answer; it is left alone for a while.").pipe(
      Effect.annotateLogs({ psp: id, seconds: Number(nanos / 1_000_000_000n) })
    )
  })

  const close = Effect.suspend(() => {
    state.silences = 0
    if (state.openUntil === undefined) return Effect.void
    state.openUntil = undefined
    state.openFor = circuitLimits.openFirst
    return Effect.andThen(
      measure(0),
      Effect.annotateLogs(Effect.logInfo("A PSP answers again."), { psp: id })
    )
  })

  return ({ begun, exit, isProbe, now }: Meeting): Effect.Effect<void> => {
    if (isProbe) state.isProbing = false
    const isLong = now - begun >= Duration.toNanosUnsafe(circuitLimits.silentAfter)
    if (Exit.isFailure(exit) && !isLong) return Effect.void
    const isDefinite = Exit.isSuccess(exit) && definite.has(exit.value._tag)
    if (isDefinite || !isLong) return close
    state.silences++
    const isClosed = state.openUntil === undefined
    const isDue = isProbe || (isClosed && state.silences >= circuitLimits.silencesMax)
    return isDue ? open(now) : Effect.void
  }
}
