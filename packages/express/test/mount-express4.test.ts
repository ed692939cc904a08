import { assert, it } from "@effect/vitest"
import { mountContract } from "@pagora/testkit"
import express from "express4"
import express4 from "express4/package.json" with { type: "json" }
import { keptBytes, shopIn } from "./ExpressShop.test-data.ts"
import mount from "../package.json" with { type: "json" }

it("is allowed by the peer range", () => {
  assert.match(express4.version, /^4\./)
  assert.match(mount.peerDependencies.express, /(?:^|\|\| )\^4\./)
})

mountContract("Express 4", { body: "untouched", passes: "node" }, shopIn(express))

mountContract(
  "Express 4 behind a parser that keeps the bytes",
  { body: "kept", passes: "node" },
  shopIn(express, express.json(keptBytes))
)
