import { defineConfig } from "@pagora/server"
import { Effect } from "effect"
import production from "./production.config.mjs"

const [[bank, psp]] = Object.entries(production.psp.psps)
const other = "0190a1b2-0000-7000-8000-0000000000bb"

/** A PSP that finds what its environment says, and registers every address. */
const set = {
  ...psp,
  capabilities: { ...psp.capabilities, payouts: "none" },
  check: () => Effect.sync(() => JSON.parse(process.env.BANK_FINDINGS ?? "[]")),
  prepare: ({ webhookUrl }) =>
    Effect.succeed([{ name: "webhook", state: "ok", message: `Registered ${webhookUrl}.` }])
}

export default defineConfig({ psp: { default: other, psps: { [bank]: psp, [other]: set } } })
