export { woovi } from "./Woovi.ts"
export type { WooviOptions } from "./Woovi.ts"
export { wooviPublicKey } from "./WooviCallbacks.ts"
