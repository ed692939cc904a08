import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { CurrentWallet } from "../admission/Authorization.ts"
import { BadRequest, Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { idempotent } from "../admission/Idempotent.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { payload } from "../http/Payload.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { Project } from "./Project.ts"
import { ProjectKind } from "./Project.ts"
import type { TooManyProjects } from "./Projects.ts"
import { Projects } from "./Projects.ts"
import { NewProjectPayload, ProjectResponse, ProjectsApi } from "./ProjectsApi.ts"

export const ProjectsHandlers = handlersOf(
  tenantApi.add(ProjectsApi),
  "projects",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* Projects
    const keys = yield* IdempotencyKeys

    const create = Effect.gen(function* () {
      const acting = yield* CurrentWallet
      const answer = yield* idempotent(keys, {
        run: (key) =>
          Effect.flatMap(payload(NewProjectPayload), (request) =>
            projects.create(acting, request, key).pipe(
              Effect.catchTags({
                ProjectNameTaken: ({ name }) => refuse(Conflict, taken(name)),
                TooManyProjects: (full) => refuse(BadRequest, tooMany(full))
              }),
              orUnavailable
            )
          ),
        read: ProjectKind.fromSnapshot
      })
      return yield* replayable(ProjectResponse, answer, response(answer.value))
    })

    return handlers
      .handleRaw("create", () => create)
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const acting = yield* CurrentWallet
          const { limit = 20, page = 1, sortBy = "createdAt", sortOrder = "desc" } = query
          const found = yield* orUnavailable(
            projects.list(acting, { page, limit, sortBy, sortOrder })
          )
          const { items, total } = found
          return {
            items: items.map(response),
            total,
            page,
            limit,
            totalPages: Math.ceil(total / limit)
          }
        })
      )
  })
)

const response = ({ account: _, wallet: __, ...project }: Project) => project

const taken = (name: string) => ({
  message:
    "This wallet has a project of this name already; capital and small letters are the same.",
  code: "PROJECT_NAME_TAKEN",
  details: { resource: "project", field: "name", value: name }
})

const tooMany = ({ max, of }: TooManyProjects) => ({
  message: `${of === "wallet" ? "A wallet" : "An account"} has at most ${max} projects.`,
  code: "TOO_MANY_PROJECTS"
})
