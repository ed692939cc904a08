import { Duration, Effect, Layer } from "effect"
import { Resolver } from "node:dns/promises"
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction, Socket } from "node:net"
import { isIP, isIPv6 } from "node:net"
import type { Duplex } from "node:stream"
import type { OutboundRequest, SendOutcome } from "../ports/WebhookTransport.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import type { Target, TargetRules } from "./AddressGuard.ts"
import { makeTargetReader, readTarget } from "./AddressGuard.ts"
import { present } from "../kernel/Present.ts"

export interface WebhookTransportOptions {
  /** Also `http` to this machine, on any port. For development only. */
  readonly allowLoopbackHttp?: boolean
  /** Ports that `https` may go to. Default: 443 alone. */
  readonly ports?: ReadonlyArray<number>
  /** How long a request may take in all, from the name to the end of the answer. Default 10 seconds. */
  readonly deadline?: Duration.Input
}

/**
 * `WebhookTransport` over HTTPS. A name is resolved once, each of its addresses must be a public one, and the
 * connection goes to those and to no others, whatever the name resolves to a moment later. Redirects are not
 * followed, the environment's proxies are not used, and of the answer only the status is looked at.
 */
export const layer = (options: WebhookTransportOptions = {}): Layer.Layer<WebhookTransport> =>
  layerIn({ lookup: lookupByDns() }, options)

/** The parts of the world that a test replaces. */
export interface World {
  readonly lookup: (name: string) => Promise<ReadonlyArray<string>>
  /** Instead of the judgement of the guard. */
  readonly isAllowed?: (address: string) => boolean
  /** Instead of the system's certificate authorities, as PEM. */
  readonly certificateAuthority?: string
}

export const layerIn = (
  world: World,
  options: WebhookTransportOptions = {}
): Layer.Layer<WebhookTransport> => {
  const rules: TargetRules = {
    allowLoopbackHttp: options.allowLoopbackHttp ?? false,
    ports: options.ports ?? [443]
  }
  const deadlineMillis = Duration.toMillis(options.deadline ?? "10 seconds")
  return Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const agents = yield* Effect.acquireRelease(Effect.sync(makeAgents), (open) =>
        Effect.sync(() => Object.values(open).forEach((agent) => agent.destroy()))
      )
      const targetOf = makeTargetReader(rules)
      return WebhookTransport.of({
        refusal: (url) => {
          const target = readTarget(url, rules)
          return typeof target === "string" ? target : undefined
        },
        send: (request) => {
          const target = targetOf(request.url)
          if (typeof target === "string") return Effect.succeed({ _tag: "Blocked", reason: target })
          const isAllowed = world.isAllowed ?? target.isAllowed
          return post({
            world,
            agents,
            deadlineMillis,
            request,
            target: { ...target, isAllowed }
          })
        }
      })
    })
  )
}

/** So much of an answer is read, so that its connection can be used again. */
const answerBytesMax = 16_384
const idleMax = 256
/** As many as a receiver may be sent at once. */
const idleOfHostMax = 32
/** Shorter than servers keep them open: Node.js itself closes after 5 seconds. */
const idleMillis = 4_000

interface Agents {
  readonly https: Https.Agent
  readonly http: Http.Agent
}

interface Sending {
  readonly world: World
  readonly agents: Agents
  readonly deadlineMillis: number
  readonly request: OutboundRequest
  readonly target: Target
}

type Result =
  | { readonly _tag: "Answered"; readonly status: number }
  | {
      readonly _tag: "Failed"
      readonly reason: "timeout" | "dns" | "connection" | "tls" | "protocol"
    }
  | { readonly _tag: "Blocked"; readonly reason: "address" }

const blocked: Result = { _tag: "Blocked", reason: "address" }
const failed = (reason: (Result & { readonly _tag: "Failed" })["reason"]): Result => ({
  _tag: "Failed",
  reason
})

/**
 * Sends, and tells once what came of it. Plain callbacks and one timer: signals that stop it, and the promises between,
 * took more than the request itself (decision 0097).
 */
const post = (sending: Sending): Effect.Effect<SendOutcome> =>
  Effect.callback((resume) => {
    const { deadlineMillis, target, world } = sending
    const started = performance.now()
    let underWay: Exchange | undefined
    let isOver = false
    const stop = () => {
      isOver = true
      clearTimeout(timer)
      underWay?.destroy()
    }
    const end = (result: Result) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      const durationMillis = Math.round(performance.now() - started)
      resume(Effect.succeed(result._tag === "Blocked" ? result : { ...result, durationMillis }))
    }
    const timer = setTimeout(() => {
      const answer = underWay?.answer()
      underWay?.destroy()
      end(answer ?? failed("timeout"))
    }, deadlineMillis)
    const dial = (addresses: ReadonlyArray<string>) => {
      if (isOver) return
      if (addresses.length === 0) return end(failed("dns"))
      if (!addresses.every(target.isAllowed)) return end(blocked)
      underWay = exchange({ ...sending, addresses, agent: agentOf(sending) }, (result) => {
        if (result !== "stale") return end(result)
        if (isOver) return
        // A connection kept open can be closed by the other side at the very moment we use it.
        underWay = exchange({ ...sending, addresses, agent: false }, (last) =>
          end(last === "stale" ? failed("connection") : last)
        )
      })
    }
    const known = knownAddresses(target.host)
    if (known !== undefined) dial(known)
    else {
      world
        .lookup(target.host)
        .catch(() => [])
        .then(dial)
        .catch((mistake: unknown) => {
          stop()
          resume(Effect.die(mistake))
        })
    }
    return Effect.sync(stop)
  })

const agentOf = ({ agents, target }: Sending): Http.Agent =>
  target.url.protocol === "https:" ? agents.https : agents.http

/** Where a host is that nobody has to be asked about. */
const knownAddresses = (host: string): ReadonlyArray<string> | undefined =>
  isIP(host) !== 0 ? [host] : host === "localhost" ? ["127.0.0.1", "::1"] : undefined

interface Asked extends Sending {
  readonly addresses: ReadonlyArray<string>
  readonly agent: Http.Agent | false
}

/** A request over one connection. */
interface Exchange {
  /** What was answered so far. */
  readonly answer: () => Result | undefined
  /** Closes the connection. */
  readonly destroy: () => void
}

/** One POST over one connection: tells what came of it, or that the connection had been closed before. */
const exchange = (asked: Asked, tell: (result: Result | "stale") => void): Exchange => {
  const { addresses, agent, request, target, world } = asked
  const { host, pathname, port, protocol, search } = target.url
  const body = Buffer.from(request.body, "utf8")
  const isTls = protocol === "https:"
  const headers = ["Host", host, "Accept-Encoding", "identity", "Content-Length", `${body.length}`]
  for (const name in request.headers) headers.push(name, request.headers[name] ?? "")
  const init: Https.RequestOptions = {
    method: "POST",
    host: target.host,
    port,
    path: pathname + search,
    agent,
    headers,
    lookup: pinnedTo(addresses),
    insecureHTTPParser: false,
    maxHeaderSize: answerBytesMax,
    // Said here, so that no environment variable can say otherwise.
    rejectUnauthorized: true,
    ...present({ ca: world.certificateAuthority })
  }
  const outgoing = isTls ? Https.request(init) : Http.request(init)
  let isShakingHands = false
  let answer: Result | undefined
  const inspect = (socket: Socket) => {
    if (socket.remoteAddress === undefined || target.isAllowed(socket.remoteAddress)) return
    tell(blocked)
    outgoing.destroy()
  }
  outgoing.on("socket", (socket) => {
    if (!socket.connecting) return inspect(socket)
    socket.once("connect", () => {
      isShakingHands = isTls
      inspect(socket)
    })
    socket.once("secureConnect", () => {
      isShakingHands = false
    })
  })
  outgoing.on("response", (response) => {
    answer = { _tag: "Answered", status: response.statusCode ?? 0 }
    discard(response)
    response.on("close", () => tell(answer ?? failed("connection")))
  })
  outgoing.on("error", (error: NodeJS.ErrnoException) => {
    const code = error.code ?? ""
    if (answer !== undefined) tell(answer)
    else if (isShakingHands) tell(failed("tls"))
    else if (code.startsWith("HPE_")) tell(failed("protocol"))
    else tell(outgoing.reusedSocket && closedCodes.has(code) ? "stale" : failed("connection"))
  })
  outgoing.end(body)
  return { answer: () => answer, destroy: () => outgoing.destroy() }
}

const closedCodes = new Set(["ECONNRESET", "EPIPE"])

/** The status decides. The rest is read to its end, its bound, or the deadline, and thrown away. */
const discard = (response: Http.IncomingMessage): void => {
  let bytes = 0
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > answerBytesMax) response.destroy()
  })
  // An answer that breaks off is one all the same.
  response.on("error", () => undefined)
}

const pinnedTo =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_name, options, callback) => {
    const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
    const [first] = all
    if (options.all === true || first === undefined) callback(null, all)
    else callback(null, first.address, first.family)
  }

/**
 * Asks the name servers and nobody else: neither the hosts file, nor names of a local network. Unlike
 * `dns.lookup` it takes no thread, so that the slow name server of one customer holds up nobody.
 */
const lookupByDns = (): World["lookup"] => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
  }
}

/** Keeps connections for the next request, but only so many. */
const makeAgents = (): Agents => {
  const kept = { keepAlive: true, maxFreeSockets: idleOfHostMax, timeout: idleMillis }
  const agents: Agents = { https: new Https.Agent(kept), http: new Http.Agent(kept) }
  for (const agent of [agents.https, agents.http]) {
    const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean | undefined
    agent.keepSocketAlive = (socket) => {
      const idle = Object.values(agent.freeSockets).reduce(
        (sum, { length = 0 } = []) => sum + length,
        0
      )
      return keep(socket) !== false && idle < idleMax
    }
  }
  return agents
}
