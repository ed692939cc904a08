import { framing, repeated } from "./RawFraming.ts"
import { elsewhere, malformed } from "./RawMalformed.ts"

/** Requests on the wire that no server should take, by what is wrong with them. */
export const rawRequests = { repeated, framing, malformed, elsewhere } as const
