import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const json = Schema.Unknown
const html = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" }))

/** The contract itself, for machines and for people. Open to everybody; it tells nothing of any tenant. */
export class ContractApi extends HttpApiGroup.make("contract")
  .add(
    HttpApiEndpoint.get("openapi", "/openapi.json", { success: json }),
    HttpApiEndpoint.get("events", "/events.json", { success: json }),
    HttpApiEndpoint.get("docs", "/docs", { success: html })
  )
  .annotate(OpenApi.Exclude, true) {}
