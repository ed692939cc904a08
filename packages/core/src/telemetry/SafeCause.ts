import { Cause } from "effect"

/**
 * What may be told of an error outside the process. A message is written by whoever throws and may quote anything, a
 * CPF in an SQL parameter or a token in a header; so it stays inside. What leaves is what programmers name: the kind
 * of the error, its codes, and where in the code it was made (decision 0047).
 */
class SafeError extends Error {
  override readonly name: string
  constructor(error: object, depth: number) {
    const name = kindOf(error)
    const message = factsOf(error)
    const inner = depth === 0 ? undefined : innerOf(error)
    super(message, inner === undefined ? {} : { cause: new SafeError(inner, depth - 1) })
    this.name = name
    this.stack = [message === "" ? name : `${name}: ${message}`, ...framesOf(error)].join("\n")
  }
}

/** How many causes of causes are told. */
const depthMax = 4

const safeError = (error: unknown): SafeError =>
  error instanceof SafeError
    ? error
    : new SafeError(isObject(error) ? error : { name: `thrown_${typeof error}` }, depthMax)

/** The same cause without a word that anybody else wrote. */
export const safeCause = (cause: Cause.Cause<unknown>): Cause.Cause<Error> =>
  Cause.fromReasons(
    cause.reasons.map((reason) =>
      Cause.isFailReason(reason)
        ? Cause.makeFailReason(safeError(reason.error))
        : Cause.isDieReason(reason)
          ? Cause.makeDieReason(safeError(reason.defect))
          : reason
    )
  )

/** What told errors stand for that a handler of the host threw: the host itself may read it. */
const ofHost = new WeakMap<object, unknown>()

/** The same of a handler that the host wrote: its own logger gets it whole (decision 0079). */
export const hostCause = (cause: Cause.Cause<unknown>): Cause.Cause<Error> => {
  const safe = safeCause(cause)
  cause.reasons.forEach((reason, index) => {
    const told = spoken(safe.reasons[index])
    if (isObject(told)) ofHost.set(told, spoken(reason))
  })
  return safe
}

/** A safe cause with what the host's handlers threw: for its own logger, and for nothing that leaves the process. */
export const wholeForHost = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> =>
  Cause.fromReasons(
    cause.reasons.map((reason) => {
      const told = spoken(reason)
      if (!isObject(told) || !ofHost.has(told)) return reason
      return Cause.makeDieReason(ofHost.get(told))
    })
  )

const spoken = (reason: Cause.Reason<unknown> | undefined): unknown =>
  reason === undefined
    ? undefined
    : Cause.isFailReason(reason)
      ? reason.error
      : Cause.isDieReason(reason)
        ? reason.defect
        : undefined

/** A defect as a cause that can be told. */
export const safeDefect = (defect: unknown): Cause.Cause<Error> => safeCause(Cause.die(defect))

/** A code or name that a PSP or a library gave, where it is one; what is longer, or looks like a number of a person, is not. */
export const safeWord = (text: unknown): string =>
  typeof text === "string" && (isWord(text) || /^\d{1,5}$/.test(text)) ? text : "other"

const isWord = (text: string): boolean =>
  /^[A-Za-z][\w.:$/-]{0,63}$/.test(text) && !/\d{6}/.test(text)

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function"

const field = (error: object, name: string): unknown => {
  // What is thrown can be anything, a proxy or an object with getters too.
  try {
    return (error as Readonly<Record<string, unknown>>)[name]
  } catch {
    return undefined
  }
}

const kindOf = (error: object): string => {
  const names = [field(error, "_tag"), field(error, "name"), error.constructor?.name]
  return names.find((name): name is string => typeof name === "string" && isWord(name)) ?? "Error"
}

/** Properties that hold a name out of a list: of the system, of a database, of HTTP. */
const facts = ["code", "syscall", "reason", "constraint", "table", "status"] as const

const factsOf = (error: object): string =>
  facts
    .flatMap((name) => {
      const value = field(error, name)
      const inner = isObject(value) ? field(value, "_tag") : value
      return isFact(inner) ? [`${name} ${inner}`] : []
    })
    .join(", ")

/** A word, the five characters of an SQLSTATE, or a status of HTTP. */
const isFact = (value: unknown): value is string | number =>
  typeof value === "number"
    ? Number.isInteger(value) && Math.abs(value) < 1_000
    : typeof value === "string" && (isWord(value) || /^[\dA-Z]{5}$/.test(value))

const innerOf = (error: object): object | undefined =>
  [field(error, "cause"), field(error, "reason")].find(isObject)

/** Where it was made: lines that name a function and a place in a file, and nothing before the first of them. */
const framesOf = (error: object): ReadonlyArray<string> => {
  const stack = field(error, "stack")
  const message = field(error, "message")
  if (typeof stack !== "string") return []
  const begin = typeof message === "string" ? stack.indexOf(message) + message.length : 0
  return stack
    .slice(begin)
    .split("\n")
    .filter((line) => frame.test(line))
    .slice(0, 20)
}

const frame =
  /^\s+at (?:(?:async |new )*[\w$.<>#[\] ]{1,120} \()?(?:file:\/\/|node:|\/|[A-Za-z]:\\)[^()"']{1,300}:\d{1,6}:\d{1,5}\)?$/u
