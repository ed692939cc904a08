import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from "fastify"
import type { Pool } from "pg"
import { statement } from "./Database.ts"
import { Refusal, twoFields } from "./Refusal.ts"
import type { Tokens } from "./Tokens.ts"
import { tokenLifetime } from "./Tokens.ts"
import { isUuid } from "./Uuid.ts"

/** Who calls, as the database knows them at this moment. */
export interface Caller {
  readonly credential: string
  readonly account: string
  readonly permissions: ReadonlyArray<string>
  readonly allowed_ips: ReadonlyArray<string> | null
  readonly account_status: string
  readonly withdrawal_fee: number
}

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller
  }
}

const secretOf = statement<{ readonly secret_digest: Buffer }>(
  "secret of credential",
  "select secret_digest from plain.credential where id = $1 and status = 'active'"
)

const callerOf = statement<Caller>(
  "caller of credential",
  `select c.id as credential, c.account, c.permissions, c.allowed_ips,
     a.status as account_status, a.withdrawal_fee
   from plain.credential c join plain.account a on a.id = c.account
   where c.id = $1 and c.status = 'active'`
)

/** Compared against when there is no such client, so that its refusal costs as much as any other. */
const nobody = Buffer.alloc(32)

/** `POST /auth`. */
export const authRoute = (app: FastifyInstance, pool: Pool, tokens: Tokens): void => {
  const schema = {
    body: {
      type: "object",
      required: ["client_id", "client_secret"],
      properties: {
        client_id: { type: "string", minLength: 1 },
        client_secret: { type: "string", minLength: 1 }
      }
    },
    response: {
      200: {
        type: "object",
        properties: {
          access_token: { type: "string" },
          token_type: { type: "string" },
          expires_in: { type: "integer" }
        }
      }
    }
  }
  app.post<{ Body: { readonly client_id: string; readonly client_secret: string } }>(
    "/auth",
    { schema, errorHandler: twoFields },
    async ({ body }) => {
      const [known] = isUuid(body.client_id) ? await secretOf(pool, [body.client_id]) : []
      const isRight = tokens.isSecret(body.client_secret, known?.secret_digest ?? nobody)
      if (!isRight) throw new Refusal(401, "client_id or client_secret is not right.")
      return {
        access_token: await tokens.sign(body.client_id),
        token_type: "Bearer",
        expires_in: tokenLifetime
      }
    }
  )
}

/** The hook that lets only those in who may do this, and says who they are. */
export const authorization =
  (pool: Pool, tokens: Tokens) =>
  (permission: string): onRequestAsyncHookHandler =>
  async (request: FastifyRequest) => {
    const { authorization: header = "" } = request.headers
    const credential = header.startsWith("Bearer ")
      ? await tokens.verify(header.slice("Bearer ".length))
      : undefined
    const [caller] = credential === undefined ? [] : await callerOf(pool, [credential])
    if (caller === undefined) throw new Refusal(401, "The token is missing, wrong or over.")
    const { permissions } = caller
    if (!permissions.includes(permission) && !permissions.includes("FULL_ACCESS"))
      throw new Refusal(403, `This needs the permission ${permission}.`)
    request.caller = caller
  }

/** What a route hangs its own permission on. */
export type Authorization = ReturnType<typeof authorization>
