import type { PspShape } from "@pagora/core"
import * as Psp from "@pagora/core/psp"
import { Duration } from "effect"
import { makeCallbacks, wooviPublicKey } from "./WooviCallbacks.ts"
import { makeCharges } from "./WooviCharges.ts"
import { readError } from "./WooviErrors.ts"
import { makePayouts } from "./WooviPayouts.ts"
import { makeReceived } from "./WooviReceived.ts"

export interface WooviOptions extends Psp.ApiSettings {
  /** The AppID of an application of type API, as Woovi's panel shows it. */
  readonly appId: string
  readonly environment: "production" | "sandbox"
  /** Callbacks may be signed with any of these keys (PEM); with `wooviPublicKey` alone, unless told. */
  readonly publicKeys?: ReadonlyArray<string>
}

/** `servers` of the openapi. */
const urls = { production: "https://api.openpix.com.br", sandbox: "https://api.woovi-sandbox.com" }

/** Woovi, also known as OpenPix, as a PSP of Pagora. Its documents are at developers.openpix.com.br. */
export const woovi = (options: WooviOptions): PspShape => {
  const { appId, environment, publicKeys = [wooviPublicKey], ...settings } = options
  const url = new URL("/api/v1", settings.url ?? urls[environment]).href
  const api = Psp.jsonApi({ ...settings, url, headers: { authorization: appId }, readError })
  return Psp.pspFromCalls({
    provider: "woovi",
    environment,
    // The AppID is a secret, and tells nobody whose it is.
    identity: { clientId: Psp.nameOfSecret(appId) },
    capabilities: {
      // A repeat is answered with what is there, or refused and then read; and is held against what was asked.
      idempotentByReference: true,
      knowsPayer: true,
      notFoundIsFinalAfter: Duration.minutes(2),
      settlementLag: Duration.minutes(5)
    },
    ...makeCharges(api),
    ...makeReceived(api),
    ...makePayouts(api),
    ...makeCallbacks(api, publicKeys)
  })
}
