import { Context } from "effect"
import type { Uuid } from "../kernel/Ids.ts"

/** Names the request in answers and logs. Taken from a well-formed `traceparent` (W3C), or made anew. */
export const TraceId = Context.Reference<string>("@pagora/core/http/TraceId", {
  defaultValue: () => ""
})

/** The trace id of a well-formed traceparent. */
export const traceOf = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  const trace = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(header)?.[1]
  return trace === undefined || /^0+$/.test(trace) ? undefined : trace
}

/**
 * Trace ids that nobody made before: the half of an id that is chance, which tells this start from all others, and a count
 * that is stirred so that each number has one image that looks like chance: others sample by the last seven bytes (W3C Trace
 * Context, level 2). An id for each request would ask the clock and the source of chance for what hardly anybody reads.
 */
export const tracesOf = (id: Uuid): (() => string) => {
  const chance = id.replaceAll("-", "").slice(16)
  const one = Number.parseInt(chance.slice(0, 8), 16)
  const other = Number.parseInt(chance.slice(8), 16)
  let count = 0
  return () => {
    count++
    let left = Math.floor(count / 2 ** 32)
    let right = count % 2 ** 32
    // Each step can be undone (Feistel), so that no two counts meet.
    left ^= stirred(right ^ one)
    right ^= stirred(left ^ other)
    left ^= stirred(right ^ (one + 1))
    right ^= stirred(left ^ (other + 1))
    return chance + hexOf(left) + hexOf(right)
  }
}

/** 32 bits of which each depends on all that were given (the end of MurmurHash3). */
const stirred = (bits: number): number => {
  const once = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const byteOf = (bits: number): string => bytes[bits & 255] ?? ""

/** By bytes: what Node makes of a large number as a text takes five times as long. */
const hexOf = (bits: number): string =>
  byteOf(bits >>> 24) + byteOf(bits >>> 16) + byteOf(bits >>> 8) + byteOf(bits)
