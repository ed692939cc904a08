import { isDeepStrictEqual } from "node:util"
import type { Shape } from "./Shape.ts"
import type { Answer, Json } from "./Wire.ts"
import { at } from "./Wire.ts"

/** The deployment does not do what the specification says. */
export class Unmet extends Error {
  override readonly name = "Unmet"
}

/** The check cannot be made against this deployment. */
export class NotCheckable extends Error {
  override readonly name = "NotCheckable"
}

const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing"

const textMax = 2_000

const after = (answer: Answer | undefined): string =>
  answer === undefined
    ? ""
    : `\n  answer: ${answer.status} ${answer.text.slice(0, textMax)}\n  request: ${answer.curl}`

/** Fails the check. `answer` is what was looked at. */
export const fail = (message: string, answer?: Answer): never => {
  throw new Unmet(`${message}${after(answer)}`)
}

export const expectEqual = (
  what: string,
  got: unknown,
  expected: unknown,
  answer?: Answer
): void => {
  if (isDeepStrictEqual(got, expected)) return
  fail(`${what}: expected ${shown(expected)}, got ${shown(got)}`, answer)
}

export const expectThat = (claim: string, isTrue: boolean, answer?: Answer): void => {
  if (!isTrue) fail(`Expected: ${claim}`, answer)
}

export const expectStatus = (answer: Answer, status: number): Answer => {
  if (answer.status !== status) {
    fail(`Expected status ${status}, got ${answer.status}`, answer)
  }
  return answer
}

/** Each field named by its path holds exactly this. */
export const expectFields = (
  answer: Answer,
  fields: Readonly<Record<string, Json | undefined>>
): void => {
  for (const [path, expected] of Object.entries(fields)) {
    expectEqual(path, at(answer.json, path), expected, answer)
  }
}

/** The status, `application/json`, and a body of this form and no other. */
export const expectShape = (answer: Answer, status: number, shape: Shape): Answer => {
  expectStatus(answer, status)
  expectJson(answer)
  const faults = shape(answer.json, "")
  if (faults.length > 0) fail(faults.join("; "), answer)
  return answer
}

export const expectJson = (answer: Answer): void => {
  const type = String(answer.headers["content-type"])
  if (!/^application\/json(;|$)/.test(type)) {
    fail(`Expected Content-Type application/json, got ${type}`, answer)
  }
}

/** The text at a path of an answer, which must be there. */
export const textAt = (answer: Answer, path: string): string => {
  const value = at(answer.json, path)
  return typeof value === "string" ? value : fail(`Expected a string at ${path}`, answer)
}

/** The number at a path of an answer, which must be there. */
export const numberAt = (answer: Answer, path: string): number => {
  const value = at(answer.json, path)
  return typeof value === "number" ? value : fail(`Expected a number at ${path}`, answer)
}

/** The list at a path of an answer, which must be there. */
export const listAt = (answer: Answer, path: string): ReadonlyArray<Json> => {
  const value = at(answer.json, path)
  return Array.isArray(value)
    ? (value as ReadonlyArray<Json>)
    : fail(`Expected an array at ${path}`, answer)
}
