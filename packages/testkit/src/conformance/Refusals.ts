import { expectJson, expectShape, fail } from "./Expect.ts"
import { authErrorShape, envelopeShape } from "./SpecShapes.ts"
import type { Answer, Json } from "./Wire.ts"
import { at } from "./Wire.ts"

/** The error envelope with this status, and this code in `details.code` where one is told. */
export const expectRefused = (answer: Answer, status: number, code?: string): Answer => {
  expectShape(answer, status, envelopeShape(status))
  const got = at(answer.json, "details.code")
  if (code !== undefined && got !== code) {
    fail(`details.code: expected ${code}, got ${JSON.stringify(got) ?? "nothing"}`, answer)
  }
  return answer
}

/** A 404 names in `details` what was not found. */
export const expectNotFound = (answer: Answer, id: string, code?: string): Answer => {
  expectRefused(answer, 404, code)
  const resource = at(answer.json, "details.resource")
  if (typeof resource !== "string" || at(answer.json, "details.id") !== id) {
    fail(`details: expected resource and the id ${id}`, answer)
  }
  return answer
}

/** A suspended and a closed sub-account have one code; `details` and the message say which it is. */
export const expectNotActive = (answer: Answer, reference: string, status: string): Answer => {
  expectRefused(answer, 403, "SUB_ACCOUNT_SUSPENDED")
  const details = { id: reference, status }
  for (const [name, value] of Object.entries(details)) {
    if (at(answer.json, `details.${name}`) !== value)
      fail(`details: expected the ${name} ${value}`, answer)
  }
  if (!String(at(answer.json, "message")).includes(status))
    fail(`message: expected it to say ${status}`, answer)
  return answer
}

/** A 409 names in `details` the value that is taken. */
export const expectTaken = (answer: Answer, field: string, value: string): Answer => {
  expectRefused(answer, 409)
  const resource = at(answer.json, "details.resource")
  const named = at(answer.json, "details.field") === field
  if (typeof resource !== "string" || !named || at(answer.json, "details.value") !== value) {
    fail(`details: expected resource, the field ${field} and the value ${value}`, answer)
  }
  return answer
}

const authErrors: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized"
}

/** An error of POST /auth: two fields. */
export const expectAuthRefused = (answer: Answer, status: 400 | 401): Answer =>
  expectShape(answer, status, authErrorShape(authErrors[status] ?? ""))

/** What an answer says, without what differs from request to request, and without the names it was asked for. */
export const withoutEcho = (answer: Answer, ...echoes: ReadonlyArray<string>): string => {
  expectJson(answer)
  const {
    timestamp: _timestamp,
    traceId: _traceId,
    ...rest
  } = answer.json as {
    readonly [key: string]: Json
  }
  const text = `${answer.status} ${JSON.stringify(rest)}`
  return echoes.reduce((masked, echo) => masked.replaceAll(echo, "<asked>"), text)
}
