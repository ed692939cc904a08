import { Duration, Effect, Layer } from "effect"
import { isUuid } from "../kernel/Ids.ts"
import { capabilityFaults } from "../psp-calls/PspFaults.ts"
import { isObject, spelled } from "./OptionWords.ts"
import type { PspDirectory, PspShape, RawNotification } from "../ports/Psp.ts"
import type { PspProviders } from "../ports/PspProvider.ts"
import type { SandboxSetup } from "../sandbox/index.ts"

/** The PSPs of a deployment: each under an id that never changes, because charges remember it. */
export interface PspSetup {
  /** The one that is used where a charge names none. */
  readonly default: string
  readonly psps: Readonly<Record<string, PspShape>>
}

/** `sandbox()` of @pagora/core/sandbox, PSPs of your own, or a layer of them. */
export type PspOption = SandboxSetup | PspSetup | Layer.Layer<PspDirectory, unknown>

export const isSandbox = (psp: PspOption): psp is SandboxSetup =>
  "_tag" in psp && psp._tag === "Sandbox"

export const isSetup = (psp: PspOption): psp is PspSetup => !Layer.isLayer(psp) && !isSandbox(psp)

const psps = "sandbox() of @pagora/core/sandbox, or { default, psps } with your own"

/** What is wrong with the PSPs, in one sentence that says what to change; undefined when nothing is. */
export const pspFault = (psp: PspOption): string | undefined => {
  if (psp === undefined) return `psp is missing: give ${psps}.`
  if (!isObject(psp)) return `psp is ${spelled(psp)}: give ${psps}.`
  if (isSandbox(psp)) return sandboxFault(psp)
  return isSetup(psp) ? setupFault(psp) : undefined
}

const sandboxFault = ({ settleAfter = "manual" }: SandboxSetup): string | undefined => {
  if (settleAfter === "manual") return undefined
  const duration = Duration.fromInput(settleAfter)
  return duration._tag === "Some" && !Duration.isNegative(duration.value)
    ? undefined
    : 'settleAfter of sandbox() is none: give a duration, such as "2 seconds", or "manual".'
}

const setupFault = ({ default: id, psps: all }: PspSetup): string | undefined => {
  if (!isObject(all)) return `psp.psps is ${spelled(all)}: give an object of PSPs by their ids.`
  const ids = Object.keys(all)
  const notUuid = ids.find((key) => !isUuid(key))
  if (notUuid !== undefined)
    return `psp.psps has the key ${notUuid}: use a UUID that never changes, because charges remember it.`
  for (const [key, one] of Object.entries(all)) {
    const fault = partFault(key, one)
    if (fault !== undefined) return fault
  }
  return ids.includes(id)
    ? undefined
    : `psp.default must be one of the keys of psp.psps, which are ${ids.join(", ") || "none"}.`
}

/** What is wrong with what makes PSPs, in one sentence. */
export const providersFault = (providers: PspProviders | undefined): string | undefined => {
  if (providers === undefined) return undefined
  if (!isObject(providers))
    return `pspProviders is ${spelled(providers)}: give an object of providers by their names, such as { acme: { make } }.`
  const unnamed = Object.keys(providers).find((name) => !/^[a-z][a-z0-9_-]{0,49}$/.test(name))
  if (unnamed !== undefined)
    return `pspProviders has the name ${unnamed}: use small letters, digits, hyphens and underscores, 50 at most.`
  const [broken] =
    Object.entries(providers).find(([, provider]) => typeof provider?.make !== "function") ?? []
  return broken === undefined
    ? undefined
    : `pspProviders has a provider without make, under ${broken}: give a function that makes a PSP of its settings.`
}

/** What is wrong with a directory that a program built by itself. */
export const directoryFault = (directory: PspDirectory["Service"]): string | undefined => {
  const { all, default: usual } = directory
  if (!Array.isArray(all))
    return "psp is a layer whose PspDirectory has no list all: give the ids of all PSPs that find knows."
  if (!all.includes(usual))
    return "psp is a layer whose PspDirectory lacks its default in all: name it there too."
  const fault = all.map((id) => partFault(id, directory.find(id))).find((one) => one !== undefined)
  if (fault !== undefined) return fault
  const remade = all.find((id) => directory.find(id) !== directory.find(id))
  return remade === undefined
    ? undefined
    : `psp is a layer whose PspDirectory makes the PSP ${remade} anew whenever it is looked for: make it once, for another one counts as rotated.`
}

/** What is wrong with one PSP. */
const partFault = (id: string, psp: PspShape | undefined): string | undefined => {
  const missing = missingIn(psp)
  if (missing !== undefined)
    return `psp.psps has a PSP without ${missing}, at ${id}: give all that PspShape asks for, and hold it to pspContract of @pagora/testkit.`
  const [unable] = capabilityFaults(psp?.capabilities)
  if (unable !== undefined)
    return `psp.psps has a PSP of which ${unable}, at ${id}: give all that PspCapabilities asks for.`
  const read = readNothing(psp)
  const promise = promiseIn(psp, read)
  if (promise !== undefined)
    return `psp.psps has a PSP whose ${promise} answers a promise, at ${id}: wrap it with pspFromPromises of @pagora/core.`
  if (read !== undefined && !Effect.isEffect(read))
    return `psp.psps has a PSP whose readNotification answers neither an Effect nor a promise, at ${id}: give a PspShape, or wrap plain async functions with pspFromPromises of @pagora/core.`
  return environments.includes(String(psp?.environment))
    ? undefined
    : `psp.psps has a PSP whose environment is neither sandbox nor production, at ${id}: say which it is.`
}

/** The first method that is an async function, or the reader of notifications by what it answered. */
const promiseIn = (psp: PspShape | undefined, read: unknown): string | undefined => {
  const isAsync = (value: unknown) =>
    typeof value === "function" && value.constructor.name === "AsyncFunction"
  const named = Object.keys(pspParts).find((name) => isAsync(Reflect.get(Object(psp), name)))
  return named ?? (isPromise(read) ? "readNotification" : undefined)
}

/**
 * What the reader of notifications answers to an empty one. It is the one method that can be tried without asking a bank;
 * an Effect is not run. Undefined where it throws: that is told when it happens.
 */
const readNothing = (psp: PspShape | undefined): unknown => {
  try {
    const read: unknown = psp?.readNotification(emptyNotification)
    if (isPromise(read)) void Promise.resolve(read).catch(() => undefined)
    return read
  } catch {
    return undefined
  }
}

const emptyNotification: RawNotification = {
  headers: {},
  body: new Uint8Array(),
  query: {},
  path: ""
}

const isPromise = (value: unknown): boolean =>
  typeof Reflect.get(Object(value), "then") === "function"

const environments: ReadonlyArray<string> = ["sandbox", "production"]

/** What a PSP may leave out. */
type OptionalPart = {
  [Name in keyof PspShape]-?: undefined extends PspShape[Name] ? Name : never
}[keyof PspShape]

type PartType = "string" | "object" | "function"

const pspParts: Readonly<Record<Exclude<keyof PspShape, OptionalPart>, PartType>> = {
  provider: "string",
  environment: "string",
  capabilities: "object",
  createCharge: "function",
  findCharge: "function",
  cancelCharge: "function",
  sendPayout: "function",
  findPayout: "function",
  refund: "function",
  findRefund: "function",
  readNotification: "function"
}

const missingIn = (psp: PspShape | undefined): string | undefined =>
  Object.entries(pspParts).find(([name, type]) => {
    const part: unknown = Reflect.get(Object(psp), name)
    return typeof part !== type || part === null
  })?.[0]
