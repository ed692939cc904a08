import { setTimeout as sleep } from "node:timers/promises"
import type { Chance } from "./Chance.ts"
import { chanceOf } from "./Chance.ts"
import type { Answered, Contract } from "./Contract.ts"
import { contractOf } from "./Contract.ts"
import { harvest } from "./Harvest.ts"
import type { FuzzRequest } from "./Requests.ts"
import { requestOf } from "./Requests.ts"
import type { Soil } from "./Values.ts"
import type { WireAnswer } from "./Wire.ts"
import { asCurl, send } from "./Wire.ts"

/** A running service and the key of its operator. */
export interface FuzzTarget {
  readonly baseUrl: string
  readonly operatorUrl: string
  readonly operatorKey: string
  /** Where payers are simulated; without it nothing is ever paid. */
  readonly sandboxUrl?: string
}

export interface FuzzOptions {
  readonly seed: number
  readonly count: number
  /** Told now and then how far it is. */
  readonly progress?: (done: number) => void
}

export interface FuzzFailure {
  /** The place in the run, from 0. */
  readonly place: number
  readonly fault: string
  readonly curl: string
  readonly answer: string
}

export interface FuzzReport {
  readonly failures: ReadonlyArray<FuzzFailure>
  /** How often each endpoint gave each status; paths and methods that are not there stand under `stray`. */
  readonly statuses: Readonly<Record<string, Readonly<Record<number, number>>>>
  readonly slowestMillis: number
  /** How many payments were blocked meanwhile. */
  readonly blocks: number
  /** The body of the operator's audit, after everything. */
  readonly audit: unknown
  readonly isAuditClean: boolean
}

/** No answer may take longer. */
const millisMax = 2000
const failuresMax = 20
/** After so many requests others have their hands in it; after so many a new token is fetched. */
const handsEvery = 5
const tokenEvery = 500

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Run {
  readonly account: string
  readonly target: FuzzTarget
  readonly contract: Contract
  readonly soil: Soil
  readonly operator: (method: string, path: string, body?: unknown) => Promise<unknown>
}

const ask = async (
  url: string,
  key: string | undefined,
  method: string,
  path: string,
  body?: unknown
): Promise<unknown> => {
  const { status, text } = await send(url, {
    method,
    path,
    headers: [
      ...(key === undefined ? [] : [["authorization", `Bearer ${key}`] as const]),
      ...(body === undefined ? [] : [["content-type", "application/json"] as const])
    ],
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  })
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
  return parsed(text)
}

/** A shop of its own with money, and the contract to hold answers against. */
const prepare = async (target: FuzzTarget): Promise<Run> => {
  const { baseUrl, operatorKey, operatorUrl } = target
  const operator: Run["operator"] = (method, path, body) =>
    ask(operatorUrl, operatorKey, method, path, body)
  const contract = contractOf(await ask(baseUrl, undefined, "GET", "/openapi.json"))
  const fees = { payment: { percent: 1 }, withdrawal: { fixed: 0.5 }, refund: { fixed: 0.1 } }
  const account = (await operator("POST", "/accounts", { name: "Fuzz", fees })) as { id: string }
  await operator("POST", `/accounts/${account.id}/adjustments`, {
    amount: 100_000,
    reason: "Something to spend"
  })
  const shop = (await operator("POST", `/accounts/${account.id}/credentials`, {
    permissions: ["FULL_ACCESS"],
    subAccountAccess: true
  })) as { clientId: string; clientSecret: string }
  return {
    account: account.id,
    target,
    contract,
    operator,
    soil: { contract, harvest: harvest(), shop }
  }
}

const tokenOf = async ({ soil, target }: Run): Promise<string> => {
  const { access_token } = (await ask(target.baseUrl, undefined, "POST", "/auth", {
    client_id: soil.shop.clientId,
    client_secret: soil.shop.clientSecret
  })) as { access_token: string }
  return access_token
}

/**
 * What others do to the money meanwhile: a charge is paid, a payment blocked, a block defended or resolved. Refusals are
 * none of our business, as nobody looks first; that it broke is.
 */
const handsOf = async (run: Run, chance: Chance): Promise<string | undefined> => {
  const steps = [pay, pay, block, defend, resolve]
  try {
    await chance.pick(steps)(run, chance)
    return undefined
  } catch (error) {
    const { message } = error as Error
    return / answered 4\d\d:/.test(message) ? undefined : message
  }
}

/** Somebody pays a charge, so that there is something to refund, to block, to find. */
const pay = async ({ soil, target }: Run, chance: Chance): Promise<void> => {
  const charge = soil.harvest.some(chance, "id of pix")
  if (target.sandboxUrl === undefined || charge === undefined) return
  await ask(target.sandboxUrl, target.operatorKey, "POST", `/charges/${charge}/pay`, {})
  soil.harvest.add("paid", charge)
}

const block = async ({ account, operator, soil }: Run, chance: Chance): Promise<void> => {
  const transactionId = soil.harvest.some(chance, "paid")
  if (transactionId === undefined) return
  const blockType = chance.pick(["med", "judicial", "administrative"])
  const part = chance.happens(0.5) ? { amount: (1 + chance.below(2_000)) / 100 } : {}
  const asked = { transactionId, blockType, reason: "Fuzz", ...part }
  const made = (await operator("POST", `/accounts/${account}/balance-blocks`, asked)) as {
    id: string
  }
  soil.harvest.add("block", made.id)
}

const defend = async ({ operator, soil }: Run, chance: Chance): Promise<void> => {
  const id = soil.harvest.some(chance, "block")
  if (id !== undefined) await operator("POST", `/balance-blocks/${id}/defend`)
}

const resolve = async ({ operator, soil }: Run, chance: Chance): Promise<void> => {
  const id = soil.harvest.some(chance, "block")
  const outcome = chance.pick(["approved", "rejected"])
  if (id !== undefined) await operator("POST", `/balance-blocks/${id}/resolve`, { outcome })
}

const faultOf = (run: Run, request: FuzzRequest, answer: WireAnswer): string | undefined => {
  const { contract } = run
  const json = parsed(answer.text)
  const answered: Answered = {
    status: answer.status,
    contentType: String(answer.headers["content-type"] ?? ""),
    json
  }
  if (answer.status >= 500) return `status ${answer.status}`
  if (answer.millis > millisMax) return `it took ${Math.round(answer.millis)} ms`
  if (answer.status === 429 && answer.headers["retry-after"] === undefined) {
    return "429 without Retry-After"
  }
  if (request.kind === "stray" || isStray(request)) {
    const isDocumented = contract.fault(request.endpoint, answered) === undefined
    return isDocumented ? undefined : contract.strayFault(answered)
  }
  const fault = contract.fault(request.endpoint, answered)
  if (fault !== undefined) return fault
  if (answer.status < 300 && request.body !== undefined) {
    const body = parsed(request.body.toString())
    const isTaken = body === undefined ? undefined : contract.takes(request.endpoint, body)
    if (isTaken === false) return "a body outside the document was taken"
  }
  return undefined
}

/** A broken path may lead nowhere; then it is no request of its endpoint. */
const isStray = ({ endpoint, path }: FuzzRequest): boolean =>
  path.replace(/\?.*$/, "").split("/").length !== endpoint.path.split("/").length ||
  /%(?![0-9a-f]{2})|%(?:00|2e|2f|ff|c3)|\.\.|[;*]/i.test(path)

/** So many requests at most are under way at once. */
const waveMax = 8

/** Whether the request of a place goes out with the one before it, and does not wait for its answer. */
const isTogether = (seed: number, place: number): boolean =>
  chanceOf(seed, -place).happens(0.4) && place % handsEvery !== 0

/** The places of the next wave: one alone, or several at once. Chance alone decides, so a seed sends in one order. */
const waveAt = (first: number, { count, seed }: FuzzOptions): ReadonlyArray<number> => {
  const wave = [first]
  for (let next = first + 1; next < count && wave.length < waveMax; next++) {
    if (!isTogether(seed, next)) break
    wave.push(next)
  }
  return wave
}

/**
 * Sends `count` requests of every kind to every endpoint, some of them at once, and holds each answer against the
 * document. Between them money is paid, blocked and given back.
 */
export const fuzz = async (target: FuzzTarget, options: FuzzOptions): Promise<FuzzReport> => {
  const run = await prepare(target)
  const failures: Array<FuzzFailure> = []
  const statuses: Record<string, Record<number, number>> = {}
  let slowestMillis = 0
  let token = ""
  let tokenAt = -tokenEvery
  const ask = async (place: number) => {
    const request = requestOf(token, chanceOf(options.seed, place), run.soil)
    const failed = (fault: string, answer: string) =>
      failures.push({ place, fault, answer, curl: asCurl(target.baseUrl, request) })
    try {
      const answer = await send(target.baseUrl, request)
      slowestMillis = Math.max(slowestMillis, answer.millis)
      const name = request.kind === "stray" ? "stray" : request.endpoint.id
      const counts = (statuses[name] ??= {})
      counts[answer.status] = (counts[answer.status] ?? 0) + 1
      const fault = faultOf(run, request, answer)
      if (fault !== undefined) failed(fault, `${answer.status} ${answer.text.slice(0, 1000)}`)
      return { request, answer }
    } catch (error) {
      failed(`no answer: ${String(error)}`, "")
      return undefined
    }
  }
  for (let place = 0; place < options.count && failures.length < failuresMax;) {
    const wave = waveAt(place, options)
    if (place - tokenAt >= tokenEvery) {
      token = await tokenOf(run)
      tokenAt = place
    }
    if (place % handsEvery === 0 && place > 0) {
      const fault = await handsOf(run, chanceOf(options.seed, place))
      if (fault !== undefined) failures.push({ place, fault, answer: "", curl: "" })
    }
    // What is learnt is learnt in the order of sending, whatever was answered first.
    for (const told of await Promise.all(wave.map(ask))) {
      if (told === undefined || told.answer.status >= 300) continue
      run.soil.harvest.learn(told.request.endpoint.path, parsed(told.answer.text))
    }
    place += wave.length
    if (Math.floor(place / 1000) > Math.floor((place - wave.length) / 1000)) {
      options.progress?.(place)
    }
  }
  const audit = await settledAudit(run)
  const isAuditClean = (audit as { ok?: unknown }).ok === true
  const blocks = run.soil.harvest.all("block").length
  return { failures, statuses, slowestMillis, blocks, audit, isAuditClean }
}

/** What is on its way settles within seconds. */
const settledAudit = async ({ operator }: Run): Promise<unknown> => {
  await sleep(1500)
  return operator("GET", "/audit")
}
