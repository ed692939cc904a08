export { fuzz } from "./Fuzz.ts"
export type { FuzzFailure, FuzzOptions, FuzzReport, FuzzTarget } from "./Fuzz.ts"
