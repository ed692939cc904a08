import type { Listener } from "./node/Listener.ts"

/** The service running inside a program. */
export interface PagoraInstance {
  /** The tenants' API for hosts that speak fetch. It never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /** The tenants' API as a listener of Node's http server, and of everything made of one. */
  readonly listener: Listener
  /** Refuses new requests, ends what was begun, and closes everything; 20 seconds at most. */
  readonly stop: () => Promise<void>
}
