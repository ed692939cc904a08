import type { SandboxFault, SandboxPsp } from "@pagora/core"
import type { Fault, FaultBook } from "@pagora/fake-bank"
import { Effect } from "effect"

type Operation = NonNullable<SandboxFault["operation"]>
type Kind = SandboxFault["kind"]

/** Where a call of a PSP arrives, of those that are spoiled in a way. */
export type RouteOf = (operation: Operation, kind: Kind) => string

/** Where each call arrives at a bank of the Central Bank's API. */
const routes: Readonly<Record<Operation, string>> = {
  createCharge: "createCharge",
  findCharge: "findCharge",
  cancelCharge: "changeCharge",
  sendPayout: "sendPayout",
  findPayout: "findPayout",
  refund: "createReturn",
  findRefund: "findReturn",
  findPayment: "findPayment",
  listPayments: "listPayments",
  // A payer is confirmed by the filter of the list.
  confirmPayer: "listPayments",
  // Efí has no look-up of one.
  findInfraction: "listInfractions",
  listInfractions: "listInfractions",
  defendInfraction: "defendInfraction",
  notify: "callback"
}

export const bankRoute: RouteOf = (operation) => routes[operation]

/** What Woovi says of a charge is one answer, and what was paid for it another. */
export const wooviRoute: RouteOf = (operation, kind) => {
  if (operation === "findCharge" && kind === "lie") return "listPaymentsOfCharge"
  return operation === "findInfraction" ? operation : routes[operation]
}

/** Kinds that mean something for some calls only. */
const meant: Readonly<Partial<Record<Kind, ReadonlyArray<Operation>>>> = {
  refuse: ["createCharge", "cancelCharge", "sendPayout", "refund", "defendInfraction"],
  refuseAfterDoing: ["createCharge", "sendPayout", "refund"],
  answerAnother: ["sendPayout", "findPayout"],
  duplicate: ["notify"],
  reorder: ["notify"],
  forget: ["notify"]
}

const delayMillis = 1_000
const holdMillis = 5_000
const millisOf = ({ delaySeconds }: SandboxFault, unlessTold = delayMillis): number =>
  delaySeconds === undefined ? unlessTold : delaySeconds * 1_000

const ofRequest = (fault: SandboxFault): Fault | undefined => {
  switch (fault.kind) {
    case "delay":
      return { kind: "slow", millis: millisOf(fault) }
    case "dropRequest":
      return { kind: "cut" }
    case "dropAnswer":
      return { kind: "loseAnswer" }
    case "errorAfterDoing":
      return { kind: "status", after: true }
    case "notNow":
      return { kind: "tooMany", retryAfterSeconds: Math.ceil(millisOf(fault) / 1_000) }
    case "refuseAfterDoing":
      return { kind: "refuse", after: true }
    case "lie":
    case "refuse":
    case "answerAnother":
      return { kind: fault.kind }
    default:
      return undefined
  }
}

const ofCallback = (fault: SandboxFault): Fault | undefined => {
  switch (fault.kind) {
    case "delay":
      return { kind: "slow", millis: millisOf(fault) }
    case "dropRequest":
      return { kind: "drop" }
    case "dropAnswer":
    case "errorAfterDoing":
      return { kind: "loseAnswer" }
    case "reorder":
      return { kind: "hold", millis: millisOf(fault, holdMillis) }
    case "lie":
    case "duplicate":
    case "forget":
      return { kind: fault.kind }
    default:
      return undefined
  }
}

/** A fault of the bank, and which of the sandbox's it is. */
interface NumberedFault extends Fault {
  readonly number: number
}

const toBank = (
  fault: SandboxFault,
  number: number,
  routeOf: RouteOf
): ReadonlyArray<NumberedFault> => {
  const { kind, operation, probability, times } = fault
  const all = Object.keys(routes) as ReadonlyArray<Operation>
  const wanted = (operation === undefined ? all : [operation]).filter(
    (each) => meant[kind]?.includes(each) ?? true
  )
  const translated = wanted.flatMap((each) => {
    const spoiled = each === "notify" ? ofCallback(fault) : ofRequest(fault)
    return spoiled === undefined ? [] : [[routeOf(each, kind), spoiled] as const]
  })
  return [...new Map(translated)].map(([route, spoiled]) => ({
    ...spoiled,
    number,
    operation: route,
    ...(probability === undefined ? {} : { probability }),
    ...(times === undefined ? {} : { times })
  }))
}

/**
 * The faults of the sandbox, struck at a fake bank's door and on the way of its callbacks. One that names no operation is one for
 * each operation where its kind means something, and its times count for each by itself.
 */
export const makeBankFaults = (
  book: FaultBook,
  routeOf: RouteOf
): Pick<SandboxPsp["Service"], "faults" | "setFaults"> => {
  let asked: ReadonlyArray<SandboxFault> = []

  /** How often it still strikes; none of them is in the book any more once it does not. */
  const timesLeft = (number: number): number =>
    Math.max(
      0,
      ...book
        .list()
        .flatMap((fault) =>
          "number" in fault && fault.number === number ? [fault.times ?? 0] : []
        )
    )

  return {
    faults: Effect.sync(() =>
      asked.map((fault, number) =>
        fault.times === undefined ? fault : { ...fault, times: timesLeft(number) }
      )
    ),
    setFaults: (faults) =>
      Effect.sync(() => {
        asked = faults
        const struck = faults.flatMap((fault, number) => toBank(fault, number, routeOf))
        book.set(struck.filter(({ times }) => times !== 0))
      })
  }
}
