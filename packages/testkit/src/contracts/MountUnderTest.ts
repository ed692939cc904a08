import type { PagoraInstance } from "@pagora/core"
import type { HttpAnswer, HttpOptions } from "../RunningPagora.ts"
import type { RawOutcome, sendRaw } from "./RawSocket.ts"

/** What differs between hosts, and what may then be asked of them. */
export interface HostTraits {
  /**
   * What the host does with a JSON body before the mount: nothing, or its parser has read it and keeps the bytes, or
   * it has read it and they are lost.
   */
  readonly body: "untouched" | "kept" | "lost"
  /** Whether Node's own request reaches the mount, or a `Request` of the Fetch API made of it. */
  readonly passes: "node" | "fetch"
  /** The host leaves the prefix on the URL, and `Pagora.start` is told it as `basePath`. */
  readonly isPrefixKept?: boolean
  /** The host compresses every answer for clients that take gzip. */
  readonly isCompressing?: boolean
  /** The host passes on the address of the connection beside a `Request`. */
  readonly tellsAddress?: boolean
}

/** A host that is running on the loopback interface. */
export interface MountedHost {
  readonly port: number
  /** Takes no new connections, and ends when the running requests are answered. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a host with what `Pagora.start` gave, mounted at the prefix, which may end in a slash. Before the mount it has two routes
 * of its own: `GET /hello` answers `hello`, and `POST /echo` answers the JSON that it was sent, by the parser that is
 * before the mount or by one of its own. What has no route it answers itself, not in our envelope.
 */
export type MountStart = (options: {
  readonly prefix: string
  readonly pagora: PagoraInstance
}) => Promise<MountedHost>

type Call = (method: string, path: string, options?: HttpOptions) => Promise<HttpAnswer>

/** A shop, and its calls below the mount with a token of its own. */
export interface MountTenant {
  readonly id: string
  readonly clientId: string
  readonly clientSecret: string
  readonly token: string
  readonly over: Call
}

/** A host with the service in it, and who calls it over sockets. */
export interface MountUnderTest {
  readonly traits: HostTraits
  /** Without a slash at the end. */
  readonly mount: string
  readonly port: number
  /** Any path of the host. */
  readonly host: Call
  /** A path below the mount, without a credential. */
  readonly api: Call
  /** A path below the mount, with the token of a shop that has money. */
  readonly shop: Call
  readonly token: string
  readonly raw: (
    pieces: ReadonlyArray<string | Buffer>,
    options?: Parameters<typeof sendRaw>[2]
  ) => Promise<RawOutcome>
  /** Another shop with 100.00. */
  readonly tenant: (options?: {
    readonly allowedIps?: ReadonlyArray<string>
  }) => Promise<MountTenant>
  /** Whether there is a charge of this reference; asked past the host. */
  readonly isThere: (ref: string) => Promise<boolean>
  /** Fails unless the ledger proves right; asked past the host. */
  readonly audit: () => Promise<void>
  /** Stops the host as `MountedHost` says. */
  readonly stopHost: () => Promise<void>
  /** Stops the service under a host that goes on. */
  readonly stopPagora: () => Promise<void>
  /** Stops the host, and then the service. */
  readonly stop: () => Promise<void>
}

export interface MountLaw {
  readonly title: string
  readonly law: (test: MountUnderTest) => Promise<void>
}
