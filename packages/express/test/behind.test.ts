import { mountContract } from "@pagora/testkit"
import type { HostTraits } from "@pagora/testkit"
import compression from "compression"
import express from "express"
import session from "express-session"
import morgan from "morgan"
import { shopIn } from "./ExpressShop.test-data.ts"

// What is usually put before everything else; each of them waits for the headers of an answer.
const compressed = () => compression({ threshold: 0 })
const logged = () => morgan("combined", { stream: { write: () => undefined } })
const sessions = () =>
  session({ secret: "of the host", resave: true, saveUninitialized: true, rolling: true })

const traits: HostTraits = { body: "untouched", passes: "node" }
const gzip = { ...traits, isCompressing: true }
// Where they stand together is tried everywhere.
const here = { prefixes: "usual" } as const

mountContract("Express 5 behind compression", gzip, shopIn(express, compressed()), here)
mountContract("Express 5 behind morgan", traits, shopIn(express, logged()), here)
mountContract("Express 5 behind express-session", traits, shopIn(express, sessions()), here)
mountContract(
  "Express 5 behind all three",
  gzip,
  shopIn(express, logged(), compressed(), sessions())
)
