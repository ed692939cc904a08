import { mountPrefix, pathBelow } from "./MountPath.ts"

type Fetch = (request: Request) => Promise<Response>

/**
 * Mounts a service in a host that passes whole requests of the Fetch API (Next.js, Bun, Deno). What does not lie below
 * the prefix is answered by `otherwise`: 404 without a body unless told differently.
 */
export const fetchBelow = (
  prefix: string,
  pagora: { readonly fetch: Fetch },
  otherwise: Fetch = () => Promise.resolve(new Response(null, { status: 404 }))
): Fetch => {
  const mounted = mountPrefix(prefix)
  return (request) => {
    const rest = pathBelow(request.url, mounted)
    if (rest === undefined) return otherwise(request)
    const url = new URL(request.url)
    return pagora.fetch(new Request(`${url.origin}${rest}`, request))
  }
}
