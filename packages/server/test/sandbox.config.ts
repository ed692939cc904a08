import { WebhookTransportNode } from "@pagora/core/node"
import { sandbox } from "@pagora/core/sandbox"
import { defineConfig } from "@pagora/server"

/** A deployment that plays: payouts wait for the sandbox API, webhooks may go to the receivers of the tests. */
export default defineConfig({
  psp: sandbox({ settleAfter: "manual" }),
  transport: WebhookTransportNode.layer({ allowLoopbackHttp: true })
})
