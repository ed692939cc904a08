import { defineConfig } from "@pagora/server"

const bank = "0190a1b2-0000-7000-8000-0000000000ba"

/** A PSP that is for real, and that nobody calls in the tests that use it. */
export default defineConfig({
  psp: { default: bank, psps: { [bank]: { provider: "bank", environment: "production" } } }
})
