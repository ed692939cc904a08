import type { IncomingMessage, ServerResponse } from "node:http"

/** What answers requests of Node. In a file of its own: what is told of `pagora dev` needs no types of the fake banks. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => void
