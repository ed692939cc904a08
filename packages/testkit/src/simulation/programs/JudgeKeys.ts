import type { Asked, Told } from "./Asked.ts"
import { isDone, isReplay } from "./Asked.ts"
import type { Answered, DoorAnswer } from "./Door.ts"
import { codeOf } from "./Json.ts"
import type { Case } from "./Judge.ts"
import { verdictOf } from "./Verdict.ts"

/** A key is remembered for 24 hours. What lies nearer together than this was within them by any clock. */
const window = 23 * 3_600_000

/** One try with a key, and what came of it. */
interface Try {
  readonly asked: Asked
  readonly told: Told
  /** What was sent: each is held against all others of its key. */
  readonly body: string
}

/** Where one key means one request: the wallet, or the operator, and the path. */
const scopeOf = ({ as, key, method, path, shop, wallet }: Asked): string =>
  `${as === "operator" ? "operator" : `${shop} ${wallet}`} ${method} ${path} ${key}`

const groups = (asked: ReadonlyArray<Asked>): ReadonlyArray<ReadonlyArray<Try>> => {
  const keyed = asked.filter(({ key, method }) => key !== undefined && method === "POST")
  const tries = keyed.flatMap((asked) => {
    const body = bodyOf(asked)
    return asked.told.map((told): Try => ({ asked, told, body }))
  })
  return [...Map.groupBy(tries, (one) => scopeOf(one.asked)).values()]
}

const bodyOf = ({ body, raw }: Asked): string => raw ?? JSON.stringify(body ?? {})

const isNear = (one: Try, other: Try): boolean =>
  Math.abs(one.told.at - other.told.fromAt) < window &&
  Math.abs(other.told.at - one.told.fromAt) < window

/** Whose refusal by the PSP is an outcome like any other. */
const refusable: ReadonlySet<string> = new Set(["charge", "cancel"])

/** What decided about a key: an acknowledgement, or a refusal by the PSP. */
const decidedOf = ({ asked, told: { answer } }: Try): DoorAnswer | undefined => {
  if (answer === "lost") return undefined
  const isRejected = refusable.has(asked.name) && codeOf(answer.json) === "PSP_REJECTED"
  return isRejected || isDone(answer) ? answer : undefined
}

const what = ({ asked }: Try): string => `${asked.name} ${asked.operation} (${asked.key})`

/** Two requests with one body and one key are answered alike, to the byte, and the later one says that it is a repeat. */
const twins = (one: Try, other: Try): ReadonlyArray<string> => {
  const [first, second] = [decidedOf(one), decidedOf(other)]
  if (first === undefined || second === undefined) return []
  const differs = first.text !== second.text || first.status !== second.status
  const both = `${what(one)} and ${what(other)}`
  const isLater = one.told.to < other.told.from
  return [
    ...(differs ? [`${both} have one key and were told ${first.text} and ${second.text}`] : []),
    ...(isLater && second.status < 300 && !isReplay(second)
      ? [`${what(other)} was answered after ${what(one)}, and not as a repeat`]
      : [])
  ]
}

/** What can be refused for one reason only, that it was done before: by the same key it is no refusal. */
const doneBefore: Readonly<Record<string, string>> = {
  defend: "BALANCE_BLOCK_NOT_OPEN",
  resolve: "BALANCE_BLOCK_NOT_OPEN",
  openSubAccount: "SUB_ACCOUNT_REFERENCE_TAKEN",
  project: "PROJECT_NAME_TAKEN"
}

/** Of two twins one was done. The other one was not refused for it, nor for anything after it was told. */
const refusedTwin = (done: Try, other: Try): ReadonlyArray<string> => {
  const { answer } = other.told
  if (decidedOf(done) === undefined || decidedOf(other) !== undefined || isAside(answer)) return []
  const isLater = done.told.to < other.told.from
  const isOwnDoing = answer !== "lost" && codeOf(answer.json) === doneBefore[done.asked.name]
  return isLater || isOwnDoing
    ? [`${what(other)} was told ${told(answer)}, and ${what(done)} was done by its key`]
    : []
}

/** Refusals that come before anybody looks at the key. */
const comeFirst: ReadonlySet<string> = new Set([
  "SUB_ACCOUNT_NOT_FOUND",
  "SUB_ACCOUNT_SUSPENDED",
  "SUB_ACCOUNT_FORBIDDEN",
  "PERMISSION_DENIED"
])

const isAside = (answer: Answered): boolean =>
  answer === "lost" ||
  answer.status === 401 ||
  answer.status === 429 ||
  answer.status >= 500 ||
  comeFirst.has(codeOf(answer.json))

/** A key that has made something makes nothing else, and says so. */
const misuses = (one: Try, other: Try): ReadonlyArray<string> => {
  if (decidedOf(one) === undefined) return []
  const { answer } = other.told
  if (decidedOf(other) !== undefined)
    return [`${what(one)} and ${what(other)} have one key and two bodies, and both were done`]
  if (other.told.from < one.told.to || isAside(answer)) return []
  return answer !== "lost" && answer.status === 422
    ? []
    : [`${what(other)} has the key of ${what(one)} and another body: it was told ${told(answer)}`]
}

const told = (answer: Answered): string =>
  answer === "lost" ? "nothing" : `${answer.status} ${codeOf(answer.json)}`

/** Whether another try with the key, made before this one was answered, may have done it: not if it was told that it did nothing. */
const hasCompany = (tries: ReadonlyArray<Try>, one: Try): boolean =>
  tries.some(
    (other) =>
      other !== one &&
      other.told.from < one.told.to &&
      (other.told.to > one.told.from || verdictOf(other.asked, other.told.answer) !== "again")
  )

/** Whether the key was sent with another body before this one was answered, by somebody to whom it belongs. */
const hasOther = (tries: ReadonlyArray<Try>, one: Try): boolean =>
  tries.some((other) => other.told.from < one.told.to && other.body !== one.body)

/** What a worker may bring to its end for the request, which is then told what that led to. */
const resumed: ReadonlySet<string> = new Set(["charge", "cancel"])

/** What others do with the same key in other wallets concerns nobody. */
const strangers = (tries: ReadonlyArray<Try>): ReadonlyArray<string> =>
  tries.flatMap((one) => {
    const { answer } = one.told
    if (answer === "lost") return []
    const code = codeOf(answer.json)
    const isReused = code === "IDEMPOTENCY_KEY_REUSED" && !hasOther(tries, one)
    const isRepeat = isReplay(answer) && !resumed.has(one.asked.name)
    return isReused || (isRepeat && !hasCompany(tries, one))
      ? [`${what(one)} has a key that nobody has used there before, and was told ${told(answer)}`]
      : []
  })

/** One Idempotency-Key makes one thing, and whoever repeats a request is told what the first was told. */
export const keysBroken = ({ asked }: Case): ReadonlyArray<string> =>
  groups(asked).flatMap((tries) => [
    ...strangers(tries),
    ...pairsBroken(tries.filter(({ told: { answer } }) => answer !== "lost"))
  ])

/** Whoever was told nothing, and where nothing was decided, is held against nobody. */
const pairsBroken = (tries: ReadonlyArray<Try>): ReadonlyArray<string> =>
  tries.flatMap((one, place) =>
    decidedOf(one) === undefined
      ? []
      : tries.flatMap((other, otherPlace) => {
          if (place === otherPlace || !isNear(one, other)) return []
          if (one.body !== other.body) return misuses(one, other)
          return [...refusedTwin(one, other), ...(place < otherPlace ? twins(one, other) : [])]
        })
  )
