import { DateTime, Duration, Effect } from "effect"
import { present } from "../kernel/Present.ts"
import type {
  FindPspPayout,
  FindPspRefund,
  NewPspCharge,
  NewPspPayout,
  NewPspRefund,
  PayerClaim,
  PspBalance,
  PspCapabilities,
  PspCharge,
  PspDefence,
  PspFinding,
  PspIdentity,
  PspInfraction,
  PspInfractionsPage,
  PspInfractionsQuery,
  PspNotice,
  PspOutcome,
  PspPaymentsPage,
  PspPaymentsQuery,
  PspPayout,
  PspPreparation,
  PspReceived,
  PspRefund,
  PspShape,
  RawNotification
} from "../ports/Psp.ts"
import { NotificationRefused } from "../ports/Psp.ts"
import type { PlainPsp } from "./PlainPsp.ts"
import { promisePspFaults } from "./PspFaults.ts"
import {
  balanceOf,
  chargeOf,
  infractionOf,
  infractionsOf,
  instant,
  paymentsOf,
  payoutOf,
  plainPeriod,
  receivedOf,
  refundOf
} from "./PlainPsp.ts"

/** Aborted when nobody waits for the answer any more: at the deadline of 15 seconds, or when the service stops. */
export interface PspCallOptions {
  readonly signal: AbortSignal
}

type Answer<A> = Promise<PspOutcome<PlainPsp<A>>>

/** What a PSP of plain async functions may leave out, as `PspShape` may: nothing is asked of it there. */
interface PromisePspOptions {
  readonly identity?: PspIdentity | undefined
  readonly findPayment?:
    | ((endToEndId: string, options: PspCallOptions) => Answer<PspReceived | undefined>)
    | undefined
  readonly listPayments?:
    | ((query: PlainPsp<PspPaymentsQuery>, options: PspCallOptions) => Answer<PspPaymentsPage>)
    | undefined
  readonly confirmPayer?:
    | ((
        claim: Pick<PayerClaim, "endToEndId" | "document">,
        options: PspCallOptions
      ) => Answer<boolean>)
    | undefined
  /** `now` is the time of the service, which a sandbox may have moved. */
  readonly findInfraction?:
    | ((
        id: string,
        options: PspCallOptions & { readonly now?: string }
      ) => Answer<PspInfraction | undefined>)
    | undefined
  readonly listInfractions?:
    | ((
        query: PlainPsp<PspInfractionsQuery>,
        options: PspCallOptions
      ) => Answer<PspInfractionsPage>)
    | undefined
  readonly defendInfraction?:
    | ((defence: PlainPsp<PspDefence>, options: PspCallOptions) => Answer<PspInfraction>)
    | undefined
  readonly balance?: ((options: PspCallOptions) => Answer<PspBalance>) | undefined
  readonly prepare?:
    | ((wanted: PspPreparation, options: PspCallOptions) => Promise<ReadonlyArray<PspFinding>>)
    | undefined
  readonly check?:
    | ((
        wanted: PspPreparation | undefined,
        options: PspCallOptions
      ) => Promise<ReadonlyArray<PspFinding>>)
    | undefined
  /** An RFC 3339 text. */
  readonly certificateEnds?: ((options: PspCallOptions) => Promise<string | undefined>) | undefined
}

/**
 * A PSP as plain async functions: `PspShape` for teams who know no Effect, with the same laws. What a function throws is
 * an unknown outcome: it may have been done, and is asked for again. Answer `PspOutcome.rejected` only where the PSP said
 * that it did nothing, and `PspOutcome.notSent` only where no byte left.
 */
export interface PromisePsp extends PromisePspOptions {
  readonly provider: string
  readonly environment: "sandbox" | "production"
  /** Times as texts such as `"1 minute"`, or as milliseconds. */
  readonly capabilities: Omit<
    PspCapabilities,
    "notFoundIsFinalAfter" | "settlementLag" | "repeatableFor"
  > & {
    readonly notFoundIsFinalAfter: Duration.Input
    readonly settlementLag: Duration.Input
    readonly repeatableFor?: Duration.Input | undefined
  }
  readonly createCharge: (charge: NewPspCharge, options: PspCallOptions) => Answer<PspCharge>
  readonly findCharge: (reference: string, options: PspCallOptions) => Answer<PspCharge | undefined>
  readonly cancelCharge: (reference: string, options: PspCallOptions) => Answer<PspCharge>
  readonly sendPayout: (payout: NewPspPayout, options: PspCallOptions) => Answer<PspPayout>
  readonly findPayout: (
    payout: FindPspPayout,
    options: PspCallOptions
  ) => Answer<PspPayout | undefined>
  readonly refund: (refund: NewPspRefund, options: PspCallOptions) => Answer<PspRefund>
  readonly findRefund: (
    refund: FindPspRefund,
    options: PspCallOptions
  ) => Answer<PspRefund | undefined>
  /** The notices in it, or why it is refused. What it throws is a 500, so that the PSP sends it again. */
  readonly readNotification: (
    notification: RawNotification
  ) =>
    | Promise<ReadonlyArray<PspNotice> | "Unauthenticated" | "Malformed">
    | ReadonlyArray<PspNotice>
    | "Unauthenticated"
    | "Malformed"
}

/**
 * A PSP of plain async functions as the service wants it. Throws a `TypeError` that names all that is missing, misspelt or of
 * another type, so that a program does not start with a PSP that fails at its first charge.
 */
export const pspFromPromises = (psp: PromisePsp): PspShape => {
  const faults = promisePspFaults(psp)
  if (faults.length > 0)
    throw new TypeError(`pspFromPromises: ${faults.join("; ")}. PromisePsp says what each does.`)
  return wrapped(psp)
}

const wrapped = (psp: PromisePsp): PspShape => ({
  provider: psp.provider,
  environment: psp.environment,
  ...present({ identity: psp.identity }),
  capabilities: capabilitiesOf(psp.capabilities),
  ...servedOf(psp),
  createCharge: (charge) => asked((options) => psp.createCharge(charge, options), chargeOf),
  findCharge: (reference) =>
    asked((options) => psp.findCharge(reference, options), ifThere(chargeOf)),
  cancelCharge: (reference) => asked((options) => psp.cancelCharge(reference, options), chargeOf),
  sendPayout: (payout) => asked((options) => psp.sendPayout(payout, options), payoutOf),
  findPayout: (payout) => asked((options) => psp.findPayout(payout, options), ifThere(payoutOf)),
  refund: (refund) => asked((options) => psp.refund(refund, options), refundOf),
  findRefund: (refund) => asked((options) => psp.findRefund(refund, options), ifThere(refundOf)),
  readNotification: (notification) =>
    Effect.flatMap(
      Effect.promise(async () => psp.readNotification(notification)),
      (read) =>
        typeof read === "string"
          ? Effect.fail(new NotificationRefused({ reason: read }))
          : Effect.succeed(read)
    )
})

const capabilitiesOf = ({
  notFoundIsFinalAfter,
  repeatableFor,
  settlementLag,
  ...capabilities
}: PromisePsp["capabilities"]): PspCapabilities => ({
  ...capabilities,
  notFoundIsFinalAfter: Duration.fromInputUnsafe(notFoundIsFinalAfter),
  settlementLag: Duration.fromInputUnsafe(settlementLag),
  ...(repeatableFor === undefined ? {} : { repeatableFor: Duration.fromInputUnsafe(repeatableFor) })
})

/** The methods that may be left out, as far as they are there. */
const servedOf = (psp: PromisePsp): Partial<PspShape> => {
  const findPayment = psp.findPayment?.bind(psp)
  const listPayments = psp.listPayments?.bind(psp)
  const confirmPayer = psp.confirmPayer?.bind(psp)
  const balance = psp.balance?.bind(psp)
  const ends = psp.certificateEnds?.bind(psp)
  return {
    ...infractionsServedOf(psp),
    ...setupServedOf(psp),
    ...(findPayment && {
      findPayment: (id) => asked((options) => findPayment(id, options), ifThere(receivedOf))
    }),
    ...(listPayments && {
      listPayments: (query) =>
        asked((options) => listPayments(plainPeriod(query), options), paymentsOf)
    }),
    ...(confirmPayer && {
      confirmPayer: (claim) =>
        asked(
          (options) => confirmPayer(claim, options),
          (isSo) => isSo
        )
    }),
    ...(balance && { balance: () => asked(balance, balanceOf) }),
    ...(ends && {
      certificateEnds: () =>
        Effect.map(
          Effect.promise(async (signal) => ends({ signal })),
          (at) => (at === undefined ? undefined : instant("certificateEnds", at))
        )
    })
  }
}

const infractionsServedOf = (psp: PromisePsp): Partial<PspShape> => {
  const find = psp.findInfraction?.bind(psp)
  const list = psp.listInfractions?.bind(psp)
  const defend = psp.defendInfraction?.bind(psp)
  const plainNow = (now: DateTime.Utc | undefined) =>
    now === undefined ? {} : { now: DateTime.formatIso(now) }
  return {
    ...(find && {
      findInfraction: (id, now) =>
        asked((options) => find(id, { ...options, ...plainNow(now) }), ifThere(infractionOf))
    }),
    ...(list && {
      listInfractions: (query) =>
        asked((options) => list(plainPeriod(query), options), infractionsOf)
    }),
    ...(defend && {
      defendInfraction: ({ now, ...defence }) =>
        asked((options) => defend({ ...defence, ...plainNow(now) }, options), infractionOf)
    })
  }
}

const setupServedOf = (psp: PromisePsp): Partial<PspShape> => {
  const prepare = psp.prepare?.bind(psp)
  const check = psp.check?.bind(psp)
  return {
    ...(prepare && {
      prepare: (wanted) => Effect.promise(async (signal) => prepare(wanted, { signal }))
    }),
    ...(check && { check: (wanted) => Effect.promise(async (signal) => check(wanted, { signal })) })
  }
}

/** A defect of it, or an answer that is none, is told by `callPsp` and counts as unknown. */
const asked = <A>(
  call: (options: PspCallOptions) => Answer<A>,
  read: (value: PlainPsp<A>) => A
): Effect.Effect<PspOutcome<A>> =>
  Effect.map(
    Effect.promise(async (signal) => call({ signal })),
    (outcome): PspOutcome<A> => {
      switch (outcome?._tag) {
        case "Done":
          return { _tag: "Done", value: read(outcome.value) }
        case "Rejected":
        case "NotNow":
        case "NotSent":
        case "Unknown":
          return outcome
        default:
          throw new TypeError(
            "The PSP answered no outcome: answer PspOutcome.done(value), rejected, notNow, notSent or unknown."
          )
      }
    }
  )

const ifThere =
  <A>(read: (value: PlainPsp<A>) => A) =>
  (value: PlainPsp<A | undefined>): A | undefined =>
    value === undefined ? undefined : read(value as PlainPsp<A>)
