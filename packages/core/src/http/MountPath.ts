/** Reads where a service is mounted: `/payments/v2`, with or without a slash at the end; `/` is the root. */
export const mountPrefix = (text: string): string => {
  const prefix = text.replace(/\/+$/, "")
  if (prefix !== "" && !/^(\/[^/?#\s]+)+$/.test(prefix))
    throw new Error(`${text} is no path to mount at. Begin it with a slash, as in /payments/v2.`)
  return prefix
}

/** Said where something else than the service is mounted, most often the promise of one. */
export const notStarted =
  "This is no Pagora that has started: mount what Pagora.start resolves to, as in const pagora = await Pagora.start(options)."

/**
 * The path and query of a request as they are below a mount; undefined when it lies elsewhere. A target that names its
 * host (RFC 9112, 3.2.2) counts like one that does not. Nothing is decoded or resolved: a path that leaves the mount by
 * its dots must not reach something else than the host's own rules were asked about.
 */
export const pathBelow = (target: string, prefix: string): string | undefined => {
  const url = target.replace(/^https?:\/\/[^/?#]*/i, "")
  const path = url === "" || url.startsWith("?") ? `/${url}` : url
  if (!path.startsWith(`${prefix}/`) && path !== prefix && !path.startsWith(`${prefix}?`))
    return undefined
  const rest = path.slice(prefix.length)
  return rest.startsWith("/") ? rest : `/${rest}`
}
