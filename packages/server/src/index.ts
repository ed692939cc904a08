export type { DevFacts } from "./dev/Dev.ts"
export { dev } from "./dev/Dev.ts"
export type { Mount } from "./HttpListener.ts"
export { CannotListen, serve } from "./HttpListener.ts"
