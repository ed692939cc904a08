// Whole deployments in simulated worlds, over any storage (decision 0099).
export { everything, unreached, wholeFrom } from "./Coverage.ts"
export { optionsOf, parseNumbers, troubleNames } from "./Plan.ts"
export type { Plan, TroubleName } from "./Plan.ts"
export { shrink } from "./Shrink.ts"
export { simulate } from "./Simulation.ts"
export type { BankMaker, Report, SimulationOptions } from "./Simulation.ts"
// A bank that is the truth of who paid whom, for tests of one's own.
export * from "./banks/index.ts"
export type { Caller, World } from "./World.ts"
