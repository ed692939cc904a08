import type { Chance } from "./Chance.ts"
import type { Endpoint } from "./Contract.ts"
import { broken, nearlyGood, stray } from "./Mutations.ts"
import type { Soil } from "./Values.ts"
import { valueOf } from "./Values.ts"
import type { WireRequest } from "./Wire.ts"

/** How far a request is from what the document asks for. */
export type FuzzKind = "valid" | "near" | "broken" | "stray"

export interface FuzzRequest extends WireRequest {
  readonly kind: FuzzKind
  readonly endpoint: Endpoint
}

/** The id of a path: of what is there, under any of the names by which it is found. */
const idOf = (endpoint: Endpoint, chance: Chance, { harvest }: Soil): string => {
  const segment = /^\/([^/]+)/.exec(endpoint.path)?.[1] ?? ""
  const ids = harvest.some(chance, `id of ${segment}`) ?? ""
  const names =
    segment === "transactions"
      ? ["id of pix", "id of withdrawals", "id of internal-transfers", "externalReference", "key"]
      : [`id of ${segment}`, "id of pix", "key"]
  const found = chance.happens(0.3) && ids !== "" ? ids : harvest.some(chance, chance.pick(names))
  return found ?? "019a2b3c-dead-7000-8000-00000000beef"
}

const pathOf = (endpoint: Endpoint, chance: Chance, soil: Soil): string => {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id =
      name === "pspCredentialId"
        ? (soil.harvest.some(chance, "pspCredentialId") ?? "none")
        : idOf(endpoint, chance, soil)
    return encodeURIComponent(id)
  })
  const query = endpoint.parameters.flatMap((parameter) => {
    if (parameter.in !== "query" || chance.happens(0.5)) return []
    const value = valueOf(parameter.schema, parameter.name, chance, soil)
    if (value === undefined || value === null) return []
    return [`${parameter.name}=${encodeURIComponent(String(value))}`]
  })
  return query.length === 0 ? path : `${path}?${query.join("&")}`
}

const headersOf = (
  endpoint: Endpoint,
  token: string,
  chance: Chance,
  { harvest }: Soil
): ReadonlyArray<readonly [string, string]> => {
  const takes = (name: string) => endpoint.parameters.some((parameter) => parameter.name === name)
  const headers: Array<readonly [string, string]> = []
  if (!endpoint.isOpen) headers.push(["authorization", `Bearer ${token}`])
  if (takes("X-Sub-Account") && chance.happens(0.2)) {
    headers.push(["x-sub-account", harvest.some(chance, "reference") ?? "principal"])
  }
  if (takes("Idempotency-Key") && chance.happens(0.4)) {
    const used = chance.happens(0.3) ? harvest.some(chance, "key") : undefined
    const key = used ?? `key-${chance.below(1_000_000_000)}`
    harvest.add("key", key)
    headers.push(["idempotency-key", key])
  }
  return headers
}

const good = (endpoint: Endpoint, token: string, chance: Chance, soil: Soil): WireRequest => {
  const path = pathOf(endpoint, chance, soil)
  const headers = headersOf(endpoint, token, chance, soil)
  if (endpoint.body === undefined) {
    return { method: endpoint.method, path, headers, body: undefined }
  }
  return {
    method: endpoint.method,
    path,
    headers: [...headers, ["content-type", "application/json"]],
    body: Buffer.from(JSON.stringify(valueOf(endpoint.body, "", chance, soil) ?? {}))
  }
}

const kinds: ReadonlyArray<FuzzKind> = [
  ...Array<FuzzKind>(8).fill("valid"),
  ...Array<FuzzKind>(9).fill("near"),
  ...Array<FuzzKind>(2).fill("broken"),
  "stray"
]

/** The request of a place in the run: of what was learnt so far and of chance alone. */
export const requestOf = (token: string, chance: Chance, soil: Soil): FuzzRequest => {
  const kind = chance.pick(kinds)
  const endpoint = chance.pick(soil.contract.endpoints)
  const request = good(endpoint, token, chance, soil)
  const change = { valid: () => request, near: nearlyGood, broken, stray }[kind]
  return { ...request, ...change(request, chance), kind, endpoint }
}
