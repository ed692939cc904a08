import { bodyParser } from "@koa/bodyparser"
import { mountContract } from "@pagora/testkit"
import Koa from "koa"
import { forgetful, shopIn } from "./KoaShop.test-data.ts"

mountContract("Koa 3", { body: "untouched", passes: "node" }, shopIn(Koa, true))

mountContract(
  "Koa 3 behind a parser that keeps the bytes",
  { body: "kept", passes: "node" },
  shopIn(Koa, false, bodyParser())
)

mountContract(
  "Koa 3 behind a parser that keeps nothing",
  { body: "lost", passes: "node" },
  shopIn(Koa, false, forgetful)
)
