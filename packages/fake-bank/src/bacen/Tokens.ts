import type { Answer, Asked, Received, Route } from "../door/Exchange.ts"
import { isRecord, textAt } from "../door/Exchange.ts"
import type { BankAccount } from "../world/BankAccount.ts"
import type { World } from "../world/World.ts"
import type { TokenProfile } from "./BankProfile.ts"

/** An application of a customer, as the bank's portal makes it. */
export interface BankClient {
  readonly clientId: string
  readonly clientSecret: string
  /** What `gw-dev-app-key` has to be. */
  readonly appKey: string
  readonly account: BankAccount
  /** What the portal allows it. */
  readonly scopes: ReadonlyArray<string>
}

export interface Token {
  readonly client: BankClient
  readonly scopes: ReadonlyArray<string>
  readonly endsAt: Date
}

export interface Tokens {
  readonly route: Route
  /** The token that a request shows, undefined where it is none or has ended. */
  readonly of: (received: Received) => Token | undefined
  readonly endAll: () => void
}

export interface TokensOptions {
  readonly world: World
  readonly profile: TokenProfile
  readonly clients: ReadonlyArray<BankClient>
  readonly lifeSeconds: number
}

export const makeTokens = ({ clients, lifeSeconds, profile, world }: TokensOptions): Tokens => {
  const tokens = new Map<string, Token>()

  const grant = (client: BankClient, scopes: ReadonlyArray<string>): Answer => {
    const text = world.ids.text(40)
    const endsAt = new Date(world.clock.now().getTime() + lifeSeconds * 1000)
    tokens.set(text, { client, scopes, endsAt })
    const more = { refresh_token: world.ids.text(40), client_id: client.clientId }
    return {
      status: 200,
      body: {
        access_token: text,
        token_type: "Bearer",
        expires_in: lifeSeconds,
        scope: scopes.join(" "),
        ...Object.fromEntries(profile.answers.map((name) => [name, more[name]]))
      }
    }
  }

  const handle = (asked: Asked): Answer => {
    const read = tokenRequest(profile, asked)
    if (typeof read === "string") return refused(400, "invalid_request", read)
    const client = clients.find(({ clientId }) => clientId === read.id)
    const knowsSecret = profile.client === "id_only" || client?.clientSecret === read.secret
    if (client === undefined || !knowsSecret) {
      return refused(401, "invalid_client", "Invalid or inactive credentials")
    }
    if (profile.scope === "required" && read.scope === "") {
      return refused(400, "invalid_scope", "The scope is missing.")
    }
    const wanted = read.scope === "" ? client.scopes : read.scope.split(" ")
    // Fewer than were asked for is what Sicredi grants (PYPIX); of the others nobody says.
    return grant(
      client,
      wanted.filter((scope) => client.scopes.includes(scope))
    )
  }

  return {
    route: { operation: "token", method: "POST", path: profile.path, handle, lie: ofAnother },
    endAll: () => tokens.clear(),
    of: ({ headers }) => {
      const [, text = ""] = /^Bearer (.+)$/i.exec(headers["authorization"] ?? "") ?? []
      const token = tokens.get(text)
      return token === undefined || token.endsAt <= world.clock.now() ? undefined : token
    }
  }
}

/** For the fault `lie`: where the answer names the client, it names another one. */
const ofAnother = ({ body, status }: Answer): Answer =>
  isRecord(body) && body["client_id"] !== undefined
    ? { status, body: { ...body, client_id: "Client_Id_of_another" } }
    : { status, body }

const refused = (status: number, error: string, error_description: string): Answer => ({
  status,
  body: { error, error_description }
})

interface TokenRequest {
  readonly id: string
  readonly secret: string
  readonly scope: string
}

/** What of it is not as this bank wants it is told in a sentence. */
const tokenRequest = (profile: TokenProfile, asked: Asked): TokenRequest | string => {
  const { body, headers, json, query } = asked
  const type = headers["content-type"] ?? ""
  const wantedType =
    profile.body === "json" ? "application/json" : "application/x-www-form-urlencoded"
  if (!type.startsWith(wantedType)) return `The content type is ${type}, not ${wantedType}.`
  const form = new URLSearchParams(Buffer.from(body).toString("utf8"))
  const told = (name: string) =>
    (profile.body === "json" ? textAt(json, name) : form.get(name)) ?? ""
  const grantType = profile.grantType === "query" ? query["grant_type"] : told("grant_type")
  if (grantType !== "client_credentials") return `The grant_type is ${grantType}.`
  const [id, secret] =
    profile.client === "basic"
      ? basic(headers["authorization"])
      : [told("client_id"), told("client_secret")]
  return { id, secret, scope: told("scope") }
}

const basic = (header = ""): readonly [string, string] => {
  const [, encoded = ""] = /^Basic (.+)$/i.exec(header) ?? []
  const [id = "", ...secret] = Buffer.from(encoded, "base64").toString("utf8").split(":")
  return [id, secret.join(":")]
}
