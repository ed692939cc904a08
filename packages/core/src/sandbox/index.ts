import type { Duration } from "effect"

/** That the simulated PSP is to be used, and how. */
export interface SandboxSetup {
  readonly _tag: "Sandbox"
  /** How long payouts and refunds are under way; `manual`: until told to settle. */
  readonly settleAfter: Duration.Input | "manual"
}

/** The simulated PSP, which moves no money: for development and tests. Payouts and refunds settle after a second. */
export const sandbox = (options: Partial<Omit<SandboxSetup, "_tag">> = {}): SandboxSetup => ({
  _tag: "Sandbox",
  settleAfter: options.settleAfter ?? "1 second"
})
