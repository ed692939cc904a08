import { Duration } from "effect"
import type { PspCapabilities } from "../ports/Psp.ts"
import type { PromisePsp } from "./PspPromises.ts"

/** Whether a part may be left out, and what tests one that is there. */
interface Part {
  readonly isNeeded: boolean
  readonly fits: (value: unknown) => boolean
  readonly wanted: string
}

const needed = { isNeeded: true } as const
const optional = { isNeeded: false } as const
const isText = { fits: (value: unknown) => typeof value === "string", wanted: "a text" }
const isBoolean = { fits: (value: unknown) => typeof value === "boolean", wanted: "true or false" }
const isFunction = { fits: (value: unknown) => typeof value === "function", wanted: "a function" }
const isSome = {
  fits: (value: unknown) => typeof value === "object" && value !== null,
  wanted: "an object"
}
const isTime = {
  fits: (value: unknown) => {
    // What is of no type of a duration's may break it.
    if (!["string", "number", "bigint", "object"].includes(typeof value)) return false
    const read = Duration.fromInput(value as Duration.Input)
    return read._tag === "Some" && !Duration.isNegative(read.value)
  },
  wanted: 'a time, such as "1 minute"'
}

const capabilityParts: Readonly<Record<keyof PspCapabilities, Part>> = {
  idempotentByReference: { ...needed, ...isBoolean },
  knowsPayer: { ...needed, ...isBoolean },
  notFoundIsFinalAfter: { ...needed, ...isTime },
  settlementLag: { ...needed, ...isTime },
  repeatableFor: { ...optional, ...isTime },
  payouts: { ...optional, fits: (value) => value === "none", wanted: '"none", or nothing' },
  payoutsAtOnce: {
    ...optional,
    fits: (value) => Number.isSafeInteger(value) && Number(value) > 0,
    wanted: "a whole number above 0"
  }
}

const promiseParts: Readonly<Record<keyof PromisePsp, Part>> = {
  provider: { ...needed, ...isText },
  environment: { ...needed, ...isText },
  capabilities: { ...needed, ...isSome },
  identity: { ...optional, ...isSome },
  createCharge: { ...needed, ...isFunction },
  findCharge: { ...needed, ...isFunction },
  cancelCharge: { ...needed, ...isFunction },
  sendPayout: { ...needed, ...isFunction },
  findPayout: { ...needed, ...isFunction },
  refund: { ...needed, ...isFunction },
  findRefund: { ...needed, ...isFunction },
  readNotification: { ...needed, ...isFunction },
  findPayment: { ...optional, ...isFunction },
  listPayments: { ...optional, ...isFunction },
  confirmPayer: { ...optional, ...isFunction },
  findInfraction: { ...optional, ...isFunction },
  listInfractions: { ...optional, ...isFunction },
  defendInfraction: { ...optional, ...isFunction },
  balance: { ...optional, ...isFunction },
  prepare: { ...optional, ...isFunction },
  check: { ...optional, ...isFunction },
  certificateEnds: { ...optional, ...isFunction }
}

/** All that is amiss with what a PSP says it can do, each as "`name` is missing" or what it must be. */
export const capabilityFaults = (capabilities: unknown): ReadonlyArray<string> =>
  faultsOf(capabilityParts, capabilities, "capabilities.")

/** The same of a PSP of promises. Its own helpers are its own business, unless they are named almost as a part is. */
export const promisePspFaults = (psp: unknown): ReadonlyArray<string> => [
  ...faultsOf(promiseParts, psp, ""),
  ...(isSome.fits(Reflect.get(Object(psp), "capabilities"))
    ? capabilityFaults(Reflect.get(Object(psp), "capabilities"))
    : [])
]

const faultsOf = (
  parts: Readonly<Record<string, Part>>,
  given: unknown,
  prefix: string
): ReadonlyArray<string> => {
  const valueOf = (name: string): unknown => Reflect.get(Object(given), name)
  const unknown = namesOf(given).filter((name) => !Object.hasOwn(parts, name))
  return Object.entries(parts).flatMap(([name, { fits, isNeeded, wanted }]) => {
    const value = valueOf(name)
    if (value !== undefined) return fits(value) ? [] : [`${prefix}${name} must be ${wanted}`]
    const misspelt = unknown.find((other) =>
      isNeeded ? isAlmost(other, name) : fits(valueOf(other)) && isSlipOf(other, name)
    )
    if (misspelt !== undefined)
      return [`${prefix}${misspelt} is not known, and ${name} is not there: rename it`]
    return isNeeded ? [`${prefix}${name} is missing: it must be ${wanted}`] : []
  })
}

/** What an object calls its own, methods of its class included. */
const namesOf = (given: unknown): ReadonlyArray<string> => {
  const names: Array<string> = []
  let at: unknown = given
  while (typeof at === "object" && at !== null && at !== Object.prototype) {
    names.push(...Object.getOwnPropertyNames(at))
    at = Object.getPrototypeOf(at)
  }
  return names
}

/** Letters that may be wrong, too many or too few. */
const slipsMax = 2

const isAlmost = (left: string, right: string): boolean =>
  slipsBetween(left.toLowerCase(), right.toLowerCase()) <= slipsMax

/** Shorter names are a slip away from many words. */
const slipOfMin = 8

/**
 * Whether it can only have been meant as the part, though a PSP may do without: one letter is wrong in a long name. What begins
 * with the name of the part, as `findPayments` and `checked` do, is a word of its own.
 */
const isSlipOf = (given: string, part: string): boolean => {
  const [left, right] = [given.toLowerCase(), part.toLowerCase()]
  return right.length >= slipOfMin && !left.startsWith(right) && slipsBetween(left, right) === 1
}

/** Levenshtein's distance. */
const slipsBetween = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let at = 1; at <= left.length; at += 1) {
    const next = [at]
    for (let to = 1; to <= right.length; to += 1) {
      const changed = (row[to - 1] ?? 0) + (left[at - 1] === right[to - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
