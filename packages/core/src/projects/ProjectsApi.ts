import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, RequiredPermission } from "../admission/Authorization.ts"
import { BadRequest, InternalError, TooManyRequests } from "../http/ErrorEnvelope.ts"
import { idempotencyErrors } from "../admission/Idempotent.ts"
import { wholeInQuery } from "../http/QueryCodecs.ts"
import { StrictBody } from "../http/StrictBody.ts"
import { Instant, text, trimmed } from "../http/WireCodecs.ts"
import { sortFields, sortOrders } from "./ProjectQuery.ts"

const nameMax = 255
const descriptionMax = 1_000
const logoUrlMax = 2_048
const pageMax = 1_000_000_000
const limitMax = 100

const isLogoUrl = (value: string): boolean =>
  /^https?:\/\//i.test(value) && !/\s/.test(value) && URL.canParse(value)

/** Spec, Project. Only the name is required. */
export const NewProjectPayload = Schema.Struct({
  /** Space around a name is not part of it. */
  name: trimmed(1, nameMax),
  color: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^#[0-9A-Fa-f]{6}$/u, { message: "Send # and six hex digits, as #1A2B3C." })
    )
  ),
  description: Schema.optionalKey(text(0, descriptionMax)),
  logoUrl: Schema.optionalKey(
    text(1, logoUrlMax).check(
      Schema.makeFilter((value: string) =>
        isLogoUrl(value) ? true : "Send a web address, such as https://example.com/logo.png."
      )
    )
  )
})

export const ProjectResponse = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  color: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  logoUrl: Schema.optionalKey(Schema.String),
  createdAt: Instant
})

const ListQuery = {
  page: Schema.optionalKey(wholeInQuery(1, pageMax)),
  limit: Schema.optionalKey(wholeInQuery(1, limitMax)),
  sortBy: Schema.optionalKey(Schema.Literals(sortFields)),
  sortOrder: Schema.optionalKey(Schema.Literals(sortOrders))
}

const ProjectList = Schema.Struct({
  items: Schema.Array(ProjectResponse),
  total: Schema.Int,
  page: Schema.Int,
  limit: Schema.Int,
  totalPages: Schema.Int
})

export class ProjectsApi extends HttpApiGroup.make("projects")
  .add(
    HttpApiEndpoint.post("create", "/projects", {
      payload: NewProjectPayload,
      success: ProjectResponse.pipe(HttpApiSchema.status(201)),
      error: [...idempotencyErrors, TooManyRequests, InternalError]
    }).annotate(RequiredPermission, "PROJECT:WRITE"),
    HttpApiEndpoint.get("list", "/projects", {
      query: ListQuery,
      success: ProjectList,
      error: [BadRequest, TooManyRequests, InternalError]
    }).annotate(RequiredPermission, "PROJECT:READ")
  )
  .middleware(Authorization)
  .middleware(StrictBody) {}
