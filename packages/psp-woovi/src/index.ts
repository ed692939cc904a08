export { woovi } from "./Woovi.ts"
export type { WooviOptions } from "./WooviCalls.ts"
export { wooviPublicKey } from "./WooviNotification.ts"
