import * as core from "@pagora/core"
import * as adapter from "@pagora/express"
import { Console, Effect } from "effect"
import express from "express"
import { connections, openFront } from "./FrontJobs.ts"
import { median, spread, table } from "./Measure.ts"
import * as shop from "./compare/Shop.ts"

const perRound = 8_000

/**
 * What the HTTP front costs by itself: the storage in memory, no rate limits, no logs, and the load in the same
 * process, so that all of its CPU is counted. The constant answer tells how much of it is Node's and the load's own.
 */
export const front = Effect.fnUntraced(function* (rounds: number) {
  const jobs = yield* openFront({ core, adapter, express, shop })
  const taken = jobs.map((): Array<number> => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { measure }] of jobs.entries()) {
      const micros = yield* measure(perRound)
      // The first round only warms everything up.
      if (round > 0) taken[index]?.push(micros)
    }
  }
  const rows = jobs.map(({ host, name }, index) => [
    host,
    name,
    spread(taken[index] ?? [], 0),
    (median(taken[index] ?? []) - median(taken[0] ?? [])).toFixed(0)
  ])
  const head = ["host", "request", "CPU µs a request, the load's in it", "above constant"]
  yield* Console.log(
    `\nThe HTTP front, everything in memory and in one process, ${connections} connections\n${table([head, ...rows])}`
  )
})
