import { Context, Effect, Layer, Schema } from "effect"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import type { ProjectId, UnitId, Uuid, WalletId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { decideAgain, refusedFor } from "../ports/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../ports/Idempotency.ts"
import { begun, keyTaken } from "../ports/Idempotency.ts"
import { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { StorageError } from "../ports/Refused.ts"
import { StaleVersion } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import { foldedName, Project, ProjectKind } from "./Project.ts"
import type { ProjectQuery } from "./ProjectIndex.ts"
import {
  indexParts,
  pageOf,
  partOf,
  ProjectIndex,
  ProjectIndexKind,
  withProject
} from "./ProjectIndex.ts"

/** Projects of one wallet. */
const projectsMax = 10_000n as Centavos

export interface NewProject {
  readonly name: string
  readonly color?: string
  readonly description?: string
  readonly logoUrl?: string
}

/** One page of a list, and how many there are in all. */
export interface ProjectPage {
  readonly items: ReadonlyArray<Project>
  readonly total: number
}

export class ProjectNotFound extends Schema.TaggedError<ProjectNotFound>()("ProjectNotFound", {
  id: Schema.String
}) {}

/** The wallet has a project of this name, up to the case of letters. */
export class ProjectNameTaken extends Schema.TaggedError<ProjectNameTaken>()("ProjectNameTaken", {
  name: Schema.String
}) {}

export class TooManyProjects extends Schema.TaggedError<TooManyProjects>()("TooManyProjects", {
  max: Schema.Int
}) {}

/** The projects of wallets. */
export class Projects extends Context.Service<
  Projects,
  {
    readonly create: (
      acting: ActingWallet,
      request: NewProject,
      key?: IdempotencyKey
    ) => Effect.Effect<
      Project,
      ProjectNameTaken | TooManyProjects | IdempotencyKeyTaken | StorageError
    >
    readonly list: (
      acting: ActingWallet,
      query: ProjectQuery
    ) => Effect.Effect<ProjectPage, StorageError>
    /** A project of this wallet: another's is not found. */
    readonly find: (
      wallet: WalletId,
      id: ProjectId
    ) => Effect.Effect<Project, ProjectNotFound | StorageError>
    /** The wallet's project, when it has exactly one (spec, Withdrawal request). */
    readonly only: (acting: ActingWallet) => Effect.Effect<Project | undefined, StorageError>
  }
>()("@pagora/core/projects/Projects") {
  static readonly layer: Layer.Layer<Projects, never, Storage | Ids | ServiceTime> = Layer.effect(
    Projects,
    Effect.gen(function* () {
      const storage = yield* Storage

      const index = (acting: ActingWallet, limit: number) =>
        Effect.map(
          storage.list(ProjectIndexKind, {
            account: acting.account.value.id,
            wallet: walletOf(acting),
            order: "asc",
            limit
          }),
          (parts) => parts.flatMap(({ value }) => value.projects)
        )
      const attempt = yield* makeAttempt

      const create = Effect.fn("Projects.create")(function* (
        acting: ActingWallet,
        request: NewProject,
        key?: IdempotencyKey
      ) {
        return yield* decideAgain(attempt(acting, request, key))
      })

      const list = Effect.fn("Projects.list")(function* (
        acting: ActingWallet,
        query: ProjectQuery
      ) {
        const entries = yield* index(acting, indexParts)
        const ids = pageOf(entries, query)
        const found = ids.length === 0 ? [] : yield* storage.findMany(ProjectKind, ids)
        const byId = new Map(found.map(({ value }) => [value.id, value]))
        const items = ids.flatMap((id) => byId.get(id) ?? [])
        return { items, total: entries.length }
      })

      const find = Effect.fnUntraced(function* (wallet: WalletId, id: ProjectId) {
        const project = yield* storage.find(ProjectKind, id)
        return project?.value.wallet === wallet ? project.value : yield* new ProjectNotFound({ id })
      })

      const only = Effect.fnUntraced(function* (acting: ActingWallet) {
        // A part has one at least.
        const [first, second] = yield* index(acting, 2)
        if (first === undefined || second !== undefined) return undefined
        return (yield* storage.find(ProjectKind, first.id))?.value
      })
      return Projects.of({ create, list, find, only })
    })
  )
}

/** Decides once what a new project changes, under a new id, on the wallet's index as it is now. */
const makeAttempt = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  const time = yield* ServiceTime

  /** What writes the project into its part of the index. */
  const indexing = Effect.fnUntraced(function* (project: Project) {
    const { account, wallet } = project
    const part = { space: "project_index", key: `${wallet}/${partOf(project.id)}` }
    const found = yield* storage.resolve([{ _tag: "Key", ...part }])
    const current = found && (yield* storage.find(ProjectIndexKind, found.id))
    if (current !== undefined) {
      const longer = withProject(current.value, project)
      return { updates: [Kind.update(ProjectIndexKind, current, longer)], inserts: [], keys: [] }
    }
    const id = yield* ids.next<Uuid>()
    const first = withProject(new ProjectIndex({ id, account, wallet, projects: [] }), project)
    return { inserts: [ProjectIndexKind.row(first)], keys: [{ ...part, holder: id }] }
  })

  return Effect.fnUntraced(function* (
    acting: ActingWallet,
    request: NewProject,
    key: IdempotencyKey | undefined
  ) {
    const id = yield* ids.next<ProjectId>()
    const account = acting.account.value.id
    const wallet = walletOf(acting)
    const project = new Project({ ...request, id, account, wallet, createdAt: instantOf(id) })
    const indexed = yield* indexing(project)
    yield* storage
      .commit({
        id: yield* ids.next<UnitId>(),
        at: yield* time.now,
        ...indexed,
        inserts: [ProjectKind.row(project), ...indexed.inserts],
        keys: [
          { space: "project", key: `${wallet}/${foldedName(project.name)}`, holder: id },
          ...indexed.keys
        ],
        counters: [{ key: `projects/${wallet}`, add: 1n as Centavos, max: projectsMax }],
        ...begun(key, id, ProjectKind.snapshot(project))
      })
      .pipe(
        keyTaken,
        refusedFor("StaleVersion", "DuplicateKey", "LimitExceeded"),
        Effect.catchTags({
          // Somebody began the same part of the index at the same time.
          DuplicateKey: ({ space }) =>
            space === "project"
              ? Effect.fail(new ProjectNameTaken({ name: project.name }))
              : Effect.fail(new StaleVersion({ id })),
          LimitExceeded: () => new TooManyProjects({ max: Number(projectsMax) })
        })
      )
    return project
  })
})
