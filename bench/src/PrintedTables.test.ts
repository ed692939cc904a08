import { assert, it } from "@effect/vitest"
import { table } from "./Measure.ts"
import { figuresOf } from "./PrintedTables.ts"

it("figures are known by their row and column, in whichever table they stand", () => {
  const http = table([
    ["request", "way", "/s", "p50/p99 ms"],
    ["POST /pix", "express", "1,234.5 (900.0..1500.0)", "2.5/9.1"],
    ["", "koa", "7", ""]
  ])
  const disk = table([
    ["", "bytes"],
    ["pagora.posting", "457"]
  ])
  const printed = `PostgreSQL 18.\n\nEnd to end\n${http}\np99: 1.2 times\n\nDisk\n${disk}\n`
  assert.deepStrictEqual(Object.fromEntries(figuresOf(printed)), {
    "POST /pix, express: /s": 1234.5,
    "POST /pix, express: p50/p99 ms": 2.5,
    "POST /pix, koa: /s": 7,
    "pagora.posting: bytes": 457
  })
})
