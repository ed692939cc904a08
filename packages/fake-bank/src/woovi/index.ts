export { startFakeWoovi } from "./FakeWoovi.ts"
export type { FakeWoovi, FakeWooviOptions, WooviFault, WooviFaultAnswer } from "./FakeWoovi.ts"
export type { SendCallback, WooviCallback } from "./WooviCallbacks.ts"
export type { WooviFailure } from "./WooviBook.ts"
