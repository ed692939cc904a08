import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import type { ProjectId, UnitId, Uuid, WalletId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import { decideAgain, refusedFor } from "../ports/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../ports/Idempotency.ts"
import { begun, keyTaken } from "../ports/Idempotency.ts"
import { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { StorageError } from "../ports/Refused.ts"
import { StaleVersion } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { Unit } from "../ports/Unit.ts"
import { foldedName, Project, ProjectKind } from "./Project.ts"
import type { ProjectQuery } from "./ProjectIndex.ts"
import {
  pageOf,
  ProjectIndex,
  ProjectIndexKind,
  stretchesMax,
  stretchMax,
  withProject
} from "./ProjectIndex.ts"

/** Projects of one wallet. */
const projectsMax = stretchMax * stretchesMax

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
      // Two of one wallet would write the same stretch of its index, and one would have to decide again.
      const oneByOne = Semaphore.makeUnsafe(1)

      const stretches = (acting: ActingWallet, order: "asc" | "desc", limit: number) =>
        storage.list(ProjectIndexKind, {
          account: acting.account.value.id,
          wallet: walletOf(acting),
          order,
          limit
        })
      const attempt = yield* makeAttempt(stretches)

      const create = Effect.fn("Projects.create")(function* (
        acting: ActingWallet,
        request: NewProject,
        key?: IdempotencyKey
      ) {
        return yield* oneByOne.withPermit(decideAgain(attempt(acting, request, key)))
      })

      const list = Effect.fn("Projects.list")(function* (
        acting: ActingWallet,
        query: ProjectQuery
      ) {
        const index = yield* stretches(acting, "asc", stretchesMax)
        const entries = index.flatMap(({ value }) => value.projects)
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
        const index = yield* stretches(acting, "asc", 2)
        const [first, second] = index.flatMap(({ value }) => value.projects)
        if (first === undefined || second !== undefined) return undefined
        return (yield* storage.find(ProjectKind, first.id))?.value
      })
      return Projects.of({ create, list, find, only })
    })
  )
}

/** Decides once what a new project changes, on the wallet's index as it is now. */
const makeAttempt = Effect.fnUntraced(function* (
  stretches: (
    acting: ActingWallet,
    order: "asc" | "desc",
    limit: number
  ) => Effect.Effect<ReadonlyArray<Kind.Versioned<ProjectIndex>>, StorageError>
) {
  const storage = yield* Storage
  const ids = yield* Ids
  const time = yield* ServiceTime

  return Effect.fnUntraced(function* (
    acting: ActingWallet,
    request: NewProject,
    key: IdempotencyKey | undefined
  ) {
    const id = yield* ids.next<ProjectId>()
    const account = acting.account.value.id
    const wallet = walletOf(acting)
    const project = new Project({ ...request, id, account, wallet, createdAt: instantOf(id) })
    const index = yield* stretches(acting, "desc", stretchesMax)
    const indexed = indexing(index, project, yield* ids.next<Uuid>())
    const taken = new ProjectNameTaken({ name: project.name })
    if (indexed === undefined) {
      const names = index.flatMap(({ value }) => value.projects)
      const folded = foldedName(project.name)
      if (names.some(({ name }) => foldedName(name) === folded)) return yield* taken
      return yield* new TooManyProjects({ max: projectsMax })
    }
    yield* storage
      .commit({
        id: yield* ids.next<UnitId>(),
        at: yield* time.now,
        ...indexed,
        inserts: [ProjectKind.row(project), ...(indexed.inserts ?? [])],
        keys: [
          { space: "project", key: `${wallet}/${foldedName(project.name)}`, holder: id },
          ...(indexed.keys ?? [])
        ],
        ...begun(key, id, ProjectKind.snapshot(project))
      })
      .pipe(
        keyTaken,
        refusedFor("StaleVersion", "DuplicateKey"),
        Effect.catchTag("DuplicateKey", ({ space }) =>
          Effect.fail(space === "project" ? taken : new StaleVersion({ id }))
        )
      )
    return project
  })
})

/** What writes the project into the index, newest stretch first; undefined when there is no room for it. */
const indexing = (
  index: ReadonlyArray<Kind.Versioned<ProjectIndex>>,
  project: Project,
  id: Uuid
): Pick<Unit, "inserts" | "updates" | "keys"> | undefined => {
  const [last] = index
  const longer = last === undefined ? undefined : withProject(last.value, project)
  if (last !== undefined && longer !== undefined)
    return { updates: [Kind.update(ProjectIndexKind, last, longer)] }
  if (index.length >= stretchesMax) return undefined
  const { account, wallet } = project
  const projects = [{ id: project.id, name: project.name }]
  // Two processes that begin a stretch at once begin the same one, and one of them decides again.
  const stretch = { space: "project_index", key: `${wallet}/${index.length}`, holder: id }
  return {
    keys: [stretch],
    inserts: [ProjectIndexKind.row(new ProjectIndex({ id, account, wallet, projects }))]
  }
}
