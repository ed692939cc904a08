import { Context, Option } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import { HttpApi, OpenApi } from "effect/http-api"
import { eventSchemas } from "../webhooks/EventSchemas.ts"
import { RequiredPermission } from "../admission/Authorization.ts"
import { queryAnnotation } from "../http/QueryCodecs.ts"
import { errorExamples, statusTexts } from "./ErrorText.ts"
import { groupTexts, operationTexts } from "./OperationText.ts"
import type { JsonSchema, Schemas } from "./SchemaText.ts"
import { describe, exampleOf, polish, resolve } from "./SchemaText.ts"
import { parameters, responseHeaders, webhookTag, webhooks } from "./Webhooks.ts"

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header" | "cookie"
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface MediaType {
  readonly schema: JsonSchema
  example?: unknown
}

export interface Response {
  description: string
  content?: Readonly<Record<string, MediaType>>
  headers?: Record<string, { readonly $ref: string }>
}

export interface Operation {
  operationId: string
  tags: ReadonlyArray<string>
  summary?: string
  description?: string
  "x-permission"?: string
  parameters: Array<Parameter | { readonly $ref: string }>
  requestBody?: {
    required: boolean
    readonly content: Readonly<Record<string, MediaType>>
  }
  responses: Record<string, Response>
  security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
}

export type PathItem = Readonly<Record<string, Operation>>

/** An OpenAPI 3.1 document, as far as ours go. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks: Readonly<Record<string, unknown>>
  readonly components: {
    readonly schemas: Schemas
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, unknown>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

const info = {
  title: "Pagora",
  /** Spec, Versioning: the version of the API itself is in its path. */
  version: "1.0",
  summary: "PIX payments: charges, withdrawals, refunds, balances, webhooks.",
  description:
    "All amounts are JSON numbers in BRL with at most two decimals. All times are RFC 3339 in UTC. A field without a value is absent, not null, unless its type says null.\n\nFields may be added in time: ignore those you do not know. Unknown fields of a request are ignored.\n\nGet a token at `POST /auth`, and send it as `Authorization: Bearer <token>` with everything else.",
  license: { name: "MIT", identifier: "MIT" }
}

/** The document of an API: everything in it follows from the endpoints and their schemas, but for the words. */
export const openApiDocument = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): Omit<OpenApiDocument, "servers"> => {
  const events = Object.values(eventSchemas)
  const raw = OpenApi.fromApi(api.annotate(HttpApi.AdditionalSchemas, events), {
    includeAnnotationKey: (key) => key === queryAnnotation
  })
  const spec = withShortNames(raw) as Omit<OpenApiDocument, "servers">
  const permissions = permissionsOf(api)
  const schemas = spec.components.schemas
  for (const schema of Object.values(schemas)) polish(schema, "")
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      complete(operation, `${method.toUpperCase()} ${path}`, permissions, schemas)
    }
  }
  return {
    openapi: "3.1.0",
    info,
    tags: [...spec.tags.map(({ name }) => groupTexts[name] ?? { name }), webhookTag],
    paths: spec.paths,
    webhooks: webhooks(schemas),
    components: {
      schemas,
      parameters,
      headers: responseHeaders,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "A token of `POST /auth`, good for 300 seconds."
        }
      }
    }
  }
}

/** The wire side of a schema needs no other name than the schema. */
const withShortNames = (spec: object): unknown =>
  JSON.parse(
    JSON.stringify(spec).replaceAll(/"(#\/components\/schemas\/)?(\w+?)Encoded"/g, '"$1$2"')
  )

/** What each endpoint needs, by method and path. */
const permissionsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyMap<string, string> => {
  const permissions = new Map<string, string>()
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      const permission = Context.getOption(mergedAnnotations, RequiredPermission)
      if (Option.isNone(permission)) return
      const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
      permissions.set(`${endpoint.method} ${path}`, permission.value)
    }
  })
  return permissions
}

const complete = (
  operation: Operation,
  route: string,
  permissions: ReadonlyMap<string, string>,
  schemas: Schemas
): void => {
  const text = operationTexts[route]
  const [group = "", endpoint = ""] = operation.operationId.split(".")
  const permission = permissions.get(route)
  operation.operationId = text?.id ?? nameOf(group, endpoint)
  operation.tags = operation.tags.map((tag) => groupTexts[tag]?.name ?? tag)
  if (text !== undefined) operation.summary = text.summary
  operation.description = [
    text?.description,
    permission === undefined ? undefined : `Needs the permission \`${permission}\`.`
  ]
    .filter((part) => part !== undefined)
    .join("\n\n")
  if (permission !== undefined) operation["x-permission"] = permission
  completeParameters(operation, route)
  completeBody(operation, schemas, text?.request)
  for (const [status, response] of Object.entries(operation.responses)) {
    completeResponse(response, Number(status), schemas, route)
  }
}

/** `charges.create` becomes `createCharge`, `projects.list` `listProjects`. */
const nameOf = (group: string, endpoint: string): string => {
  const words = group.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  const noun = words.join("")
  return endpoint + (endpoint.startsWith("list") ? noun : noun.replace(/s$/, ""))
}

const completeParameters = (operation: Operation, route: string): void => {
  for (const parameter of operation.parameters) {
    if ("$ref" in parameter) continue
    inQuery(parameter.schema)
    describe(parameter.schema, parameter.in, parameter.name)
    polish(parameter.schema, parameter.in)
  }
  if (operation.security.length === 0) return
  // These always act on the main account (spec, Common rules).
  if (!/ \/sub-accounts\b/.test(route)) {
    operation.parameters.push({ $ref: "#/components/parameters/X-Sub-Account" })
  }
  if (route.startsWith("POST ")) {
    operation.parameters.push({ $ref: "#/components/parameters/Idempotency-Key" })
  }
}

/** A parameter is a text to the server and what the text stands for to everybody else. */
const inQuery = (schema: JsonSchema & { [queryAnnotation]?: JsonSchema }): void => {
  const { [queryAnnotation]: shown } = schema
  delete schema[queryAnnotation]
  Object.assign(schema, shown)
}

const completeBody = (operation: Operation, schemas: Schemas, request: unknown): void => {
  const { requestBody } = operation
  if (requestBody === undefined) return
  for (const media of Object.values(requestBody.content)) {
    polish(media.schema, "")
    media.example = request ?? exampleOf(media.schema, schemas)
    // An absent body is an empty object.
    requestBody.required = (resolve(media.schema, schemas).required ?? []).length > 0
  }
}

const completeResponse = (
  response: Response,
  status: number,
  schemas: Schemas,
  route: string
): void => {
  const isAuth = route === "POST /auth"
  response.description = statusTexts[status] ?? response.description
  for (const media of Object.values(response.content ?? {})) {
    polish(media.schema, "")
    media.example =
      status < 400
        ? exampleOf(media.schema, schemas)
        : errorExamples(status, isAuth, exampleOf(media.schema, schemas))
  }
  const headers = ["RateLimit-Policy", "RateLimit"]
  if (status === 429 || status === 503) headers.push("Retry-After")
  if (status === 401) headers.push("WWW-Authenticate")
  if (status === 201) headers.push("Idempotent-Replayed")
  response.headers = Object.fromEntries(
    headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])
  )
  if (status === 500 && waitsForPsp.has(route))
    response.headers["Retry-After"] = { $ref: "#/components/headers/Retry-After-If-Known" }
}

/** Whose caller waits while the payment institution is asked. */
const waitsForPsp: ReadonlySet<string> = new Set(["POST /pix", "POST /pix/{id}/cancel"])
