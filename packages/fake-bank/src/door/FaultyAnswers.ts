import { setTimeout as sleep } from "node:timers/promises"
import type { Answer, Asked, Problem, Route } from "./Exchange.ts"
import type { Fault } from "./Faults.ts"

const html =
  "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>"

// As seen of Bradesco (bacen/pix-api#535).
const xml =
  '<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/">' +
  "<soapenv:Body><soapenv:Fault><faultcode>soapenv:Server</faultcode><faultstring>Internal Error</faultstring>" +
  "</soapenv:Fault></soapenv:Body></soapenv:Envelope>"

/** What the faults make of one request: an answer, or none, where the connection ends. */
export interface FaultyDesk {
  readonly problem: (problem: Problem) => Answer
  readonly endTokens: () => void
}

/** Gives the request to its route, and spoils what the faults say. */
export const answerWithFaults = async (
  desk: FaultyDesk,
  faults: ReadonlyArray<Fault>,
  route: Route,
  asked: Asked,
  handle: (asked: Asked) => Promise<Answer>
): Promise<Answer | undefined> => {
  const slow = faults.find(({ kind }) => kind === "slow")
  const wait = async (isAfter: boolean) => {
    const { after = false, millis = 1000 } = slow ?? {}
    if (slow !== undefined && after === isAfter) await sleep(millis)
  }
  await wait(false)
  if (faults.some(({ kind }) => kind === "cut")) return undefined
  const spoil = (isAfter: boolean) =>
    spoiled(
      desk,
      faults.filter(({ after = false }) => after === isAfter)
    )
  const before = spoil(false)
  if (before !== undefined) return before
  if (route.another !== undefined && faults.some(({ kind }) => kind === "answerAnother")) {
    return route.another(asked)
  }
  const truth = await handle(asked)
  await wait(true)
  if (faults.some(({ kind }) => kind === "loseAnswer")) return undefined
  const isLied = route.lie !== undefined && faults.some(({ kind }) => kind === "lie")
  const told = isLied ? (route.lie?.(truth, asked) ?? truth) : truth
  return spoil(true) ?? told
}

/** The first of the faults that is an answer by itself. */
const spoiled = (desk: FaultyDesk, faults: ReadonlyArray<Fault>): Answer | undefined => {
  for (const { body, headers = {}, kind, retryAfterSeconds = 60, status, text } of faults) {
    if (kind === "status")
      return {
        status: status ?? 500,
        headers,
        ...(text === undefined ? { body: body ?? {} } : { text })
      }
    if (kind === "html") {
      return { status: status ?? 502, text: html, headers: { "content-type": "text/html" } }
    }
    if (kind === "xml") {
      return { status: status ?? 500, text: xml, headers: { "content-type": "text/xml" } }
    }
    if (kind === "tooMany") return tooMany(desk, retryAfterSeconds)
    if (kind === "refuse") {
      const detail = "Operação recusada."
      return desk.problem({ status: status ?? 400, type: "RequisicaoInvalida", detail })
    }
    if (kind === "expiredToken") {
      desk.endTokens()
      return desk.problem({ status: 401, type: "AcessoNegado", detail: "Token expirado." })
    }
  }
  return undefined
}

const tooMany = (desk: FaultyDesk, seconds: number): Answer => ({
  ...desk.problem({ status: 429, type: "LimiteDeRequisicoes", detail: "Muitas requisições." }),
  headers: { "retry-after": String(seconds) }
})
