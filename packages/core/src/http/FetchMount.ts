import { mountPrefix, notStarted, pathBelow } from "./MountPath.ts"
import { alreadyParsed, plainHeaders, plainText } from "./PlainError.ts"

/** What the host knows beside the request, such as the address that it came from. */
interface Origin {
  readonly remoteAddress?: string | undefined
}

type Fetch = (request: Request, origin?: Origin) => Promise<Response>

/**
 * Mounts a service in a host that passes requests of the Fetch API (Hono, Next.js, Bun, Deno). What does not lie below
 * the prefix is answered by `otherwise`: 404 without a body unless told differently. A request whose body was read
 * already is refused with 500 `BODY_ALREADY_PARSED`.
 */
export const fetchBelow = (
  prefix: string,
  pagora: { readonly fetch: Fetch },
  otherwise: (request: Request, origin?: Origin) => Response | Promise<Response> = () =>
    new Response(null, { status: 404 })
): Fetch => {
  const mounted = mountPrefix(prefix)
  if (typeof (pagora as { readonly fetch?: unknown } | undefined)?.fetch !== "function")
    throw new TypeError(notStarted)
  return async (request, origin) => {
    const rest = pathBelow(request.url, mounted)
    if (rest === undefined) return otherwise(request, origin)
    if (request.bodyUsed) {
      const error = alreadyParsed(remedy)
      return new Response(plainText(error), { status: error.statusCode, headers: plainHeaders })
    }
    const url = new URL(request.url)
    return pagora.fetch(new Request(`${url.origin}${rest}`, request), origin)
  }
}

const remedy =
  "Pass the request on before anything reads it: payments(request). Or read a copy: await request.clone().json()."
