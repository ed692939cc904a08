import type { HttpApi, HttpApiGroup } from "effect/http-api"
import type { OperatorApi } from "../operator/OperatorApi.ts"
import type { SandboxApi } from "../sandbox/SandboxApi.ts"
import type { Api } from "./Api.ts"
import type { AnswerOf, PlacesOf } from "./PromiseCall.ts"

type AnswersOf<A> =
  A extends HttpApi.HttpApi<infer _Id, infer Groups>
    ? AnswersOfGroups<A, HttpApiGroup.Identifier<Groups>>
    : never

/** The endpoints of every group, each under its place: a name may be used in several groups, a place is one endpoint's. */
type AnswersOfGroups<A, G extends string & keyof PlacesOf<A>> = {
  readonly [Group in G]: {
    readonly [E in keyof PlacesOf<A>[Group] & string as PlacesOf<A>[Group][E] & string]: AnswerOf<
      A,
      Group,
      E
    >
  }
}[G]

type Merged<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All
) => void
  ? All
  : never

/** The JSON that every route of the tenants' API answers when all is well, by method and path: `POST /pix`. */
export interface TenantAnswers extends Merged<AnswersOf<typeof Api>> {}

/** The same of the operator's API: `GET /accounts/:id`. */
export interface OperatorAnswers extends Merged<AnswersOf<typeof OperatorApi>> {}

/** The same of the simulated PSP's: `POST /charges/:id/pay`. */
export interface SandboxAnswers extends Merged<AnswersOf<typeof SandboxApi>> {}
