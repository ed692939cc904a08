/** The Idempotency-Key of an operation: the same in every shop, so that tenants meet under one. */
export const keyOf = (operation: number): string => `operation-${operation}`

/** What is borne by nothing but what an operation makes. */
export const referenceOf = (operation: number): string => `order-${operation}`

/** What the PSP has a thing of ours under. */
export const pspName = (id: string): string => id.replaceAll("-", "")

/** The id of what the PSP has under a name. */
export const idOf = (name: string): string =>
  name.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** The PSPs of which one is the deployment's usual one. */
export const usualPsps = [
  "00000000-0000-7000-8000-00000000000a",
  "00000000-0000-7000-8000-00000000000b"
] as const

/** A PSP that is configured and never the deployment's usual one: no account may use it that nobody has allowed it. */
export const otherPsp = "00000000-0000-7000-8000-00000000000c"
