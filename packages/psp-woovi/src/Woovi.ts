import type { PspShape } from "@pagora/core"
import * as Psp from "@pagora/core/psp"
import { Duration } from "effect"
import { createHash } from "node:crypto"
import type { WooviOptions } from "./WooviCalls.ts"
import { makeApi } from "./WooviCalls.ts"
import { makeCharges } from "./WooviCharges.ts"
import { makeReadNotification, wooviPublicKey } from "./WooviNotification.ts"
import { makePayouts } from "./WooviPayouts.ts"
import { makeReceived } from "./WooviReceived.ts"
import { makeSetup } from "./WooviSetup.ts"

/** Woovi, also known as OpenPix, as a PSP of Pagora. Its documents are at developers.openpix.com.br. */
export const woovi = (options: WooviOptions): PspShape => {
  const { appId, environment, publicKeys = [wooviPublicKey] } = options
  const api = makeApi(options)
  return Psp.pspFromCalls({
    provider: "woovi",
    environment,
    // The AppID is a secret, and tells nobody whose it is.
    identity: { clientId: createHash("sha256").update(appId).digest("hex").slice(0, 16) },
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
    ...makeSetup(api, publicKeys),
    readNotification: makeReadNotification(publicKeys)
  })
}
