import type { Answer, Route } from "../door/Exchange.ts"
import { isRecord } from "../door/Exchange.ts"
import type { BankProfile } from "./BankProfile.ts"

/** What the Central Bank's file says an operation answers, in this bank's own form. */
export const presented = (profile: BankProfile, { operation }: Route, answer: Answer): Answer => {
  if (answer.status >= 300 || operation === "token") return answer
  const { codeField, leavesOut, statuses, tellsNull } = profile
  const told = without(answer.body, leavesOut[operation] ?? [])
  const coded = codeField === "brcode" ? withBrcode(told) : told
  const body = tellsNull ? withNulls(operation, coded) : coded
  return { ...answer, status: statuses[operation] ?? answer.status, body }
}

const without = (value: unknown, names: ReadonlyArray<string>): unknown => {
  if (names.length === 0) return value
  if (Array.isArray(value)) return value.map((each) => without(each, names))
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([name]) => !names.includes(name))
  return Object.fromEntries(kept.map(([name, each]) => [name, without(each, names)]))
}

/** [C] ACBR, Sicoob. */
const withBrcode = (body: unknown): unknown => {
  if (!isRecord(body)) return body
  const { cobs, pixCopiaECola, ...told } = body
  if (Array.isArray(cobs)) return { ...told, cobs: cobs.map(withBrcode) }
  return pixCopiaECola === undefined ? body : { ...told, brcode: pixCopiaECola }
}

const nullable: Readonly<Record<string, ReadonlyArray<string>>> = {
  createCharge: ["devedor", "solicitacaoPagador", "infoAdicionais", "pix"],
  findCharge: ["devedor", "solicitacaoPagador", "infoAdicionais", "pix"],
  findPayment: ["infoPagador", "devolucoes"],
  createReturn: ["descricao", "motivo"],
  findReturn: ["descricao", "motivo"]
}

/** [C] ACBR, Sicoob: what says nothing is there, as null. */
const withNulls = (operation: string, body: unknown): unknown =>
  isRecord(body)
    ? { ...Object.fromEntries((nullable[operation] ?? []).map((name) => [name, null])), ...body }
    : body
