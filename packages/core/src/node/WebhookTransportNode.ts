import { Duration, Effect, Layer } from "effect"
import { Resolver } from "node:dns/promises"
import type { LookupFunction } from "node:net"
import { connect, isIP, isIPv6 } from "node:net"
import { connect as connectTls } from "node:tls"
import { Recent } from "../kernel/Recent.ts"
import type { OutboundRequest, SendOutcome } from "../ports/WebhookTransport.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import type { Refusal, Target, TargetRules } from "./AddressGuard.ts"
import { readTarget } from "./AddressGuard.ts"
import { Deadlines } from "./Deadlines.ts"
import { KeptConnections } from "./KeptConnections.ts"
import type { Exchanged } from "./PostConnection.ts"
import { PostConnection } from "./PostConnection.ts"

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
  layerIn({ lookup: together(lookupByDns()) }, options)

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
  const deadlines = new Deadlines(Duration.toMillis(options.deadline ?? "10 seconds"))
  const targets = new Recent<string, Target | Refusal>(targetsRemembered)
  const targetOf = (url: string): Target | Refusal => {
    const known = targets.get(url) ?? readTarget(url, rules)
    targets.set(url, known)
    return known
  }
  return Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const kept = yield* Effect.acquireRelease(
        Effect.sync(() => new KeptConnections()),
        (all) => Effect.sync(() => all.close())
      )
      const sessions = new Recent<string, Buffer>(sessionsRemembered)
      return WebhookTransport.of({
        refusal: (url) => {
          const target = targetOf(url)
          return typeof target === "string" ? target : undefined
        },
        send: (request) => {
          const target = targetOf(request.url)
          if (typeof target === "string") return Effect.succeed({ _tag: "Blocked", reason: target })
          return Effect.callback((resume) => {
            const posting = new Posting(
              {
                world,
                kept,
                sessions,
                deadlines,
                request,
                target,
                isAllowed: world.isAllowed ?? target.isAllowed
              },
              (outcome) => resume(Effect.succeed(outcome))
            )
            posting.begin()
            return Effect.sync(() => posting.cancel())
          })
        }
      })
    })
  )
}

const targetsRemembered = 1_000
/** Sessions of TLS that can be taken up again (RFC 8446, 2.2). */
const sessionsRemembered = 100

interface Sending {
  readonly world: World
  readonly kept: KeptConnections
  readonly sessions: Recent<string, Buffer>
  readonly deadlines: Deadlines
  readonly request: OutboundRequest
  readonly target: Target
  readonly isAllowed: (address: string) => boolean
}

/** One POST, from the name to the end of the answer. Its outcome is told once. */
class Posting {
  private readonly sending: Sending
  private readonly tell: (outcome: SendOutcome) => void
  private readonly text: string
  private readonly began = performance.now()
  private endDeadline: () => void = () => {}
  private connection: PostConnection | undefined
  private isOver = false

  constructor(sending: Sending, tell: (outcome: SendOutcome) => void) {
    this.sending = sending
    this.tell = tell
    this.text = textOf(sending.request, sending.target.url)
  }

  begin(): void {
    this.endDeadline = this.sending.deadlines.begin(() => {
      const status = this.connection?.abandon()
      this.end(status === undefined ? failed("timeout") : { _tag: "Answered", status })
    })
    const { target, world } = this.sending
    const addresses = addressesOf(target.host, world)
    if (!("then" in addresses)) this.go(addresses)
    else
      addresses.then(
        (found) => this.go(found),
        () => this.go([])
      )
  }

  cancel(): void {
    if (this.isOver) return
    this.isOver = true
    this.endDeadline()
    this.connection?.abandon()
  }

  private end(result: Result): void {
    if (this.isOver) return
    this.isOver = true
    this.endDeadline()
    const durationMillis = Math.round(performance.now() - this.began)
    this.tell(result._tag === "Blocked" ? result : { ...result, durationMillis })
  }

  private go(addresses: ReadonlyArray<string>): void {
    if (this.isOver) return
    if (addresses.length === 0) return this.end(failed("dns"))
    if (!addresses.every(this.sending.isAllowed)) return this.end(blocked)
    const known = this.sending.kept.take(this.sending.target.url.origin)
    if (known === undefined) return this.dial(addresses)
    // One that is kept open can be closed by the other side at the very moment we use it.
    this.ask(known, () => this.dial(addresses))
    if (this.isAllowed(known)) this.send(known)
  }

  private dial(addresses: ReadonlyArray<string>): void {
    const { sessions, target, world } = this.sending
    const isTls = target.url.protocol === "https:"
    const socket = isTls
      ? dialTls(target, addresses, sessions, world)
      : connect({ ...placeOf(target, addresses), noDelay: true })
    socket.once("connect", () => this.isAllowed(connection))
    const connection = new PostConnection(socket, { isTls, ready: () => this.send(connection) })
    this.ask(connection, () => this.end(failed("connection")))
  }

  /** The other end is looked at once more before anything is sent. */
  private isAllowed(connection: PostConnection): boolean {
    const { remoteAddress } = connection.socket
    if (remoteAddress === undefined || this.sending.isAllowed(remoteAddress)) return true
    connection.abandon()
    this.end(blocked)
    return false
  }

  private ask(connection: PostConnection, again: () => void): void {
    this.connection = connection
    connection.expect((exchanged: Exchanged) => {
      if (this.isOver) return
      if (exchanged._tag === "Stale") return again()
      if (exchanged._tag === "Answered" && exchanged.keptMillis > 0)
        this.sending.kept.keep(this.sending.target.url.origin, connection, exchanged.keptMillis)
      this.end(
        exchanged._tag === "Answered" ? { _tag: "Answered", status: exchanged.status } : exchanged
      )
    })
  }

  private send(connection: PostConnection): void {
    if (!this.isOver) connection.write(this.text)
  }
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

/** A request as it goes over the wire, in one piece. */
const textOf = ({ body, headers }: OutboundRequest, url: URL): string => {
  let text = `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`
  for (const name of Object.keys(headers)) text += `${name}: ${headers[name]}\r\n`
  // A header that holds a line would be two.
  if (!headForm.test(text))
    throw new Error("A header of a webhook has characters that none can have.")
  return `${text}Accept-Encoding: identity\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: keep-alive\r\n\r\n${body}`
}

const headForm = /^(?:[\x20-\x7e]+\r\n)+$/

const addressesOf = (
  host: string,
  world: World
): ReadonlyArray<string> | Promise<ReadonlyArray<string>> => {
  if (isIP(host) !== 0) return [host]
  return host === "localhost" ? ["127.0.0.1", "::1"] : world.lookup(host)
}

const placeOf = ({ host, url }: Target, addresses: ReadonlyArray<string>) => ({
  host,
  port: Number(url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port),
  lookup: pinnedTo(addresses)
})

const dialTls = (
  target: Target,
  addresses: ReadonlyArray<string>,
  sessions: Recent<string, Buffer>,
  { certificateAuthority }: World
) => {
  const { origin } = target.url
  const session = sessions.get(origin)
  const socket = connectTls({
    ...placeOf(target, addresses),
    servername: isIP(target.host) === 0 ? target.host : "",
    ALPNProtocols: ["http/1.1"],
    // Said here, so that no environment variable can say otherwise.
    rejectUnauthorized: true,
    ...(session === undefined ? {} : { session }),
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority })
  })
  socket.setNoDelay(true)
  socket.on("session", (taken: Buffer) => sessions.set(origin, taken))
  return socket
}

const pinnedTo = (addresses: ReadonlyArray<string>): LookupFunction => {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_name, options, callback) => {
    const [first] = all
    if (options.all === true || first === undefined) callback(null, all)
    else callback(null, first.address, first.family)
  }
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

/** Whoever asks for a name while it is asked for gets the same answer. */
const together = (lookup: World["lookup"]): World["lookup"] => {
  const asked = new Map<string, ReturnType<World["lookup"]>>()
  return (name) => {
    const known = asked.get(name)
    if (known !== undefined) return known
    const answer = lookup(name).finally(() => asked.delete(name))
    asked.set(name, answer)
    return answer
  }
}
