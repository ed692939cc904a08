import { mountPrefix, pathBelow } from "./MountPath.ts"
import { alreadyParsed, plainHeaders, plainText } from "./PlainError.ts"

type Fetch = (request: Request) => Promise<Response>

/**
 * Mounts a service in a host that passes requests of the Fetch API (Hono, Next.js, Bun, Deno). What does not lie below
 * the prefix is answered by `otherwise`: 404 without a body unless told differently. A request whose body was read
 * already is refused with 500 `BODY_ALREADY_PARSED`.
 */
export const fetchBelow = (
  prefix: string,
  pagora: { readonly fetch: Fetch },
  otherwise: Fetch = () => Promise.resolve(new Response(null, { status: 404 }))
): Fetch => {
  const mounted = mountPrefix(prefix)
  return async (request) => {
    const rest = pathBelow(request.url, mounted)
    if (rest === undefined) return otherwise(request)
    if (request.bodyUsed) {
      const error = alreadyParsed(remedy)
      return new Response(plainText(error), { status: error.statusCode, headers: plainHeaders })
    }
    const { origin } = new URL(request.url)
    return pagora.fetch(new Request(`${origin}${rest}`, request))
  }
}

const remedy =
  "Pass the request on before anything reads it: payments(request). Or read a copy: await request.clone().json()."
