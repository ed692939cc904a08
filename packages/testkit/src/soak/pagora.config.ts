import { WebhookTransportNode } from "@pagora/core/node"
import { sandbox } from "@pagora/core/sandbox"

/** The deployment of the soak: a simulated bank that pays by itself, and webhooks to a receiver on this machine. */
export default {
  psp: sandbox({ settleAfter: "1 second" }),
  transport: WebhookTransportNode.layer({ allowLoopbackHttp: true })
}
