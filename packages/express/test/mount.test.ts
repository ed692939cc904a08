import { assert, describe, it } from "@effect/vitest"
import { mountContract } from "@pagora/testkit"
import { pagoraExpress } from "@pagora/express"
import express from "express"
import { keptBytes, shopIn } from "./ExpressShop.test-data.ts"

mountContract("Express 5", { body: "untouched", passes: "node" }, shopIn(express))

mountContract(
  "Express 5 behind a parser that keeps the bytes",
  { body: "kept", passes: "node" },
  shopIn(express, express.json(keptBytes))
)

mountContract(
  "Express 5 behind a parser that keeps nothing",
  { body: "lost", passes: "node" },
  shopIn(express, express.json())
)

describe("a mount in Express", () => {
  it("is told when there is nothing to mount", () => {
    for (const nothing of [undefined, {}, Promise.resolve({ listener: () => undefined })])
      assert.throws(() => pagoraExpress(nothing as never), /mount what Pagora\.start resolves to/)
  })
})
