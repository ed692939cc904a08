import { inline, html, prose } from "./Markup.ts"
import type { Markup } from "./Markup.ts"
import type {
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  Response
} from "./OpenApiDocument.ts"
import type { JsonSchema } from "./SchemaText.ts"
import { style } from "./DocsStyle.ts"
import { fieldTable } from "./FieldTable.ts"
import { statusTexts } from "./ErrorText.ts"

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const jsonOf = (value: unknown): Markup => html`<pre>${JSON.stringify(value, undefined, 2)}</pre>`

const mediaOf = (content: Readonly<Record<string, MediaType>> | undefined): MediaType | undefined =>
  Object.values(content ?? {})[0]

const endpointsOf = ({ paths }: OpenApiDocument): ReadonlyArray<Endpoint> =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation
    }))
  )

const webhooksOf = ({ webhooks }: OpenApiDocument): ReadonlyArray<Endpoint> =>
  Object.entries(webhooks).map(([path, item]) => ({
    method: "EVENT",
    path,
    operation: (item as { readonly post: Operation }).post
  }))

const badge = (method: string): Markup =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`

const nav = (document: OpenApiDocument, all: ReadonlyArray<Endpoint>): Markup =>
  html`<nav>
    <a class="brand" href="#top">${String(document.info["title"])}</a>
    <ul>
      <li><a href="#authentication">Authentication</a></li>
      <li><a href="#errors">Errors</a></li>
      <li><a href="#idempotency">Idempotency</a></li>
      <li><a href="#sub-accounts">Sub-accounts</a></li>
      <li><a href="#limits">Rate limits</a></li>
    </ul>
    ${document.tags.map(
      ({ name }) =>
        html`<h2>${name}</h2>
          <ul>
            ${all
              .filter(({ operation }) => operation.tags.includes(name))
              .map(
                ({ method, operation }) =>
                  html`<li>
                    <a href="#${operation.operationId}"
                      >${badge(method)}<span>${operation.summary ?? operation.operationId}</span></a
                    >
                  </li>`
              )}
          </ul>`
    )}
  </nav>`

const parametersOf = (document: OpenApiDocument, operation: Operation) =>
  operation.parameters.map((parameter): Parameter => {
    if (!("$ref" in parameter)) return parameter
    const name = parameter.$ref.slice(parameter.$ref.lastIndexOf("/") + 1)
    return document.components.parameters[name] as Parameter
  })

/** Parameters as one object, so that they have the table of every other object. */
const parameterTable = (document: OpenApiDocument, operation: Operation): Markup => {
  const parameters = parametersOf(document, operation)
  if (parameters.length === 0) return html``
  const properties = Object.fromEntries(
    parameters.map(({ description, name, schema }) => [
      name,
      { ...schema, description: description ?? schema.description ?? "" }
    ])
  )
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  const places = new Map(parameters.map((parameter) => [parameter.name, parameter.in]))
  return html`<h4>Parameters</h4>
    ${fieldTable({ properties, required }, document.components.schemas, {
      note: (name) => places.get(name)
    })}`
}

const curl = (server: string, { method, operation, path }: Endpoint): Markup => {
  const body = mediaOf(operation.requestBody?.content)?.example
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}https://your-host${server}${path}`,
    ...(operation.security.length > 0 ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...(method === "POST" && operation.security.length > 0
      ? [`-H "Idempotency-Key: $(uuidgen)"`]
      : []),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(body, undefined, 2)}'`])
  ]
  return html`<h4>Example</h4>
    <pre>${lines.join(" \\\n  ")}</pre>`
}

const errorRow = (status: string, response: Response): Markup => {
  const example = mediaOf(response.content)?.example
  return html`<details>
    <summary><span class="status">${status}</span> ${inline(response.description)}</summary>
    ${example === undefined ? html`` : jsonOf(example)}
  </details>`
}

const responses = (document: OpenApiDocument, operation: Operation): Markup => {
  const all = Object.entries(operation.responses)
  const good = all.filter(([status]) => status.startsWith("2"))
  const bad = all.filter(([status]) => !status.startsWith("2"))
  return html`${good.map(([status, response]) => {
      const media = mediaOf(response.content)
      return html`<h4>Answer <span class="status good">${status}</span></h4>
        ${
          media === undefined
            ? prose(response.description)
            : html`${fieldTable(media.schema, document.components.schemas, { must: "always" })}
                <details>
                  <summary>Example</summary>
                  ${jsonOf(media.example)}
                </details>`
        }`
    })}
    <h4>Errors</h4>
    <div class="errors">${bad.map(([status, response]) => errorRow(status, response))}</div>`
}

const endpointSection = (document: OpenApiDocument, endpoint: Endpoint): Markup => {
  const { method, operation, path } = endpoint
  const media = mediaOf(operation.requestBody?.content)
  const isEvent = method === "EVENT"
  const server = document.servers[0]?.url ?? ""
  return html`<section class="operation" id="${operation.operationId}">
    <h3><a href="#${operation.operationId}">${operation.summary ?? operation.operationId}</a></h3>
    <p class="route">
      ${badge(method)} <code>${path}</code>${
        operation["x-permission"] === undefined
          ? html``
          : html` <span class="permission">${operation["x-permission"]}</span>`
      }
    </p>
    ${prose(operation.description)} ${isEvent ? html`` : parameterTable(document, operation)}
    ${
      media === undefined
        ? html``
        : html`<h4>${isEvent ? "What is sent" : "Body"}</h4>
            ${fieldTable(media.schema, document.components.schemas, {
              must: isEvent ? "always" : "required"
            })}${
              isEvent
                ? html`<details>
                    <summary>Example</summary>
                    ${jsonOf(media.example)}
                  </details>`
                : html``
            }`
    }
    ${isEvent ? html`` : html`${curl(server, endpoint)}${responses(document, operation)}`}
  </section>`
}

/** The form of an error of any status. */
const anyOf = (error: JsonSchema): JsonSchema => ({
  ...error,
  properties: Object.fromEntries(
    Object.entries(error.properties ?? {}).map(([name, { enum: _, ...property }]) => [
      name,
      property
    ])
  )
})

const guide = (document: OpenApiDocument): Markup => {
  const { parameters, schemas } = document.components
  const envelope = anyOf(schemas["BadRequest"] ?? {})
  return html`<section id="authentication">
      <h2>Authentication</h2>
      <p>
        Send <code>client_id</code> and <code>client_secret</code> to
        <a href="#createToken"><code>POST /auth</code></a
        >; the token that it answers goes with every other request and lasts 300 seconds:
      </p>
      <pre>Authorization: Bearer &lt;token&gt;</pre>
      <p>
        Each endpoint names the permission that the credential needs;
        <code>FULL_ACCESS</code> stands for all of them.
      </p>
    </section>
    <section id="errors">
      <h2>Errors</h2>
      <p>
        Every error but those of <code>POST /auth</code> has this form. <code>details.code</code> is
        stable; messages may change.
      </p>
      ${fieldTable(envelope, schemas)}
      <table>
        <thead>
          <tr>
            <th>Status</th>
            <th>When</th>
          </tr>
        </thead>
        <tbody>
          ${Object.entries(statusTexts)
            .filter(([status]) => Number(status) >= 400)
            .map(
              ([status, text]) =>
                html`<tr>
                  <td><span class="status">${status}</span></td>
                  <td>${inline(text)}</td>
                </tr>`
            )}
        </tbody>
      </table>
      <p>
        A path that is not there is 404 <code>ROUTE_NOT_FOUND</code>, a method that a path does not
        have 405 <code>METHOD_NOT_ALLOWED</code> with the header <code>Allow</code>.
      </p>
    </section>
    <section id="idempotency">
      <h2>Idempotency</h2>
      <p>
        <code>Idempotency-Key</code>, on every POST but <code>/auth</code>.
        ${inline(parameters["Idempotency-Key"]?.description)}
      </p>
    </section>
    <section id="sub-accounts">
      <h2>Sub-accounts</h2>
      <p><code>X-Sub-Account</code>. ${inline(parameters["X-Sub-Account"]?.description)}</p>
    </section>
    <section id="limits">
      <h2>Rate limits</h2>
      <p>
        Where they are on, every answer says in <code>RateLimit-Policy</code> what the limits are
        and in <code>RateLimit</code> what is left. Above them the answer is 429
        <code>RATE_LIMITED</code>; wait as many seconds as <code>Retry-After</code> says.
      </p>
    </section>`
}

/** The contract as a page for people: one file, no scripts, nothing from anywhere else. */
export const docsPage = (document: OpenApiDocument): string => {
  const all = [...endpointsOf(document), ...webhooksOf(document)]
  const title = String(document.info["title"])
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} API</title>
        <link rel="icon" href="data:," />
        <style>
          ${style}
        </style>
      </head>
      <body id="top">
        ${nav(document, all)}
        <main>
          <header>
            <h1>${title} API</h1>
            ${prose(String(document.info["summary"]))}${prose(String(document.info["description"]))}
            <p class="files">
              For machines: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1) ·
              <a href="events.json">events.json</a> (JSON Schemas of the webhooks)
            </p>
          </header>
          ${guide(document)}
          ${document.tags.map(
            ({ description, name }) =>
              html`<section class="group">
                <h2>${name}</h2>
                ${prose(description)}${all
                  .filter(({ operation }) => operation.tags.includes(name))
                  .map((endpoint) => endpointSection(document, endpoint))}
              </section>`
          )}
        </main>
      </body>
    </html> `.text
}
