import type { WorldRefusal } from "../world/World.ts"
import { WorldRefusal as Refusal } from "../world/World.ts"
import type { Answer, Asked, Problem, Received, Route } from "./Exchange.ts"
import { Refused } from "./Exchange.ts"
import { answerWithFaults } from "./FaultyAnswers.ts"
import type { FaultDice } from "./Faults.ts"

/** What one bank's protocol gives to the door. */
export interface Protocol {
  readonly routes: ReadonlyArray<Route>
  /** Who asks. It throws {@link Refused} where nobody may. */
  readonly authorize: (received: Received, route: Route) => Asked["account"]
  /** A problem in the bank's own words. */
  readonly problem: (problem: Problem, route?: Route) => Answer
  /** What the world refuses, as a problem. */
  readonly refusal: (refusal: WorldRefusal) => Problem
  /** Throws {@link Refused} where a request is not what the bank documents. */
  readonly checkRequest: (asked: Asked, route: Route) => void
  /** The bank's own form of an answer that is as the Central Bank has it. */
  readonly present: (answer: Answer, route: Route, asked: Asked) => Answer
  /** Ends every token. */
  readonly endTokens: () => void
}

/** One request and what became of it. */
export interface RequestRecord {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
  readonly at: Date
  /** Absent where the connection ended without an answer. */
  readonly status?: number
}

export interface Desk {
  /** Undefined: the connection ends without an answer. */
  readonly serve: (received: Received) => Promise<Answer | undefined>
  readonly requests: ReadonlyArray<RequestRecord>
  /** So many requests for an operation were under way at once. */
  readonly atOnceMax: (operation: string) => number
}

export const makeDesk = (protocol: Protocol, faults: FaultDice, now: () => Date): Desk => {
  const requests: Array<RequestRecord> = []
  const crowd = makeCrowd()
  const routes = protocol.routes.map((route) => ({ route, match: matcher(route) }))

  const handled = async (route: Route, asked: Asked): Promise<Answer> => {
    protocol.checkRequest(asked, route)
    return protocol.present(await route.handle(asked), route, asked)
  }

  const refusing = async <A>(route: Route | undefined, work: () => Promise<A>) => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Refused) return protocol.problem(error.problem, route)
      if (error instanceof Refusal) return protocol.problem(protocol.refusal(error), route)
      throw error
    }
  }

  const serve = async (received: Received): Promise<Answer | undefined> => {
    const found = routes.flatMap(({ match, route }) => {
      const params = match(received)
      return params === undefined ? [] : [{ params, route }]
    })
    const [here] = found
    const operation = here?.route.operation ?? "unknown"
    const leave = crowd.enter(operation)
    const answer = await refusing(here?.route, async () => {
      if (here === undefined) {
        const detail = `Nothing is at ${received.method} ${received.path}.`
        throw new Refused({ status: 404, type: "NaoEncontrado", detail })
      }
      const account = protocol.authorize(received, here.route)
      const asked = { ...received, params: here.params, account }
      const striking = faults.strike(operation, received.path)
      // What a route refuses is done with: faults that come after it still strike.
      const handle = (each: Asked) => refusing(here.route, () => handled(here.route, each))
      const { endTokens } = protocol
      const problem = (told: Problem) => protocol.problem(told, here.route)
      return answerWithFaults({ problem, endTokens }, striking, here.route, asked, handle)
    })
    leave()
    const { headers, method, path, query } = received
    requests.push({
      operation,
      method,
      path,
      query,
      headers,
      body: received.json ?? Buffer.from(received.body).toString("utf8"),
      at: now(),
      ...(answer === undefined ? {} : { status: answer.status })
    })
    return answer
  }
  return { serve, requests, atOnceMax: crowd.max }
}

/** Counts how many are there at once. */
const makeCrowd = () => {
  const counts = new Map<string, { now: number; max: number }>()
  return {
    max: (operation: string) => counts.get(operation)?.max ?? 0,
    enter: (operation: string) => {
      const count = counts.get(operation) ?? { now: 0, max: 0 }
      count.now += 1
      count.max = Math.max(count.max, count.now)
      counts.set(operation, count)
      return () => void (count.now -= 1)
    }
  }
}

/** Tells whether a request is for a route, and what stands in the places of its names. */
const matcher = ({ method, path, query }: Route) => {
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name)
  const pattern = new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/:\w+/g, "([^/]+)")}$`)
  return (received: Received): Readonly<Record<string, string>> | undefined => {
    const isMeant =
      received.method === method && (query === undefined || received.query[query] !== undefined)
    const found = isMeant ? pattern.exec(received.path) : null
    if (found === null) return undefined
    return Object.fromEntries(names.map((name, index) => [name, decoded(found[index + 1] ?? "")]))
  }
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
