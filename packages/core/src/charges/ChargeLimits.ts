import { Duration } from "effect"
import type { Centavos } from "../kernel/Money.ts"

/** The bounds of a charge. Where the spec shows none: decision 0006. */
export const chargeLimits = {
  /** BACEN Pix API: ten digits before the point. */
  amountMax: 999_999_999_999n as Centavos,
  /** pacs.008: remittance information of a PIX. */
  descriptionMax: 140,
  externalReferenceMax: 255,
  customerNameMax: 200,
  emailMax: 254,
  phoneMax: 30,
  metadataKeysMax: 50,
  metadataKeyLengthMax: 40,
  metadataStringMax: 500,
  metadataBytesMax: 16_384,
  splitLegsMax: 20,
  /** Seconds. */
  expiresInMin: 60,
  expiresInDefault: 86_400,
  expiresInMax: 1_209_600,
  /** After so long without the PSP's answer the janitor clears an intent up. */
  creatingMax: Duration.minutes(2)
} as const
