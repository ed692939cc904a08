import { assert, it } from "@effect/vitest"
import { bodyParser } from "@koa/bodyparser"
import { mountContract } from "@pagora/testkit"
import Koa from "koa2"
import koa2 from "koa2/package.json" with { type: "json" }
import { shopIn } from "./KoaShop.test-data.ts"
import mount from "../package.json" with { type: "json" }

it("is allowed by the peer range", () => {
  assert.match(koa2.version, /^2\./)
  assert.match(mount.peerDependencies.koa, /(?:^|\|\| )\^2\./)
})

mountContract("Koa 2", { body: "untouched", passes: "node" }, shopIn(Koa, true))

mountContract(
  "Koa 2 behind a parser that keeps the bytes",
  { body: "kept", passes: "node" },
  shopIn(Koa, false, bodyParser())
)
