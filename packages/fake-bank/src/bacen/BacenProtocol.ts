import type { Protocol } from "../door/Desk.ts"
import type { Asked, Received, Route } from "../door/Exchange.ts"
import { Refused } from "../door/Exchange.ts"
import type { Charge } from "../world/Charge.ts"
import type { World } from "../world/World.ts"
import type { BankProfile } from "./BankProfile.ts"
import { chargeRoutes } from "./ChargeRoutes.ts"
import type { ReturnTaken } from "./PixRoutes.ts"
import { pixRoutes } from "./PixRoutes.ts"
import { presented } from "./Presentation.ts"
import { officialProblem, problemIn, refusedBy } from "./Problems.ts"
import type { BankClient } from "./Tokens.ts"
import { makeTokens } from "./Tokens.ts"
import type { Webhook, WebhookTrial } from "./WebhookRoutes.ts"
import { webhookRoutes } from "./WebhookRoutes.ts"

export interface BacenOptions {
  readonly world: World
  readonly profile: BankProfile
  readonly clients: ReadonlyArray<BankClient>
  readonly webhooks: Map<string, Webhook>
  readonly tokenSeconds: number
  readonly onCharge: (charge: Charge) => void
  readonly onReturn: ReturnTaken
  readonly trial: WebhookTrial
  readonly checks: Checks
  readonly own: ReadonlyArray<Route>
}

/** What is held against the Central Bank's file. */
export interface Checks {
  readonly request: (asked: Asked, route: Route) => void
  readonly answer: (route: Route, status: number, body: unknown) => void
  readonly problem: (body: unknown) => void
}

export const bacenProtocol = (options: BacenOptions): Protocol => {
  const { checks, clients, own, profile, tokenSeconds, trial, webhooks, world } = options
  const tokens = makeTokens({ world, profile: profile.token, clients, lifeSeconds: tokenSeconds })
  const routes = [
    ...chargeRoutes(world, profile, options.onCharge),
    ...pixRoutes(world, profile, options.onReturn),
    ...webhookRoutes(world, profile, webhooks, trial)
  ].filter(({ operation }) => !profile.absent.includes(operation))
  return {
    // A bank's own come first: they may lie below those of the Central Bank.
    routes: [tokens.route, ...own, ...routes],
    authorize: (received, route) => {
      // Whoever asks for a token names itself in the request; whose route it is does not matter.
      const client = route.operation === "token" ? clients[0] : allowed(received, route)
      if (client !== undefined) return client.account
      throw new Refused({ status: 401, type: "AcessoNegado", detail: "O token não é válido." })
    },
    problem: (problem, route) => {
      checks.problem(officialProblem(problem))
      return problemIn(route?.errors ?? profile.errors, problem, world.clock.now())
    },
    refusal: (refusal) => refusedBy(refusal, profile.repeats.refund),
    checkRequest: (asked, route) => checks.request(asked, route),
    present: (answer, route) => {
      checks.answer(route, answer.status, answer.body)
      return presented(profile, route, answer)
    },
    endTokens: tokens.endAll
  }

  function allowed(received: Received, { scope }: Route): BankClient | undefined {
    const token = tokens.of(received)
    if (token === undefined) return undefined
    checkGateway(profile, token.client, received)
    if (scope === undefined || token.scopes.includes(scope)) return token.client
    const detail = `O token não tem o escopo ${scope}.`
    throw new Refused({ status: profile.token.missingScopeStatus, type: "AcessoNegado", detail })
  }
}

/** What the bank's gateway wants to see besides a token. */
const checkGateway = (profile: BankProfile, client: BankClient, { headers, query }: Received) => {
  const { appKeyNames, requiredHeaders, wholeSeconds } = profile
  const appKeys = appKeyNames.map((name) => query[name])
  if (appKeyNames.length > 0 && !appKeys.includes(client.appKey)) {
    const detail = `A chave da aplicação falta: ${appKeyNames.join(" ou ")}.`
    throw new Refused({ status: 401, type: "AcessoNegado", detail })
  }
  // [C] ACBR, Santander.
  if (wholeSeconds && [query["inicio"], query["fim"]].some((time) => time?.includes("."))) {
    const detail = "inicio e fim não aceitam frações de segundo."
    throw new Refused({ status: 400, type: "RequisicaoInvalida", detail })
  }
  const missing = requiredHeaders.find((name) => headers[name] === undefined)
  if (missing !== undefined) {
    throw new Refused({ status: 400, type: "RequisicaoInvalida", detail: `Falta ${missing}.` })
  }
  if (requiredHeaders.includes("client_id") && headers["client_id"] !== client.clientId) {
    throw new Refused({ status: 401, type: "AcessoNegado", detail: "client_id não é o do token." })
  }
}
