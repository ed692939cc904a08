// The specification, checked against a running deployment by HTTP alone. Needs Node.js and nothing else.
export { conformance } from "./Conformance.ts"
export type { ConformanceOptions, ConformanceReport, Outcome } from "./Conformance.ts"
export type { Check as ConformanceCheck, Section as ConformanceSection } from "./Check.ts"
export { sections as conformanceSections } from "./Sections.ts"
export type { Target as ConformanceTarget } from "./World.ts"
