import type { Duration } from "effect"
import { Context } from "effect"
import { FindMyWay } from "effect/http"
import type { HttpApiGroup } from "effect/http-api"
import { HttpApi } from "effect/http-api"
import { TwoFieldErrors } from "./ErrorEnvelope.ts"
import { TimeAllowed } from "./TimeAllowed.ts"

/** The paths of an API, asked before its router is. */
export interface Paths {
  /** Which methods a path has: the router itself knows only whole routes. */
  readonly methods: (url: string) => ReadonlyArray<string>
  readonly hasTwoFieldErrors: (method: string, url: string) => boolean
  readonly timeAllowed: (method: string, url: string) => Duration.Duration
  /** The template of the route, such as `/transactions/:id`; undefined where there is none. */
  readonly template: (method: string, url: string) => string | undefined
  /** A path as an error may name it: the words that paths of this API have. The others may be somebody's data. */
  readonly spelled: (url: string) => string
}

/** Groups of endpoints that are not served: to who asks, their paths are not there. */
export const Unserved = Context.Reference<ReadonlySet<string>>("@pagora/core/http/Unserved", {
  defaultValue: () => new Set()
})

export const routerConfig = {
  // Room for a reference of 255 characters, each of them percent-encoded four times over.
  maxParamLength: 3_072,
  caseSensitive: true,
  ignoreDuplicateSlashes: false
} as const

interface Route {
  readonly hasTwo: boolean
  readonly timeAllowed: Duration.Duration
  readonly template: string
}

export const pathsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  unserved: ReadonlySet<string>
): Paths => {
  const paths = FindMyWay.make<Route>(routerConfig)
  const methods = new Set<string>()
  const words = new Set<string>([""])
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      if (unserved.has(group.identifier)) return
      methods.add(endpoint.method)
      const hasTwo = Context.get(endpoint.annotations, TwoFieldErrors)
      const timeAllowed = Context.get(mergedAnnotations, TimeAllowed)
      const path = endpoint.path as FindMyWay.PathInput
      paths.on(endpoint.method, path, { hasTwo, template: path, timeAllowed })
      for (const word of path.split("/")) words.add(word)
    }
  })
  const find = (method: string, url: string): Route | undefined => {
    const route = paths.find(method, url)?.handler
    return route !== undefined && isSpelledAs(route.template, url) ? route : undefined
  }
  return {
    methods: (url) => [...methods].filter((method) => find(method, url) !== undefined),
    hasTwoFieldErrors: (method, url) => find(method, url)?.hasTwo === true,
    timeAllowed: (method, url) => find(method, url)?.timeAllowed ?? TimeAllowed.defaultValue(),
    template: (method, url) => find(method, url)?.template,
    spelled: (url) =>
      (url.split(/[?#]/)[0] ?? "")
        .split("/")
        .slice(0, 12)
        .map((part) => (words.has(part) ? part : "…"))
        .join("/")
  }
}

/**
 * Whether a path is written as its template is, letter by letter. The router itself takes more for the same: letters
 * as percent signs, what follows a semicolon, a slash at the end. Each would be a second name of one resource, with an
 * Idempotency-Key scope of its own, and past the rules of a proxy.
 */
const isSpelledAs = (template: string, url: string): boolean => {
  const words = template.split("/")
  const parts = (url.split("?")[0] ?? "").split("/")
  return (
    parts.length === words.length &&
    words.every((word, index) =>
      word.startsWith(":") ? isParameter(parts[index] ?? "") : word === parts[index]
    )
  )
}

/** Dots would be resolved by others on the way, and a semicolon or a number sign cuts the rest off. */
const isParameter = (part: string): boolean =>
  part !== "" && !/[;#]/.test(part) && !/^(?:\.|%2e){1,2}$/i.test(part)

/** The name of a parameter in a query that holds NUL, which cannot be stored and so cannot be there. */
export const nulInQuery = (url: string): string | undefined => {
  if (!url.includes("%00")) return undefined
  const query = new URLSearchParams(url.split("?").slice(1).join("?").split("#")[0])
  const found = [...query].find(([name, value]) => `${name}${value}`.includes("\0"))
  return found?.[0].replaceAll("\0", "")
}
