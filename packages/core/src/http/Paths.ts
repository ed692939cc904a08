import type { Duration } from "effect"
import { Context } from "effect"
import { FindMyWay } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { HttpApi } from "effect/http-api"
import type { Answering } from "./CompiledApi.ts"
import { TwoFieldErrors } from "./ErrorEnvelope.ts"
import { TimeAllowed } from "./TimeAllowed.ts"

/** The endpoint of a request, and what its address says. */
export interface Route {
  readonly endpoint: HttpApiEndpoint.Top
  /** The path as the contract writes it, such as `/transactions/:id`. */
  readonly template: string
  readonly hasTwoFieldErrors: boolean
  readonly timeAllowed: Duration.Duration
}

/** The paths of an API. */
export interface Paths {
  readonly find: (method: string, url: string) => FindMyWay.FindResult<Route> | undefined
  /** What answers there. */
  readonly answering: (route: Route) => Answering
  /** Which methods a path has: HEAD too, where it has GET. */
  readonly methods: (url: string) => ReadonlyArray<string>
  /** Whether there is a path that is the same without the slash at its end. */
  readonly hasSlashTooMany: (url: string) => boolean
  /** A path as an error may name it: the words that paths of this API have. The others may be somebody's data. */
  readonly spelled: (url: string) => string
}

/** Groups of endpoints that are not served: to who asks, their paths are not there. */
export const Unserved = Context.Reference<ReadonlySet<string>>("@pagora/core/http/Unserved", {
  defaultValue: () => new Set()
})

const routerConfig = {
  // Room for a reference of 255 characters, each of them percent-encoded four times over.
  maxParamLength: 3_072,
  caseSensitive: true,
  ignoreDuplicateSlashes: false
} as const

/** A route, and its template word by word. */
interface Entry extends Route {
  readonly words: ReadonlyArray<string>
}

/** What the contract of an API says of its paths. */
interface Table {
  readonly router: FindMyWay.Router<Entry>
  readonly methods: ReadonlySet<string>
  /** The words of all paths. */
  readonly words: ReadonlySet<string>
}

const tables = new WeakMap<object, Map<string, Table>>()

/** Made once for an API, however many services of a process answer it. */
const tableOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  unserved: ReadonlySet<string>
): Table => {
  const key = [...unserved].toSorted().join()
  const all = tables.get(api) ?? new Map<string, Table>()
  tables.set(api, all)
  const table = all.get(key) ?? makeTable(api, unserved)
  all.set(key, table)
  return table
}

const makeTable = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  unserved: ReadonlySet<string>
): Table => {
  const router = FindMyWay.make<Entry>(routerConfig)
  const methods = new Set<string>()
  const known = new Set<string>([""])
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      if (unserved.has(group.identifier)) return
      methods.add(endpoint.method)
      const template = endpoint.path as FindMyWay.PathInput
      const words = template.split("/")
      router.on(endpoint.method, template, {
        endpoint,
        template,
        words,
        hasTwoFieldErrors: Context.get(endpoint.annotations, TwoFieldErrors),
        timeAllowed: Context.get(mergedAnnotations, TimeAllowed)
      })
      for (const word of words) known.add(word)
    }
  })
  return { router, methods, words: known }
}

export const pathsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  unserved: ReadonlySet<string>,
  answering: ReadonlyMap<HttpApiEndpoint.Top, Answering>
): Paths => {
  const { methods, router, words } = tableOf(api, unserved)
  const find: Paths["find"] = (method, url) => {
    // Whoever sends the answer leaves its body out (RFC 9110, 9.3.2).
    const found = router.find(method === "HEAD" ? "GET" : method, url)
    return found !== undefined && isSpelledAs(found.handler.words, url) ? found : undefined
  }
  const methodsOf: Paths["methods"] = (url) =>
    [...methods]
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
      .filter((method) => find(method, url) !== undefined)
  return {
    find,
    // An API with an endpoint that nothing answers was not compiled.
    answering: ({ endpoint }) => answering.get(endpoint) as Answering,
    methods: methodsOf,
    hasSlashTooMany: (url) => {
      const [path = ""] = url.split("?")
      return path.endsWith("/") && methodsOf(path.slice(0, -1)).length > 0
    },
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
const isSpelledAs = (words: ReadonlyArray<string>, url: string): boolean => {
  const query = url.indexOf("?")
  const end = query < 0 ? url.length : query
  let from = 0
  for (const [index, word] of words.entries()) {
    const slash = index + 1 === words.length ? end : url.indexOf("/", from)
    // Too few parts, or a slash in what should be the last one.
    if (slash < 0 || slash > end) return false
    const part = url.slice(from, slash)
    if (word.startsWith(":") ? !isParameter(part) : word !== part) return false
    from = slash + 1
  }
  return true
}

/** Dots would be resolved by others on the way, and a semicolon or a number sign cuts the rest off. */
const isParameter = (part: string): boolean =>
  part !== "" && !/[;#/]/.test(part) && !/^(?:\.|%2e){1,2}$/i.test(part)

/** The name of a parameter in a query that holds NUL, which cannot be stored and so cannot be there. */
export const nulInQuery = (url: string): string | undefined => {
  if (!url.includes("%00")) return undefined
  const query = new URLSearchParams(url.split("?").slice(1).join("?").split("#")[0])
  const found = [...query].find(([name, value]) => `${name}${value}`.includes("\0"))
  return found?.[0].replaceAll("\0", "")
}
