import type { HttpApi, HttpApiGroup } from "effect/http-api"
import type { Api } from "../app/Api.ts"

type Groups = typeof Api extends HttpApi.HttpApi<infer _Id, infer All> ? All : never

type Endpoint<Group extends string, Name extends string> =
  HttpApiGroup.WithIdentifier<Groups, Group> extends {
    readonly endpoints: infer Endpoints
  }
    ? Endpoints[Name & keyof Endpoints]
    : never

type Encoded<Endpoint, Part extends "~Payload" | "~Query" | "~Success"> = Endpoint extends {
  readonly [_ in Part]: { readonly schema: { readonly Encoded: infer Json } }
}
  ? Json
  : never

/** The JSON that an endpoint answers. */
export type Answer<Group extends string, Name extends string> = Encoded<
  Endpoint<Group, Name>,
  "~Success"
>

/** The JSON that an endpoint takes. */
export type Body<Group extends string, Name extends string> = Encoded<
  Endpoint<Group, Name>,
  "~Payload"
>

/** The query that an endpoint takes. What is a text there may be given as a number. */
export type Query<Group extends string, Name extends string> = Texts<
  Encoded<Endpoint<Group, Name>, "~Query">
>

type Texts<Fields> = {
  readonly [Name in keyof Fields]: string extends Fields[Name]
    ? Fields[Name] | number
    : Fields[Name]
}
